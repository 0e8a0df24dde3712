"""Constants as SQL text that the parser reads back to the same value and type.

A CAST is written only where the bare constant would have another type. Whether the type is nullable is not in the text: a constant that
is not NULL is NOT NULL.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

from table_common.exceptions import ValidationException
from table_common.types.logical import (
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DescriptorType,
    DistinctType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    NullType,
    SmallIntType,
    SymbolType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
    quote_identifier,
    quote_string,
)

_SECOND = 1_000_000_000
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


def literal_to_sql(value: Any, type_: LogicalType) -> str:
    """Returns the SQL text of a constant; ``ValueLiteralExpression`` says which Python value each type has.

    Raises:
        ValidationException: Constants of the type cannot be written in SQL, such as RAW.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> literal_to_sql(7, IntType(nullable=False)), literal_to_sql(7, BigIntType(nullable=False))
        ('7', 'CAST(7 AS BIGINT)')
    """
    if isinstance(type_, NullType):
        return "NULL"
    if value is None:
        return f"CAST(NULL AS {_type_text(type_)})"
    if isinstance(type_, DistinctType):
        return literal_to_sql(value, type_.source_type)
    write = _WRITERS.get(type(type_))
    if write is None:
        raise ValidationException(f"A constant of the type {type_} cannot be written in SQL.")
    return write(value, type_)


def _type_text(type_: LogicalType) -> str:
    # STRING and BYTES rather than VARCHAR(2147483647): this text is shown in plans.
    return type_.summary() if isinstance(type_, (VarCharType, VarBinaryType)) else type_.with_nullability(True).serializable()


def _cast(text: str, type_: LogicalType) -> str:
    return f"CAST({text} AS {_type_text(type_)})"


def _boolean(value: bool, _: BooleanType) -> str:
    return "TRUE" if value else "FALSE"


def _int(value: int, _: IntType) -> str:
    return str(value)


def _small_integer(value: int, type_: LogicalType) -> str:
    return _cast(str(value), type_)


def _bigint(value: int, type_: BigIntType) -> str:
    if -(2**31) <= value < 2**31:
        return _cast(str(value), type_)
    # The digits of the least value alone are too many for a BIGINT: the minus sign is not part of a number.
    return _cast(quote_string(str(value)), type_) if value == -(2**63) else str(value)


def _decimal(value: Decimal, type_: DecimalType) -> str:
    text = format(value, "f")
    _, digits, exponent = value.as_tuple()
    whole = abs(int(value))
    if whole >= 2**63:
        # A number with that many digits is not read as a number.
        return _cast(quote_string(text), type_)
    # Digits count from the first that is not zero, so that numbers below 1 have fewer than they seem.
    if isinstance(exponent, int) and whole and type_.scale > 0 and (len(digits), -exponent) == (type_.precision, type_.scale):
        return text
    return _cast(text, type_)


def _float(value: float, type_: FloatType) -> str:
    if math.isfinite(value):
        return _cast(_double_text(value), type_)
    return _cast(_cast(quote_string(_NOT_FINITE[repr(value)]), DoubleType()), type_)


_NOT_FINITE = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


def _double(value: float, type_: DoubleType) -> str:
    return _double_text(value) if math.isfinite(value) else _cast(quote_string(_NOT_FINITE[repr(float(value))]), type_)


def _double_text(value: float) -> str:
    # Only with an exponent it is a DOUBLE and no DECIMAL.
    text = repr(float(value))
    return text.replace("e+", "e").upper() if "e" in text else f"{text}E0"


def _char(value: str, type_: CharType) -> str:
    return quote_string(value) if len(value) == type_.length else _cast(quote_string(value), type_)


def _varchar(value: str, type_: VarCharType) -> str:
    return _cast(quote_string(value), type_)


def _binary(value: bytes, type_: BinaryType) -> str:
    text = f"X'{bytes(value).hex().upper()}'"
    return text if len(value) == type_.length else _cast(text, type_)


def _varbinary(value: bytes, type_: VarBinaryType) -> str:
    return _cast(f"X'{bytes(value).hex().upper()}'", type_)


def _date(value: date, _: DateType) -> str:
    return f"DATE '{value.isoformat()}'"


def _time_of_day(nanoseconds: int, precision: int) -> str:
    seconds, fraction = divmod(nanoseconds, _SECOND)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{fraction:09d}"[: len(text) + 1 + precision] if precision else text


def _time(value: int, type_: TimeType) -> str:
    return f"TIME '{_time_of_day(value, type_.precision)}'"


def _timestamp(value: int, type_: TimestampType) -> str:
    days, rest = divmod(value, _DAY)
    try:
        day = date.fromordinal(_EPOCH_ORDINAL + days).isoformat()
    except (ValueError, OverflowError) as error:
        raise ValidationException("A TIMESTAMP constant is outside of the years 1 to 9999.") from error
    return f"TIMESTAMP '{day} {_time_of_day(rest, type_.precision)}'"


def _timestamp_ltz(value: int, type_: LocalZonedTimestampType) -> str:
    # A text with date and time would be read in the session's time zone; milliseconds are the same moment in every zone.
    millis, rest = divmod(value, 1_000_000)
    text = f"TO_TIMESTAMP_LTZ({millis}, 3)"
    if type_.precision != 3:
        text = _cast(text, type_)
    return f"({text} + INTERVAL '0.{rest:09d}' SECOND(1, 9))" if rest else text


def _year_month(value: int, type_: YearMonthIntervalType) -> str:
    sign, months = ("-" if value < 0 else ""), abs(value)
    match type_.resolution.value:
        case "YEAR" if months % 12 == 0:
            years = months // 12
            return f"INTERVAL '{sign}{years}' YEAR{_digits(years)}"
        case "MONTH":
            return f"INTERVAL '{sign}{months}' MONTH{_digits(months)}"
        case _:
            years = months // 12
            return f"INTERVAL '{sign}{years}-{months % 12}' YEAR{_digits(years)} TO MONTH"


def _digits(number: int) -> str:
    """Returns the precision that a field needs beyond its two digits."""
    return f"({len(str(number))})" if number > 99 else ""


_UNITS = (("DAY", _DAY), ("HOUR", _HOUR), ("MINUTE", _MINUTE), ("SECOND", _SECOND))


def _day_time(value: int, type_: DayTimeIntervalType) -> str:
    sign, nanoseconds = ("-" if value < 0 else ""), abs(value)
    for unit, size in _UNITS:
        number, rest = divmod(nanoseconds, size)
        if rest == 0 and number <= 99 and (number or unit == "SECOND"):
            return f"INTERVAL '{sign}{number}' {unit}"
    days, rest = divmod(nanoseconds, _DAY)
    fraction = rest % _SECOND
    digits = 0 if fraction == 0 else 3 if fraction % 1_000_000 == 0 else 6 if fraction % 1000 == 0 else 9
    seconds = f"({digits})" if digits else ""
    return f"INTERVAL '{sign}{days} {_time_of_day(rest, digits)}' DAY{_digits(days)} TO SECOND{seconds}"


def _symbol(value: Enum | str, _: SymbolType) -> str:
    if isinstance(value, Enum):
        return value.value if isinstance(value.value, str) else value.name
    return value


def _descriptor(value: Any, _: DescriptorType) -> str:
    return f"DESCRIPTOR({', '.join(quote_identifier(str(name)) for name in value)})"


_WRITERS: dict[type[LogicalType], Callable[[Any, Any], str]] = {
    BooleanType: _boolean,
    TinyIntType: _small_integer,
    SmallIntType: _small_integer,
    IntType: _int,
    BigIntType: _bigint,
    FloatType: _float,
    DoubleType: _double,
    DecimalType: _decimal,
    CharType: _char,
    VarCharType: _varchar,
    BinaryType: _binary,
    VarBinaryType: _varbinary,
    DateType: _date,
    TimeType: _time,
    TimestampType: _timestamp,
    LocalZonedTimestampType: _timestamp_ltz,
    YearMonthIntervalType: _year_month,
    DayTimeIntervalType: _day_time,
    SymbolType: _symbol,
    DescriptorType: _descriptor,
}
