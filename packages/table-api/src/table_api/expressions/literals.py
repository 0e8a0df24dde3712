"""Converts Python values to constants: infers the SQL type, and converts to the representation in plans."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from table_api.expressions.unresolved import Literal
from table_common.data import nanos_of_day, nanos_of_duration, nanos_since_epoch
from table_common.exact_decimals import rounded
from table_common.exceptions import ValidationException, WrongKindException
from table_common.types import (
    EXACT_INTEGERS,
    BigIntType,
    BinaryStringType,
    BinaryType,
    BooleanType,
    CharacterType,
    CharType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DayTimeResolution,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    NullType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)

_INTEGER_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}


def literal_of(value: object, data_type: DataType | LogicalType | None = None) -> Literal:
    """Returns the constant for a Python value, of ``data_type`` or of the type inferred from its class.

    ``int`` becomes INT, BIGINT or DECIMAL by size; ``str`` CHAR(n); ``float`` DOUBLE; ``Decimal`` DECIMAL(p, s); ``bool`` BOOLEAN; ``bytes``
    BINARY(n); ``date``, ``time``, ``datetime`` DATE, TIME(p), TIMESTAMP(p) with the digits that are there, a ``datetime`` with a zone
    TIMESTAMP_LTZ(p); ``timedelta`` an interval of seconds; ``None`` NULL. All but NULL are NOT NULL.

    Raises:
        ValidationException: the class of the value has no SQL type, or the value does not match ``data_type``.
    """
    if data_type is None:
        return _inferred(value)
    wanted = data_type.logical_type if isinstance(data_type, DataType) else data_type
    if value is None:
        if not wanted.nullable:
            raise ValidationException(f"A literal of type {wanted} cannot be None.")
        return Literal(None, wanted)
    for family, convert in _CONVERSIONS:
        if isinstance(wanted, family):
            converted = convert(value, wanted)
            if converted is not None:
                return Literal(converted, wanted)
            break
    raise WrongKindException(
        f"The {type(value).__name__} {value!r} cannot be a literal of type {wanted}.", hint=f"lit({value!r}).cast(…) converts"
    )


def interval_of_nanos(nanos: int) -> Literal:
    """Returns a constant interval of ``nanos`` nanoseconds."""
    return Literal(nanos, DayTimeIntervalType(DayTimeResolution.SECOND, fractional_precision=_digits(abs(nanos)) or 3, nullable=False))


def interval_of_months(months: int) -> Literal:
    """Returns a constant interval of ``months`` months."""
    return Literal(months, YearMonthIntervalType(nullable=False))


def _inferred(value: object) -> Literal:
    # bool is an int, datetime is a date: the narrower class first.
    if value is None:
        return Literal(None, NullType())
    if isinstance(value, bool):
        return Literal(value, BooleanType(nullable=False))
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return Literal(value, DoubleType(nullable=False))
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, str):
        return Literal(value, CharType(len(value), nullable=False))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Literal(bytes(value), BinaryType(len(value), nullable=False))
    if isinstance(value, datetime.datetime):
        nanos = nanos_since_epoch(value)
        kind = TimestampType if value.tzinfo is None else LocalZonedTimestampType
        return Literal(nanos, kind(_digits(nanos), nullable=False))
    if isinstance(value, datetime.date):
        return Literal(value, DateType(nullable=False))
    if isinstance(value, datetime.time):
        return Literal(_nanos_of_time(value), TimeType(_digits(_nanos_of_time(value)), nullable=False))
    if isinstance(value, datetime.timedelta):
        return interval_of_nanos(nanos_of_duration(value))
    raise ValidationException(
        f"A value of class {type(value).__name__} has no SQL type: {value!r}.",
        hint="accepted are bool, int, float, Decimal, str, bytes, date, time, datetime, timedelta and None",
    )


def _integer(value: int) -> Literal:
    bits = value.bit_length() + 1 if value >= 0 else (-value - 1).bit_length() + 1
    if bits <= 32:
        return Literal(value, IntType(nullable=False))
    return Literal(value, BigIntType(nullable=False)) if bits <= 64 else _decimal(Decimal(value))


def _decimal(value: Decimal) -> Literal:
    if not value.is_finite():
        raise ValidationException(f"{value} is not a DECIMAL.", hint="float('nan') is a DOUBLE")
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    if precision > DecimalType.MAX_PRECISION:
        raise ValidationException(f"{value} has {precision} digits; a DECIMAL has at most {DecimalType.MAX_PRECISION}.")
    return Literal(rounded(value, 0) if exponent > 0 else value, DecimalType(precision, scale, nullable=False))


# --- conversions to a type that was given --------------------------------------------------------------------------------------------


def _as_boolean(value: object, wanted: LogicalType) -> bool | None:
    return value if isinstance(value, bool) else None


def _as_integer(value: object, wanted: LogicalType) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    half = 1 << (_INTEGER_BITS[wanted.ROOT] - 1)
    return value if -half <= value < half else None


def _as_float(value: object, wanted: LogicalType) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _as_decimal(value: object, wanted: LogicalType) -> Decimal | None:
    assert isinstance(wanted, DecimalType)
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return None
    given = _decimal(Decimal(value)).type
    assert isinstance(given, DecimalType)
    fits = given.scale <= wanted.scale and given.precision - given.scale <= wanted.precision - wanted.scale
    return rounded(Decimal(value), wanted.scale) if fits else None


def _as_text(value: object, wanted: LogicalType) -> str | None:
    assert isinstance(wanted, CharacterType)
    return value if isinstance(value, str) and len(value) <= wanted.length else None


def _as_bytes(value: object, wanted: LogicalType) -> bytes | None:
    assert isinstance(wanted, BinaryStringType)
    return bytes(value) if isinstance(value, (bytes, bytearray, memoryview)) and len(value) <= wanted.length else None


def _as_date(value: object, wanted: LogicalType) -> datetime.date | None:
    return value if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime) else None


def _as_time(value: object, wanted: LogicalType) -> int | None:
    return _within_precision(_nanos_of_time(value), wanted) if isinstance(value, datetime.time) else None


def _as_timestamp(value: object, wanted: LogicalType) -> int | None:
    if not isinstance(value, datetime.datetime) or (value.tzinfo is None) != isinstance(wanted, TimestampType):
        return None
    return _within_precision(nanos_since_epoch(value), wanted)


def _as_nanos(value: object, wanted: LogicalType) -> int | None:
    return nanos_of_duration(value) if isinstance(value, datetime.timedelta) else None


def _as_months(value: object, wanted: LogicalType) -> int | None:
    months = getattr(value, "months_total", value)
    return months if isinstance(months, int) and not isinstance(months, bool) else None


_CONVERSIONS: tuple[tuple[type[LogicalType] | tuple[type[LogicalType], ...], Callable[[object, LogicalType], Any]], ...] = (
    (BooleanType, _as_boolean),
    (EXACT_INTEGERS, _as_integer),
    ((FloatType, DoubleType), _as_float),
    (DecimalType, _as_decimal),
    (CharacterType, _as_text),
    (BinaryStringType, _as_bytes),
    (DateType, _as_date),
    (TimeType, _as_time),
    ((TimestampType, LocalZonedTimestampType), _as_timestamp),
    (DayTimeIntervalType, _as_nanos),
    (YearMonthIntervalType, _as_months),
)


def _nanos_of_time(value: datetime.time) -> int:
    if value.tzinfo is not None:
        raise ValidationException(f"A TIME has no zone, but {value!r} has one.")
    return nanos_of_day(value)


def _within_precision(nanos: int, wanted: LogicalType) -> int:
    """Truncates the value to the precision of the type, as Flink does for external values."""
    assert isinstance(wanted, (TimeType, TimestampType, LocalZonedTimestampType))
    unit: int = 10 ** (9 - wanted.precision)
    return nanos - nanos % unit


def _digits(nanos: int) -> int:
    """Returns how many digits of fractional seconds are needed."""
    return len(f"{nanos % 1_000_000_000:09d}".rstrip("0"))
