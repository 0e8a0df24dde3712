"""One value as text: what CAST to STRING gives, but for booleans in collections and bytes."""

from __future__ import annotations

import datetime
import math
import struct
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from table_common.data import Row, nanos_of_duration, nanosecond_of
from table_common.types import (
    ArrayType,
    BinaryStringType,
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
)


def render_value(value: Any, data_type: LogicalType) -> str | None:
    """Returns the text of a value as ``collect`` gives it; None for NULL.

    Booleans are TRUE and FALSE, decimals plain, doubles as Java writes them (``1.0E10``), timestamps with the digits of their type, arrays
    ``[1, 2]``, rows ``(a, b)``, maps ``{k=v}``, bytes ``x'0a'``; NULL inside of these is ``NULL``.
    """
    if value is None:
        return None
    for kinds, render in _RENDERERS:
        if isinstance(data_type, kinds):
            return render(value, data_type)
    return str(value)


def _boolean(value: bool, data_type: LogicalType) -> str:
    return "TRUE" if value else "FALSE"


def _decimal(value: Decimal, data_type: LogicalType) -> str:
    return format(value, "f")


def _double(value: float, data_type: LogicalType) -> str:
    return _java_number(value, repr(value))


def _float(value: float, data_type: LogicalType) -> str:
    # The fewest digits that give the same 32-bit number again.
    if not math.isfinite(value):
        return _java_number(value, "")
    narrow = struct.pack("f", value)
    digits = next((n for n in range(1, 10) if struct.pack("f", float(f"{value:.{n}g}")) == narrow), 9)
    return _java_number(value, repr(float(f"{value:.{digits}g}")))


def _java_number(value: float, digits: str) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    sign, plain, exponent = Decimal(digits).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, plain)).rstrip("0") or "0"
    magnitude = len(plain) + exponent - 1  # the power of ten of the first digit
    prefix = "-" if sign else ""
    if not -3 <= magnitude < 7:
        return f"{prefix}{text[0]}.{text[1:] or '0'}E{magnitude}"
    if magnitude < 0:
        return f"{prefix}0.{'0' * (-magnitude - 1)}{text}"
    whole = text[: magnitude + 1].ljust(magnitude + 1, "0")
    return f"{prefix}{whole}.{text[magnitude + 1 :] or '0'}"


def _bytes(value: bytes, data_type: LogicalType) -> str:
    return f"x'{value.hex()}'"


def _date(value: datetime.date, data_type: LogicalType) -> str:
    return f"{value.year:04d}-{value.month:02d}-{value.day:02d}"


def _time(value: datetime.time, data_type: LogicalType) -> str:
    precision = data_type.precision if isinstance(data_type, TimeType) else 0
    return f"{value.hour:02d}:{value.minute:02d}:{value.second:02d}{_fraction(value, precision)}"


def _timestamp(value: datetime.datetime, data_type: LogicalType) -> str:
    precision = data_type.precision if isinstance(data_type, (TimestampType, LocalZonedTimestampType)) else 6
    clock = f"{value.hour:02d}:{value.minute:02d}:{value.second:02d}"
    return f"{_date(value, data_type)} {clock}{_fraction(value, precision)}"


def _fraction(value: datetime.time | datetime.datetime, precision: int) -> str:
    return f".{f'{value.microsecond:06d}{nanosecond_of(value):03d}'[:precision]}" if precision else ""


def _interval(value: datetime.timedelta, data_type: LogicalType) -> str:
    seconds, fraction = divmod(nanos_of_duration(abs(value)), 1_000_000_000)
    digits = f"{fraction:09d}"
    while len(digits) > 3 and digits.endswith("000"):
        digits = digits[:-3]
    days, rest = divmod(seconds, 86_400)
    sign = "-" if value < datetime.timedelta() else "+"
    return f"{sign}{days} {rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}.{digits}"


def _array(value: Iterable[Any], data_type: LogicalType) -> str:
    assert isinstance(data_type, ArrayType)
    return f"[{', '.join(_inner(item, data_type.element_type) for item in value)}]"


def _map(value: dict[Any, Any], data_type: LogicalType) -> str:
    assert isinstance(data_type, MapType)
    return f"{{{', '.join(f'{_inner(k, data_type.key_type)}={_inner(v, data_type.value_type)}' for k, v in value.items())}}}"


def _multiset(value: dict[Any, int], data_type: LogicalType) -> str:
    assert isinstance(data_type, MultisetType)
    return f"{{{', '.join(f'{_inner(item, data_type.element_type)}={count}' for item, count in value.items())}}}"


def _row(value: Row | Iterable[Any], data_type: LogicalType) -> str:
    assert isinstance(data_type, RowType)
    return f"({', '.join(_inner(item, field) for item, field in zip(value, data_type.field_types, strict=True))})"


def _structured(value: Any, data_type: LogicalType) -> str:
    assert isinstance(data_type, StructuredType)
    shown = (f"{field.name}={_inner(item, field.type)}" for field, item in zip(data_type.fields, value, strict=True))
    return f"({', '.join(shown)})"


def _inner(value: Any, data_type: LogicalType) -> str:
    text = render_value(value, data_type)
    return "NULL" if text is None else text


_RENDERERS: tuple[tuple[type[LogicalType] | tuple[type[LogicalType], ...], Callable[[Any, LogicalType], str]], ...] = (
    (BooleanType, _boolean),
    (DecimalType, _decimal),
    (DoubleType, _double),
    (FloatType, _float),
    (BinaryStringType, _bytes),
    (DateType, _date),
    (TimeType, _time),
    ((TimestampType, LocalZonedTimestampType), _timestamp),
    (DayTimeIntervalType, _interval),
    (ArrayType, _array),
    (MapType, _map),
    (MultisetType, _multiset),
    (RowType, _row),
    (StructuredType, _structured),
)
