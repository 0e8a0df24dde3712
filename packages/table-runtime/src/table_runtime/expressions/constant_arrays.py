"""Long ARRAY and MAP constructors over constants become one Arrow value, instead of one step per element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.functions.builtin import collections
from table_common.types import ArrayType, DoubleType, FloatType, LogicalType, MapType, RowType
from table_runtime.expressions.literal import constant_column

_FEW = 64
"""Minimum elements; the kernel computes shorter collections."""


def constant_collection(call: CallExpression) -> pa.Scalar | None:
    """Returns the value of a long ARRAY or MAP over constants, or over ROWs of constants; None for any other call."""
    if len(call.args) < _FEW:
        return None
    if call.function is collections.ARRAY and isinstance(call.output_type, ArrayType):
        return _array(call, call.output_type)
    if call.function is collections.MAP and isinstance(call.output_type, MapType):
        return _map(call, call.output_type)
    return None


def _map(call: CallExpression, collection: MapType) -> pa.MapScalar | None:
    if isinstance(collection.key_type, (FloatType, DoubleType)):
        return None  # equality_key decides whether -0.0 and NaN are equal to other keys, not pc.unique
    keys = constant_column(call.args[::2], collection.key_type)
    values = _column(call.args[1::2], collection.value_type)
    arrow_type = to_arrow_type(collection)
    if keys is None or values is None or not (keys.type.equals(arrow_type.key_type) and values.type.equals(arrow_type.item_type)):
        return None
    if keys.null_count or len(pc.unique(keys)) < len(keys):
        return None  # the kernel refuses NULL and keeps the last value of a key
    return pa.MapArray.from_arrays(pa.array([0, len(keys)], pa.int32()), keys, values, type=arrow_type)[0]


def _array(call: CallExpression, collection: ArrayType) -> pa.ListScalar | None:
    values = _column(call.args, collection.element_type)
    arrow_type = to_arrow_type(collection)
    if values is None or not values.type.equals(arrow_type.value_type):
        return None
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values, type=arrow_type)[0]


def _column(cells: Sequence[ResolvedExpression], logical_type: LogicalType) -> Any:
    if not isinstance(logical_type, RowType):
        return constant_column(cells, logical_type)
    rows: list[tuple[ResolvedExpression, ...]] = []
    for cell in cells:
        if not isinstance(cell, CallExpression) or cell.function is not collections.ROW:
            return None
        rows.append(cell.args)
    fields = []
    for args, field_type in zip(zip(*rows, strict=True), logical_type.field_types, strict=True):
        column = _column(args, field_type)
        if column is None:
            return None
        fields.append(column)
    arrow_type = to_arrow_type(logical_type)
    if not fields or any(not column.type.equals(field.type) for column, field in zip(fields, arrow_type, strict=True)):
        return None
    return pa.StructArray.from_arrays(fields, fields=list(arrow_type))
