"""Arithmetic on the encodings of timestamps: microseconds in Spark's types, nanoseconds since 1970 as BIGINT beyond."""

from __future__ import annotations

from table_api_bridge import MAX_NATIVE_PRECISION, has_nanosecond_encoding
from table_common.types import LocalZonedTimestampType, LogicalType, TimestampType
from table_planner_spark.expressions.names import bind

__all__ = [
    "EPOCH",
    "instant_to_utc",
    "micros_of_interval",
    "nanos_to_native",
    "native_to_nanos",
    "to_native_timestamp",
    "truncate_native",
    "utc_to_instant",
]

EPOCH = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"


def instant_to_utc(text: str) -> str:
    """Returns a Spark TIMESTAMP as the TIMESTAMP_NTZ of its time in UTC: Spark's own arithmetic on instants is that of the session's time zone."""
    return f"({EPOCH} + unix_micros({text}) * INTERVAL '0.000001' SECOND)"


def utc_to_instant(text: str) -> str:
    """Returns the Spark TIMESTAMP of a TIMESTAMP_NTZ in UTC."""
    return f"timestamp_micros(timestampdiff(MICROSECOND, {EPOCH}, {text}))"


def micros_of_interval(text: str) -> str:
    """Returns the BIGINT microseconds of a day–time interval."""
    return f"CAST(CAST(CAST({text} AS INTERVAL SECOND) AS DECIMAL(20, 6)) * 1000000 AS BIGINT)"


def nanos_to_native(text: str, type_: LogicalType) -> str:
    """Returns the Spark timestamp of BIGINT nanoseconds, cut to microseconds."""
    micros = bind(text, lambda x: f"(({x} - pmod({x}, 1000L)) div 1000L)")
    if isinstance(type_, LocalZonedTimestampType):
        return f"timestamp_micros({micros})"
    return f"({EPOCH} + {micros} * INTERVAL '0.000001' SECOND)"


def native_to_nanos(text: str, type_: LogicalType) -> str:
    """Returns the BIGINT nanoseconds of a Spark timestamp; beyond the years 1677 to 2262 that is an overflow error."""
    if isinstance(type_, LocalZonedTimestampType):
        return f"(unix_micros({text}) * 1000L)"
    return f"(timestampdiff(MICROSECOND, {EPOCH}, {text}) * 1000L)"


def to_native_timestamp(text: str, type_: LogicalType) -> str:
    """Returns a value of a timestamp type as Spark's timestamp; other types unchanged."""
    return nanos_to_native(text, type_) if has_nanosecond_encoding(type_) else text


def truncate_native(text: str, type_: TimestampType | LocalZonedTimestampType) -> str:
    """Returns a Spark timestamp with the digits beyond the type's precision cut off."""
    if type_.precision >= MAX_NATIVE_PRECISION:
        return text
    unit = f"CAST({10.0**-type_.precision:.6f} AS DECIMAL(8, 6))"
    return bind(text, lambda x: f"({x} - (extract(SECOND FROM {x}) % {unit}) * INTERVAL '1' SECOND)")
