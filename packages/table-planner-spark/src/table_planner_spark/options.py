"""Derives Spark's options from the session's configuration."""

from __future__ import annotations

from table_common.configuration import ReadableConfig, session_time_zone

LOCAL_BYTES = 1 << 20
"""Rows of the program up to this size become part of Spark's plan, where its optimizer can use them."""

# Options that affect Spark's analysis. The planner sets all of them, so that a query does not depend on the session's own settings.
_ANALYSIS_OPTIONS = {
    "spark.sql.analyzer.maxIterations": "500",  # dates and lambdas take at least one iteration for each level of an expression
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.caseSensitive": "true",
    "spark.sql.chunkBase64String.enabled": "false",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.execution.arrow.localRelationThreshold": str(LOCAL_BYTES),
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.legacy.codingErrorAction": "true",
    "spark.sql.legacy.javaCharsets": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.preserveCharVarcharTypeInfo": "false",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
}


def analysis_options(configuration: ReadableConfig) -> dict[str, str]:
    """Returns the Spark options for the translation of a query."""
    return {**_ANALYSIS_OPTIONS, "spark.sql.session.timeZone": session_time_zone(configuration)}


def spark_options(configuration: ReadableConfig) -> dict[str, str]:
    """Returns the options for Spark itself (``spark.*``) in the configuration."""
    return {key: value for key, value in configuration.to_map().items() if key.startswith("spark.")}
