"""Parses text as values (CAST of a string) with Flink's syntax, where Spark's is wider or narrower."""

from __future__ import annotations

from table_api_bridge import MAX_NATIVE_PRECISION, has_nanosecond_encoding
from table_common.types import (
    DateType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    TimeType,
)
from table_planner_spark.expressions.names import bind, to_type_sql
from table_planner_spark.expressions.temporal_encoding import native_to_nanos, truncate_native

_FRACTION = r"'^\\s*([+-]?[0-9]+)\\.[0-9]*\\s*$'"
_ISO_DATE = r"'^[0-9]{4}-[0-9]{2}-[0-9]{2}$'"
_SHORT_DATE = r"'^[0-9]{1,4}(-[0-9]{1,2}(-[0-9]{1,2})?)?$'"
_LAST_FOUR_DIGITS = r"'^[0-9]*([0-9]{4})(?=-|$)'"
_TIME = r"'^\\s*[0-9]{1,2}(:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]*)?)?)?\\s*$'"
_TIMESTAMP = r"'^\\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}( [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}([.][0-9]{1,9})?)?\\s*$'"

_OTHER_WORD = r"'^\\s*[+-]?(?!(?:Infinity|NaN)\\s*$)(?i:inf|infinity|nan)\\s*$'"
"""Words that Spark reads as numbers that are not finite, and Java, and so Flink, does not."""


def parse_floating(text: str, target: FloatType | DoubleType, lenient: bool) -> str:
    """Parses a number as Java does. The slow pattern is used only for numbers that are not finite."""
    cast = f"{'try_cast' if lenient else 'CAST'}(%s AS {to_type_sql(target)})"

    def read(x: str, number: str) -> str:
        is_other = f"(isnan({number}) OR abs({number}) = double('Infinity')) AND {x} RLIKE {_OTHER_WORD}"
        return f"if({is_other}, {_failure(x, target, lenient)}, {number})"

    return bind(text, lambda x: bind(cast % x, lambda number: read(x, number)))


def parse_integer(text: str, target: LogicalType, lenient: bool) -> str:
    """Parses an integer and truncates a fraction. The slow pattern is used only where Spark's own cast returns NULL."""
    type_sql = to_type_sql(target)
    last = "try_cast" if lenient else "CAST"
    return bind(text, lambda x: f"coalesce(try_cast({x} AS {type_sql}), {last}(regexp_replace({x}, {_FRACTION}, '$1') AS {type_sql}))")


def parse_date(text: str, lenient: bool) -> str:
    """Parses ``yyyy[-M[-d]]``, with an ignored time after a space; a year may have fewer than four digits."""
    cast = "try_cast" if lenient else "CAST"

    def read(day: str, original: str) -> str:
        padded = f"regexp_replace(concat('000', {day}), {_LAST_FOUR_DIGITS}, '$1')"
        return (
            f"CASE WHEN {day} RLIKE {_ISO_DATE} THEN {cast}({day} AS DATE) WHEN {day} RLIKE {_SHORT_DATE} THEN {cast}({padded} AS DATE) "
            f"WHEN {day} IS NOT NULL THEN {_failure(original, DateType(), lenient)} END"
        )

    return bind(f"substring_index(trim({text}), ' ', 1)", lambda day: f"({read(day, day)})")


def parse_time(text: str, target: TimeType, lenient: bool) -> str:
    """Parses ``H[:m[:s[.f]]]``; digits beyond the precision are dropped."""
    cast, type_sql = ("try_cast" if lenient else "CAST"), to_type_sql(target)

    def read(x: str) -> str:
        full, failure = f"if(instr({x}, ':') = 0, concat(trim({x}), ':00'), {x})", _failure(x, target, lenient)
        if has_nanosecond_encoding(target):
            moment = f"try_cast(concat('1970-01-01 ', trim({full})) AS TIMESTAMP_NTZ)"
            value = f"coalesce({native_to_nanos(moment, TimestampType(9))} + {finer_digits(x, target)}, {failure})"
        else:
            value = f"{cast}({full} AS {type_sql})"
        return f"(CASE WHEN {x} RLIKE {_TIME} THEN {value} WHEN {x} IS NOT NULL THEN {failure} END)"

    return bind(text, read)


def parse_timestamp(text: str, target: TimestampType | LocalZonedTimestampType, lenient: bool) -> str:
    """Parses ``yyyy-M-d[ H:m:s[.f]]`` in local time; digits beyond the precision are dropped."""
    cast = "try_cast" if lenient else "CAST"

    def native(x: str) -> str:
        local = f"{cast}({x} AS TIMESTAMP_NTZ)"
        return f"CAST({local} AS TIMESTAMP_LTZ)" if isinstance(target, LocalZonedTimestampType) else local

    def read(x: str) -> str:
        value = truncate_native(native(x), target)
        if has_nanosecond_encoding(target):
            value = f"({native_to_nanos(native(x), target)} + {finer_digits(x, target)})"
        return f"(CASE WHEN {x} RLIKE {_TIMESTAMP} THEN {value} WHEN {x} IS NOT NULL THEN {_failure(x, target, lenient)} END)"

    return bind(text, read)


def finer_digits(text: str, type_: TimeType | TimestampType | LocalZonedTimestampType) -> str:
    """Returns the nanoseconds of a text below its microseconds, truncated to the type's precision, as BIGINT."""
    digits = f"substring(regexp_extract({text}, '[.]([0-9]+)', 1), 7, {type_.precision - MAX_NATIVE_PRECISION})"
    return f"CAST(rpad({digits}, 3, '0') AS BIGINT)"


def _failure(text: str, target: LogicalType, lenient: bool) -> str:
    if lenient:
        return "NULL"
    return f"raise_error(concat('The text \\'', {text}, '\\' cannot be cast to {target.summary()}.'))"
