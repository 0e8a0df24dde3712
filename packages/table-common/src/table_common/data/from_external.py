"""Functions from a program's values to internal structures: one for each type, made once and called for each value."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from typing import Any, NamedTuple

from table_common.data.conversion_error import ValueMismatch
from table_common.data.decimal import DecimalData
from table_common.data.numpy_values import date_time_nanos, duration_nanos, is_numpy
from table_common.data.string import StringData
from table_common.data.time_interval import IntervalData, TimeData, interval_precision
from table_common.data.timestamp import TimestampData
from table_common.exceptions import TableError
from table_common.types.logical import (
    BigIntType,
    BinaryType,
    BitmapType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
)
from table_common.types.period import Period

Convert = Callable[[Any], Any]
"""From one value that is not None to another."""

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_DAY_NANOS = 86_400_000_000_000
_BITS: dict[type[LogicalType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}


class Surroundings(NamedTuple):
    """The options of a conversion besides the type."""

    time_zone: tzinfo
    """The zone of a ``datetime`` without zone that is used as an instant, and of returned instants."""
    serializers: Mapping[str, Any]
    """Class names of RAW types → their serializers."""


def leaf_from_external(type_: LogicalType, around: Surroundings) -> Convert | None:
    """Returns the function for a type without types inside; None for the others. It raises ``ValueMismatch``."""
    make = _MAKERS.get(type(type_))
    return None if make is None else make(type_, around)


def _refused(value: object, type_: LogicalType, accepted: str) -> ValueMismatch:
    return ValueMismatch(value, type_, f"it takes {accepted}")


def _boolean(type_: LogicalType, around: Surroundings) -> Convert:
    def convert(value: Any) -> bool:
        if type(value) is bool:
            return value
        if is_numpy(value) and type(value).__name__.startswith("bool"):
            return bool(value)
        raise _refused(value, type_, "bool")

    return convert


def whole(value: Any, type_: LogicalType, bits: int) -> int:
    """Returns an integer of at most ``bits`` bits, also one of numpy and of a subclass; a truth value is none.

    Raises:
        ValueMismatch: the value is not an integer, or has more bits.
    """
    if type(value) is not int:
        number = value.item() if is_numpy(value) and hasattr(value, "dtype") and value.dtype.kind in "iu" else value
        if isinstance(number, bool) or not isinstance(number, int):
            raise _refused(value, type_, "int")
        value = int(number)
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise ValueMismatch(value, type_, f"it does not fit into {bits} bits")
    result: int = value
    return result


def _integer(type_: LogicalType, around: Surroundings) -> Convert:
    bits = _BITS[type(type_)]
    low, high = -(1 << (bits - 1)), 1 << (bits - 1)
    return lambda value: value if type(value) is int and low <= value < high else whole(value, type_, bits)


def _double(type_: LogicalType, around: Surroundings) -> Convert:
    def convert(value: Any) -> float:
        if type(value) is float:
            return value
        number = value.item() if is_numpy(value) and hasattr(value, "dtype") and value.dtype.kind in "fiu" else value
        if isinstance(number, bool) or not isinstance(number, (float, int)):
            raise _refused(value, type_, "float or int")
        try:
            return float(number)
        except OverflowError:
            raise ValueMismatch(value, type_, "it is too large") from None

    return convert


def _float(type_: LogicalType, around: Surroundings) -> Convert:
    as_double = _double(type_, around)
    four_bytes = struct.Struct("<f")  # the native format would make an infinity of what is too large

    def convert(value: Any) -> float:
        try:
            result: float = four_bytes.unpack(four_bytes.pack(as_double(value)))[0]
        except OverflowError:
            raise ValueMismatch(value, type_, "it is too large") from None
        return result

    return convert


def _decimal(type_: LogicalType, around: Surroundings) -> Convert:
    assert isinstance(type_, DecimalType)
    precision, scale = type_.precision, type_.scale

    def convert(value: Any) -> DecimalData:
        number = value
        if isinstance(value, DecimalData):
            if value.precision == precision and value.scale == scale:
                return value
            number = value.to_big_decimal()
        elif isinstance(value, int) and not isinstance(value, bool):
            number = Decimal(value)
        elif not isinstance(value, Decimal):
            raise _refused(value, type_, "Decimal or int")
        result = DecimalData._exactly(number, precision, scale)
        if result is None:
            raise ValueMismatch(value, type_, f"it needs more digits than {precision - scale} before and {scale} after the point")
        return result

    return convert


def _text(type_: LogicalType, around: Surroundings) -> Convert:
    takes_bytes = not isinstance(type_, VariantType)

    def convert(value: Any) -> StringData:
        if isinstance(value, StringData):
            return value
        try:
            if isinstance(value, str):
                return StringData.from_string(value)
            if takes_bytes and isinstance(value, bytes):
                return StringData.from_bytes(value)
        except TableError as error:
            raise ValueMismatch(value, type_, error.message.rstrip(".")) from None
        raise _refused(value, type_, "str or UTF-8 bytes" if takes_bytes else "str")

    return convert


def _binary(type_: LogicalType, around: Surroundings) -> Convert:
    def convert(value: Any) -> bytes:
        if type(value) is bytes:
            return value
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value)
        raise _refused(value, type_, "bytes, bytearray or memoryview")

    return convert


def _date(type_: LogicalType, around: Surroundings) -> Convert:
    def convert(value: Any) -> int:
        if isinstance(value, date) and not isinstance(value, datetime):
            return value.toordinal() - _EPOCH_ORDINAL
        if is_numpy(value) and type(value).__name__ == "datetime64":
            days, rest = divmod(_nanos(value, type_), _DAY_NANOS)
            if rest:
                raise ValueMismatch(value, type_, "it has a time of day")
            return whole(days, type_, 32)
        if isinstance(value, int) and not isinstance(value, bool):
            return whole(value, type_, 32)
        raise _refused(value, type_, "date, numpy.datetime64 or int (days since 1970-01-01)")

    return convert


def _nanos(value: Any, type_: LogicalType) -> int:
    try:
        nanos = duration_nanos(value) if type(value).__name__ == "timedelta64" else date_time_nanos(value)
    except ValueError as error:
        raise ValueMismatch(value, type_, str(error)) from None
    if nanos is None:
        raise ValueMismatch(value, type_, "it is not a time (NaT); NULL is None")
    return nanos


def _unit_nanos(precision: int) -> int:
    """Returns how many nanoseconds an ``int`` counts: milliseconds up to a precision of 3, nanoseconds above."""
    return 1_000_000 if precision <= 3 else 1


def _time(type_: LogicalType, around: Surroundings) -> Convert:
    assert isinstance(type_, TimeType)
    step, unit, compact = 10 ** (9 - type_.precision), _unit_nanos(type_.precision), TimeData.is_compact(type_.precision)

    def convert(value: Any) -> int | TimeData:
        if isinstance(value, time):
            if value.tzinfo is not None:
                raise ValueMismatch(value, type_, "it has a time zone")
            nanos = TimeData.from_local_time(value).to_nanos()
        elif isinstance(value, TimeData):
            nanos = value.to_nanos()
        elif isinstance(value, int) and not isinstance(value, bool):
            nanos = value * unit
            if not 0 <= nanos < _DAY_NANOS:
                raise ValueMismatch(value, type_, "it is not within a day")
        else:
            raise _refused(value, type_, "time or int (milliseconds of the day up to precision 3, nanoseconds above)")
        nanos -= nanos % step
        return nanos // 1_000_000 if compact else TimeData._of(nanos)

    return convert


def _timestamp(type_: LogicalType, around: Surroundings) -> Convert:
    assert isinstance(type_, (TimestampType, LocalZonedTimestampType))
    is_instant = isinstance(type_, LocalZonedTimestampType)
    precision, unit, zone = type_.precision, _unit_nanos(type_.precision), around.time_zone

    def moment(value: Any) -> TimestampData:
        if isinstance(value, datetime):
            if is_instant:
                return TimestampData.from_instant(value if value.tzinfo is not None else value.replace(tzinfo=zone))
            if value.tzinfo is not None:
                raise ValueMismatch(value, type_, "it has a time zone; TIMESTAMP_LTZ takes such values")
            return TimestampData._from_fields(value)
        if isinstance(value, TimestampData):
            return value
        if is_numpy(value) and type(value).__name__ == "datetime64":
            nanos = _nanos(value, type_)
        elif isinstance(value, int) and not isinstance(value, bool):
            nanos = whole(value, type_, 64) * unit
        else:
            unit_text = "int (milliseconds since 1970-01-01 up to precision 3, nanoseconds above)"
            raise _refused(value, type_, f"datetime, numpy.datetime64 or {unit_text}")
        return TimestampData.from_epoch_millis(nanos // 1_000_000, nanos % 1_000_000)

    if precision >= 9:
        return moment
    if precision >= 3:
        step = 10 ** (9 - precision)

        def cut(value: Any) -> TimestampData:
            result = moment(value)
            rest = result._nano % step
            return TimestampData._of(result._millisecond, result._nano - rest) if rest else result

        return cut
    step = 10 ** (3 - precision)

    def cut_millis(value: Any) -> TimestampData:
        millis = moment(value)._millisecond
        return TimestampData._of(millis - millis % step, 0)

    return cut_millis


def _interval(type_: LogicalType, around: Surroundings) -> Convert:
    assert isinstance(type_, DayTimeIntervalType)
    precision = interval_precision(type_)
    unit, compact = _unit_nanos(precision), IntervalData.is_compact(precision)

    def convert(value: Any) -> int | IntervalData:
        if isinstance(value, timedelta):
            nanos = IntervalData.from_duration(value).to_nanos()
        elif isinstance(value, IntervalData):
            nanos = value.to_nanos()
        elif is_numpy(value) and type(value).__name__ == "timedelta64":
            nanos = _nanos(value, type_)
        elif isinstance(value, int) and not isinstance(value, bool):
            nanos = whole(value, type_, 64) * unit
        else:
            raise _refused(value, type_, "timedelta, numpy.timedelta64 or int (milliseconds up to precision 3, nanoseconds above)")
        if compact:
            # Towards zero, as everywhere that an interval loses digits.
            return nanos // 1_000_000 if nanos >= 0 else -(-nanos // 1_000_000)
        return IntervalData.from_nanos(nanos)

    return convert


def _period(type_: LogicalType, around: Surroundings) -> Convert:
    def convert(value: Any) -> int:
        if isinstance(value, Period):
            return whole(value.months_total, type_, 32)
        if isinstance(value, int) and not isinstance(value, bool):
            return whole(value, type_, 32)
        raise _refused(value, type_, "Period or int (months)")

    return convert


_MAKERS: dict[type[LogicalType], Callable[[LogicalType, Surroundings], Convert]] = {
    BooleanType: _boolean,
    TinyIntType: _integer,
    SmallIntType: _integer,
    IntType: _integer,
    BigIntType: _integer,
    FloatType: _float,
    DoubleType: _double,
    DecimalType: _decimal,
    CharType: _text,
    VarCharType: _text,
    VariantType: _text,
    BinaryType: _binary,
    VarBinaryType: _binary,
    BitmapType: _binary,
    DateType: _date,
    TimeType: _time,
    TimestampType: _timestamp,
    LocalZonedTimestampType: _timestamp,
    DayTimeIntervalType: _interval,
    YearMonthIntervalType: _period,
}
