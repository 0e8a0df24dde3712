"""Formats values as Flink's print connector does: Java's text forms, which differ from CAST to STRING."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import pyarrow as pa

from table_common.json_text import double_text
from table_common.types import (
    ArrayType,
    DateType,
    DayTimeIntervalType,
    DistinctType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)

_SECOND = 1_000_000_000
_EPOCH = date(1970, 1, 1)


def column_texts(array: pa.Array, type_: LogicalType, where: str) -> list[str]:
    """Returns a text for each value; NULL is ``null``."""
    return [_text(value, type_) for value in array]


def _text(scalar: Any, type_: LogicalType) -> str:
    if isinstance(scalar, pa.ExtensionScalar):
        scalar = scalar.value if scalar.is_valid else None
    if scalar is None or not scalar.is_valid:
        return "null"
    match type_:
        case DistinctType():
            return _text(scalar, type_.source_type)
        case RowType() | StructuredType():
            cells = ", ".join(_text(scalar[i], field.type) for i, field in enumerate(type_.fields))
            return f"+I[{cells}]" if isinstance(type_, RowType) else f"({cells})"
        case ArrayType():
            return f"[{', '.join(_text(item, type_.element_type) for item in scalar.values)}]"
        case MapType() | MultisetType():
            return _map_text(scalar, type_)
        case TimestampType() | LocalZonedTimestampType():
            nanos = scalar.value * (1000 if scalar.type.unit == "us" else 1)
            days, rest = divmod(nanos, 86_400 * _SECOND)
            zone = "Z" if isinstance(type_, LocalZonedTimestampType) else ""
            # Java's Instant always shows seconds, LocalDateTime only those that are not zero.
            return f"{_EPOCH + timedelta(days=days)}T{_clock(rest, bool(zone))}{zone}"
        case TimeType():
            return _clock(scalar.value * (1000 if scalar.type.unit == "us" else 1), False)
        case DateType():
            return str(_EPOCH + timedelta(days=scalar.value))
        case YearMonthIntervalType():
            return _period(_integer(scalar))
        case DayTimeIntervalType():
            return _duration(_integer(scalar), scalar.type)
    return _plain(scalar)


def _map_text(scalar: Any, type_: MapType | MultisetType) -> str:
    key_type = type_.key_type if isinstance(type_, MapType) else type_.element_type
    entries = scalar.values
    cells = []
    for entry in entries:
        key, value = entry[0], entry[1]
        cells.append(f"{_text(key, key_type)}={_text(value, type_.value_type) if isinstance(type_, MapType) else value.as_py()}")
    return f"{{{', '.join(cells)}}}"


def _plain(scalar: Any) -> str:
    value = scalar.as_py()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return double_text(str(scalar.cast(pa.string()).as_py()) if pa.types.is_float32(scalar.type) else repr(value))
    if isinstance(value, bytes):
        return f"[{', '.join(str(byte - 256 if byte > 127 else byte) for byte in value)}]"
    assert not isinstance(value, (datetime, date, time))
    return str(value)


def _integer(scalar: Any) -> int:
    return int(scalar.value if hasattr(scalar, "value") else scalar.as_py())


def _fraction(nanos: int) -> str:
    """Returns the fraction with three, six or nine digits."""
    digits = f"{nanos:09}"
    for keep in (3, 6):
        if not digits[keep:].strip("0"):
            return digits[:keep]
    return digits


def _clock(nanos: int, with_seconds: bool) -> str:
    seconds, rest = divmod(nanos, _SECOND)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}"
    if seconds % 60 or rest or with_seconds:
        text += f":{seconds % 60:02}"
    return f"{text}.{_fraction(rest)}" if rest else text


def _period(months: int) -> str:
    sign = -1 if months < 0 else 1
    years, rest = divmod(abs(months), 12)
    text = (f"{sign * years}Y" if years else "") + (f"{sign * rest}M" if rest else "")
    return f"P{text or '0D'}"


def _duration(count: int, type_: pa.DataType) -> str:
    unit = getattr(type_, "unit", "ms")
    nanos = count * {"s": _SECOND, "ms": 1_000_000, "us": 1000, "ns": 1}[unit]
    sign = "-" if nanos < 0 else ""
    seconds, rest = divmod(abs(nanos), _SECOND)
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    text = (f"{sign}{hours}H" if hours else "") + (f"{sign}{minutes}M" if minutes else "")
    if seconds or rest:
        text += f"{sign}{seconds}" + (f".{rest:09}".rstrip("0") if rest else "") + "S"
    return f"PT{text or '0S'}"
