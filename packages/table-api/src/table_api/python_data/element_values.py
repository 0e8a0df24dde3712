"""Brings the Python values of ``from_elements`` to the declared scale, and rows written as expressions to their cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from table_api.expressions.node_holder import NodeHolder, built_in
from table_api.expressions.unresolved import Call
from table_api.python_data.element_rows import field_names
from table_common.data import Row
from table_common.exact_decimals import rounded
from table_common.types import ArrayType, DateType, DecimalType, LocalZonedTimestampType, LogicalType, MapType, RowType


def cells_of_row_expression(element: object) -> list[NodeHolder] | None:
    """Returns the cells of a row that is written as ``row(1, 'a')``; None for other elements."""
    if not isinstance(element, NodeHolder):
        return None
    tree = element.unresolved
    return [type(element)(cell) for cell in tree.args] if isinstance(tree, Call) and tree.function is built_in("ROW") else None


def scaled_columns(rows: Sequence[Sequence[Any]], types: Sequence[LogicalType]) -> Sequence[Sequence[Any]]:
    """Returns the rows with the decimals of each column rounded to its type's scale, as PyFlink does; the rows themselves if nothing changes."""
    positions = [position for position, type_ in enumerate(types) if _has_scale(type_)]
    if not positions:
        return rows
    result = [list(row) for row in rows]
    for row in result:
        for position in positions:
            row[position] = scaled(row[position], types[position])
    return result


def scaled(value: Any, data_type: LogicalType) -> Any:
    """Returns a value with its decimals rounded half up to the type's scale, instants as ``datetime``, points in time as days of DATE."""
    match data_type:
        case DecimalType(scale=scale) if isinstance(value, Decimal) and value.is_finite():
            exponent = value.as_tuple().exponent
            assert isinstance(exponent, int)
            return rounded(value, scale) if -exponent > scale and value.adjusted() <= DecimalType.MAX_PRECISION else value
        case LocalZonedTimestampType() if hasattr(value, "to_datetime"):  # an Instant
            return value.to_datetime()
        case ArrayType(element_type=element) if isinstance(value, (list, tuple)) and _has_scale(element):
            return [scaled(item, element) for item in value]
        case MapType(key_type=key, value_type=item_type) if isinstance(value, dict) and (_has_scale(key) or _has_scale(item_type)):
            return {scaled(key_value, key): scaled(item, item_type) for key_value, item in value.items()}
        case DateType() if isinstance(value, datetime):
            return value.date() if value == value else value  # not NaT
        case RowType() if _has_scale(data_type):
            return _scaled_row(value, data_type)
    return value


def _scaled_row(value: Any, data_type: RowType) -> Any:
    names = field_names(value)
    types = dict(zip(data_type.field_names, data_type.field_types, strict=True))
    if names is not None and not (isinstance(value, tuple) and types.keys().isdisjoint(names)):  # as bound_to has it
        items = value.items() if isinstance(value, Mapping) else zip(names, value, strict=True)
        return {name: scaled(item, types[name]) if name in types else item for name, item in items}
    if isinstance(value, (list, tuple, Row)) and len(value) == len(data_type.fields):
        return tuple(scaled(item, type_) for item, type_ in zip(value, data_type.field_types, strict=True))
    return value


def _has_scale(data_type: LogicalType) -> bool:
    match data_type:
        case DecimalType() | LocalZonedTimestampType() | DateType():
            return True
        case ArrayType(element_type=element):
            return _has_scale(element)
        case MapType(key_type=key, value_type=value):
            return _has_scale(key) or _has_scale(value)
        case RowType():
            return any(map(_has_scale, data_type.field_types))
    return False
