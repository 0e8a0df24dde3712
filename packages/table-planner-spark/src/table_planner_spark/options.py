"""The options of Spark that follow from the session's configuration."""

from __future__ import annotations

from table_common.configuration import ReadableConfig, session_time_zone

__all__ = ["analysis_options", "spark_options"]

# What Spark notes while it analyses a query. The planner says all of it, and never inherits what a session happens to be set to.
_ANALYSIS_OPTIONS = {
    "spark.sql.analyzer.maxIterations": "500",  # dates and lambdas take one or more for each level of an expression
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.caseSensitive": "true",
    "spark.sql.chunkBase64String.enabled": "false",
    "spark.sql.crossJoin.enabled": "true",
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
    """Returns the Spark options that hold while a query is translated."""
    return {**_ANALYSIS_OPTIONS, "spark.sql.session.timeZone": session_time_zone(configuration)}


def spark_options(configuration: ReadableConfig) -> dict[str, str]:
    """Returns what the configuration says to Spark itself."""
    return {key: value for key, value in configuration.to_map().items() if key.startswith("spark.")}
