"""Decides whether columns of Python values can become Arrow data directly, without an expression for each value."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

from table_common.data import Row
from table_common.types import (
    EXACT_INTEGERS,
    ArrayType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    RowType,
    TimestampType,
    TimeType,
)

_NONE = type(None)


def are_plain(values: Sequence[Any], data_type: LogicalType) -> bool:
    """Returns whether each value of a column is None or of a class of its type, so that Arrow converts it as a constant is converted.

    Args:
        values: the column.
        data_type: its type; nested values are checked against the element, key, value and field types.
    """
    classes = set(map(type, values)) - {_NONE}
    match data_type:
        case ArrayType():
            return classes <= {list, tuple} and are_plain(_flat(values), data_type.element_type)
        case MapType():
            if not classes <= {dict}:
                return False
            keys = _flat(values)
            items = list(chain.from_iterable(value.values() for value in values if value is not None))
            return None not in keys and are_plain(keys, data_type.key_type) and are_plain(items, data_type.value_type)
        case RowType():
            return classes <= {tuple, list, dict, Row} and _rows_are_plain([value for value in values if value is not None], data_type)
    for kind, accepted, refused, fits in _LEAVES:
        if isinstance(data_type, kind):
            is_accepted = all(issubclass(class_, accepted) and not issubclass(class_, refused) for class_ in classes)
            return is_accepted and (fits is None or fits([value for value in values if value is not None], data_type))
    return False


def _flat(values: Iterable[Any]) -> list[Any]:
    return list(chain.from_iterable(value for value in values if value is not None))


def _rows_are_plain(rows: Sequence[Any], data_type: RowType) -> bool:
    names = data_type.field_names
    cells: list[Sequence[Any]] = []
    for row in rows:
        if isinstance(row, Row) and row.get_field_names() is not None:
            row = row.as_dict()
        if isinstance(row, dict):
            if not row.keys() <= set(names):
                return False
            row = [row.get(name) for name in names]
        if len(row) != len(names):
            return False
        cells.append(row if isinstance(row, (tuple, list)) else list(row))
    columns = list(zip(*cells, strict=True)) if cells else [()] * len(names)
    return all(are_plain(column, field_type) for column, field_type in zip(columns, data_type.field_types, strict=True))


def _fits_text(values: Sequence[Any], data_type: LogicalType) -> bool:
    assert isinstance(data_type, (CharacterType, BinaryStringType))
    return max(map(len, values), default=0) <= data_type.length


def _fits_decimal(values: Sequence[Any], data_type: LogicalType) -> bool:
    assert isinstance(data_type, DecimalType)
    for value in values:
        exponent = value.as_tuple().exponent if isinstance(value, Decimal) else 0
        if not isinstance(exponent, int) or -exponent > data_type.scale:
            return False
    return True


def _has_no_zone(values: Sequence[Any], data_type: LogicalType) -> bool:
    return all(value.tzinfo is None for value in values)


def _has_zone(values: Sequence[Any], data_type: LogicalType) -> bool:
    return all(value.tzinfo is not None for value in values)


_Fits = Callable[[Sequence[Any], LogicalType], bool]
_Kinds = type[LogicalType] | tuple[type[LogicalType], ...]
_LEAVES: tuple[tuple[_Kinds, tuple[type, ...], tuple[type, ...], _Fits | None], ...] = (
    (BooleanType, (bool,), (), None),
    (EXACT_INTEGERS, (int,), (bool,), None),
    ((FloatType, DoubleType), (float, int), (bool,), None),
    (DecimalType, (Decimal, int), (bool,), _fits_decimal),
    (CharacterType, (str,), (), _fits_text),
    (BinaryStringType, (bytes, bytearray, memoryview), (), _fits_text),
    (DateType, (datetime.date,), (datetime.datetime,), None),
    (TimeType, (datetime.time,), (), _has_no_zone),
    (TimestampType, (datetime.datetime,), (), _has_no_zone),
    (LocalZonedTimestampType, (datetime.datetime,), (), _has_zone),
    (DayTimeIntervalType, (datetime.timedelta,), (), None),
)
"""By type: the classes of its values, subclasses that belong to another type, and a further check of the values, or None."""
