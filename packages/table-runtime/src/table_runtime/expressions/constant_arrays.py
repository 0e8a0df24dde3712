"""Long ARRAY constructors over constants become one Arrow value, instead of one step per element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.functions.builtin import collections
from table_common.types import ArrayType, LogicalType, RowType
from table_runtime.expressions.literal import constant_column

__all__ = ["constant_array"]

_FEW = 64
"""Minimum elements; the kernel computes shorter arrays."""


def constant_array(call: CallExpression) -> pa.ListScalar | None:
    """Returns the value of a long ARRAY over constants, or over ROWs of constants; None for any other call."""
    collection = call.output_type
    if call.function is not collections.ARRAY or len(call.args) < _FEW or not isinstance(collection, ArrayType):
        return None
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
