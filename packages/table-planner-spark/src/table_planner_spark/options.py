"""The options that the planner reads from the session's configuration."""

from __future__ import annotations

from table_common.configuration import ConfigOptions, ReadableConfig

__all__ = ["LEGACY_CASTS", "MASTER", "NOT_NULL_ENFORCER", "analysis_options", "session_time_zone", "spark_options"]

MASTER = (
    ConfigOptions.key("table.spark.master")
    .string_type()
    .default_value("local[*]")
    .with_description("Where a session that the planner starts itself runs; keys that begin with 'spark.' are handed to Spark as they are.")
)

LEGACY_CASTS = (
    ConfigOptions.key("table.exec.legacy-cast-behaviour")
    .enum_type("ENABLED", "DISABLED")
    .default_value("DISABLED")
    .with_description(
        "ENABLED: casts as they were before Flink 1.15: integers wrap around, text is neither cut nor padded, TRUE is 'true', a CAST that fails gives NULL."
    )
)

NOT_NULL_ENFORCER = (
    ConfigOptions.key("table.exec.sink.not-null-enforcer")
    .enum_type("ERROR", "DROP")
    .default_value("ERROR")
    .with_description("What happens to a row that has NULL in a NOT NULL column of the table it is written to.")
)

_TIME_ZONE = "table.local-time-zone"

# What Spark notes while it analyses a query. The planner says all of it, and never inherits what a session happens to be set to.
_ANALYSIS_OPTIONS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.caseSensitive": "true",
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


def session_time_zone(configuration: ReadableConfig) -> str:
    """Returns the session's time zone; ``default`` is the one of the machine."""
    zone = configuration.get(_TIME_ZONE, "default") or "default"
    return _machine_time_zone() if zone == "default" else zone


def analysis_options(configuration: ReadableConfig) -> dict[str, str]:
    """Returns the Spark options that hold while a query is translated."""
    return {**_ANALYSIS_OPTIONS, "spark.sql.session.timeZone": session_time_zone(configuration)}


def spark_options(configuration: ReadableConfig) -> dict[str, str]:
    """Returns what the configuration says to Spark itself."""
    return {key: value for key, value in configuration.to_map().items() if key.startswith("spark.")}


def _machine_time_zone() -> str:
    import os
    import time
    from datetime import datetime

    named = os.environ.get("TZ", "").lstrip(":")
    if "/" in named or named == "UTC":
        return named
    try:
        link = os.path.realpath("/etc/localtime")
    except OSError:
        link = ""
    if "zoneinfo/" in link:
        return link.partition("zoneinfo/")[2].removeprefix("posix/")
    if time.timezone == 0 and not time.daylight:
        return "UTC"
    offset = datetime.now().astimezone().strftime("%z")
    return f"{offset[:3]}:{offset[3:]}"
