"""Writes constants as Spark SQL with their exact types."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from enum import Enum

from table_api_bridge import has_nanosecond_encoding
from table_common.exceptions import TableException
from table_common.expressions import ValueLiteralExpression
from table_common.types import (
    BigIntType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    YearMonthIntervalType,
)
from table_planner_spark.expressions.names import quote_text, to_type_sql

_SUFFIXES = {TinyIntType: "Y", SmallIntType: "S", IntType: "", BigIntType: "L"}
_EPOCH = datetime.datetime(1970, 1, 1)


def to_spark_literal(literal: ValueLiteralExpression) -> str:
    """Returns a constant; NULL is cast to its type.

    Raises:
        TableException: constants of the type cannot be written.
    """
    value, type_ = literal.value, literal.output_type
    if value is None:
        return f"CAST(NULL AS {to_type_sql(type_)})"
    if isinstance(value, Enum):  # a keyword: the function that takes it reads the argument itself
        return quote_text(value.name)
    match type_:
        case BooleanType():
            return "true" if value else "false"
        case TinyIntType() | SmallIntType() | IntType() | BigIntType():
            return _signed(f"{value}{_SUFFIXES[type(type_)]}")
        case FloatType() | DoubleType():
            return _floating(float(value), to_type_sql(type_))
        case DecimalType():
            return f"CAST('{Decimal(value):f}' AS {to_type_sql(type_)})"
        case CharacterType():
            return quote_text(value)
        case BinaryStringType():
            return f"X'{bytes(value).hex()}'"
        case DateType():
            return f"DATE'{value.isoformat()}'"
        case TimeType() | TimestampType() | LocalZonedTimestampType() if has_nanosecond_encoding(type_):
            return _signed(f"{value}L")
        case TimeType():
            return f"CAST(TIME'{_time_of_day(value)}' AS {to_type_sql(type_)})"
        case TimestampType():
            return _timestamp(value // 1000)
        case LocalZonedTimestampType():
            return f"timestamp_micros({value // 1000}L)"
        case YearMonthIntervalType():
            return f"make_ym_interval(0, {value})"
        case DayTimeIntervalType():
            return day_time_interval(value // 1000)
        case _:
            raise TableException(f"Spark cannot run a constant of type {type_}.")


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _floating(value: float, type_sql: str) -> str:
    if math.isnan(value):
        text = "NaN"
    elif math.isinf(value):
        text = "Infinity" if value > 0 else "-Infinity"
    else:
        text = repr(value)
    return f"CAST('{text}' AS {type_sql})"


def _time_of_day(nanoseconds: int) -> str:
    micros = nanoseconds // 1000
    seconds, fraction = divmod(micros, 1_000_000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:06d}"


def _timestamp(micros: int) -> str:
    try:
        moment = _EPOCH + datetime.timedelta(microseconds=micros)
    except OverflowError:  # beyond the years that Python knows
        return f"(TIMESTAMP_NTZ'1970-01-01 00:00:00' + {day_time_interval(micros)})"
    return f"TIMESTAMP_NTZ'{moment.isoformat(sep=' ', timespec='microseconds')}'"


def day_time_interval(micros: int) -> str:
    """Returns an interval of a number of microseconds.

    Raises:
        TableException: Spark has no interval that long.
    """
    if abs(micros) >= 1 << 63:
        raise TableException("Spark supports intervals of at most 106751991 days, but a constant of the query is longer.")
    sign = "-" if micros < 0 else ""
    seconds, fraction = divmod(abs(micros), 1_000_000)
    days, seconds = divmod(seconds, 86_400)
    return f"INTERVAL '{sign}{days} {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:06d}' DAY TO SECOND"
