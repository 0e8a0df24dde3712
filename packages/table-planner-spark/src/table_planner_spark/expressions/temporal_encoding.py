"""Converts between the encodings of times: Spark's types up to microseconds, beyond them BIGINT nanoseconds since 1970 (TIME: since midnight)."""

from __future__ import annotations

from table_api_bridge import MAX_NATIVE_PRECISION, has_nanosecond_encoding
from table_common.types import LocalZonedTimestampType, LogicalType, TimestampType, TimeType
from table_planner_spark.expressions.names import bind
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.spark_internals import SPARK_VERSION

EPOCH = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"
DAY_NANOS = "86400000000000L"
_FINEST_LOCAL = TimestampType(9)


def instant_to_utc(text: str) -> str:
    """Returns a Spark TIMESTAMP as its local time in UTC (TIMESTAMP_NTZ); Spark's own arithmetic on instants uses the session's time zone."""
    return f"({EPOCH} + unix_micros({text}) * INTERVAL '0.000001' SECOND)"


def utc_to_instant(text: str) -> str:
    """Returns the Spark TIMESTAMP of a TIMESTAMP_NTZ in UTC."""
    return f"timestamp_micros({micros_of_local(text)})"


def micros_of_interval(text: str) -> str:
    """Returns the BIGINT microseconds of a day–time interval."""
    return f"CAST(CAST(CAST({text} AS INTERVAL SECOND) AS DECIMAL(20, 6)) * 1000000 AS BIGINT)"


def micros_of_local(text: str) -> str:
    """Returns the BIGINT microseconds from 1970-01-01 00:00 to a TIMESTAMP_NTZ.

    Spark's timestampdiff would convert both through the session's time zone, where some local times do not exist.
    """
    return micros_of_interval(f"({text} - {EPOCH})")


def months_between(earlier: str, later: str) -> str:
    """Returns the whole months between two TIMESTAMP_NTZ as BIGINT; from the last day of a month to the last day of the next is one."""

    def whole(a: str, b: str) -> str:
        count = f"CAST((year({b}) - year({a})) * 12 + month({b}) - month({a}) AS INT)"
        return bind(
            count,
            lambda k: (
                f"CAST(CASE WHEN {b} >= {a} THEN {k} - if({a} + make_ym_interval(0, {k}) > {b}, 1, 0) "
                f"ELSE {k} + if({b} + make_ym_interval(0, - {k}) > {a}, 1, 0) END AS BIGINT)"
            ),
        )

    return bind(earlier, lambda a: bind(later, lambda b: whole(a, b)))


def nanos_to_native(text: str, type_: LogicalType) -> str:
    """Returns BIGINT nanoseconds as a Spark timestamp (TIME: as a Spark time), truncated to microseconds."""
    micros = bind(text, lambda x: f"(({x} - pmod({x}, 1000L)) div 1000L)")
    if isinstance(type_, LocalZonedTimestampType):
        return f"timestamp_micros({micros})"
    local = f"({EPOCH} + {micros} * INTERVAL '0.000001' SECOND)"
    return time_of_local(local, MAX_NATIVE_PRECISION) if isinstance(type_, TimeType) else local


def time_of_local(text: str, precision: int) -> str:
    """Returns the TIME of day of a TIMESTAMP_NTZ, truncated to a precision of at most 6."""
    if SPARK_VERSION >= (4, 3):
        return f"CAST({text} AS TIME({precision}))"
    return bind(text, lambda x: f"CAST(make_time(hour({x}), minute({x}), extract(SECOND FROM {x})) AS TIME({precision}))")


def native_to_nanos(text: str, type_: LogicalType) -> str:
    """Returns a Spark timestamp or time as BIGINT nanoseconds; outside the years 1677 to 2262 it fails with an overflow."""
    if isinstance(type_, LocalZonedTimestampType):
        return f"(unix_micros({text}) * 1000L)"
    moment = f"make_timestamp_ntz(DATE'1970-01-01', {text})" if isinstance(type_, TimeType) else text
    return f"({micros_of_local(moment)} * 1000L)"


def to_nanos(text: str, type_: LogicalType) -> str:
    """Returns the BIGINT nanoseconds of a value of a timestamp or time type."""
    return text if has_nanosecond_encoding(type_) else native_to_nanos(text, type_)


def to_native_timestamp(text: str, type_: LogicalType) -> str:
    """Returns a value of a timestamp type as Spark's timestamp; other types unchanged."""
    return nanos_to_native(text, type_) if has_nanosecond_encoding(type_) else text


def convert_nanos(text: str, source: LogicalType, target: TimeType | TimestampType | LocalZonedTimestampType) -> str:
    """Converts BIGINT nanoseconds of one type to those of another, truncated to its precision."""
    if isinstance(source, LocalZonedTimestampType) and not isinstance(target, LocalZonedTimestampType):
        text = bind(text, lambda x: _with_digits_of(x, f"CAST({nanos_to_native(x, source)} AS TIMESTAMP_NTZ)", _FINEST_LOCAL))
    elif isinstance(target, LocalZonedTimestampType) and not isinstance(source, LocalZonedTimestampType):
        text = bind(text, lambda x: _with_digits_of(x, f"CAST({nanos_to_native(x, _FINEST_LOCAL)} AS TIMESTAMP_LTZ)", target))
    if isinstance(target, TimeType) and not isinstance(source, TimeType):
        text = f"pmod({text}, {DAY_NANOS})"
    unit = 10 ** (9 - target.precision)
    return bind(text, lambda x: f"({x} - pmod({x}, {unit}L))") if unit > 1 else text


def _with_digits_of(nanos: str, native: str, type_: LogicalType) -> str:
    return f"({native_to_nanos(native, type_)} + pmod({nanos}, 1000L))"


def native_pair(earlier: tuple[str, str], later: tuple[str, str]) -> tuple[str, str]:
    """Returns two native timestamps whose difference is that of the nanoseconds, truncated towards zero to microseconds.

    Each argument is a pair: the native timestamp, rounded down, and the BIGINT nanoseconds.
    """
    (a, a_nanos), (b, b_nanos) = earlier, later
    one = "INTERVAL '0.000001' SECOND"
    return (
        f"({a} - if({a_nanos} > {b_nanos} AND pmod({a_nanos}, 1000L) < pmod({b_nanos}, 1000L), 1, 0) * {one})",
        f"({b} - if({a_nanos} < {b_nanos} AND pmod({a_nanos}, 1000L) > pmod({b_nanos}, 1000L), 1, 0) * {one})",
    )


def truncate_native(text: str, type_: TimestampType | LocalZonedTimestampType) -> str:
    """Returns a Spark timestamp truncated to the type's precision."""
    if type_.precision >= MAX_NATIVE_PRECISION:
        return text
    unit = 10 ** (MAX_NATIVE_PRECISION - type_.precision)
    if isinstance(type_, LocalZonedTimestampType):
        return bind(text, lambda x: f"timestamp_micros(unix_micros({x}) - pmod(unix_micros({x}), {unit}L))")
    if SPARK_VERSION < (4, 3) or current_scope().avoids_time:  # it has no TIME, or no cast to it
        micros = "CAST(extract(SECOND FROM {x}) * 1000000 AS BIGINT)"
        return bind(text, lambda x: f"({x} - pmod({micros.format(x=x)}, {unit}L) * INTERVAL '0.000001' SECOND)")
    return bind(text, lambda x: f"make_timestamp_ntz(CAST({x} AS DATE), {time_of_local(x, type_.precision)})")
