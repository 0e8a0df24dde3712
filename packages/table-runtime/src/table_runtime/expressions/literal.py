"""Constants as Arrow scalars."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar, to_arrow_type
from table_common.arrow import compute as pc
from table_common.expressions import ResolvedExpression, ValueLiteralExpression
from table_common.types import (
    EXACT_INTEGERS,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LogicalType,
    SymbolType,
)

_AS_THEY_ARE = (CharacterType, BinaryStringType, BooleanType, DateType, DecimalType, DoubleType, FloatType, *EXACT_INTEGERS)
"""Types whose literal values Arrow accepts unchanged."""
NANOS_PER_UNIT = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def to_arrow_scalar(literal: ValueLiteralExpression) -> Any:
    """Returns the constant as a scalar of its type's Arrow type; a symbol becomes a null, which kernels ignore."""
    return scalar_of(literal.value, literal.output_type)


def constant_column(cells: Sequence[ResolvedExpression], logical_type: LogicalType) -> pa.Array | None:
    """Returns constants of one type, apart from nullability, as one array.

    None if some expressions are not constants, or if values of the type must be converted one by one.
    """
    arrow_type = to_arrow_type(logical_type)
    has_ticks = pa.types.is_time64(arrow_type) or pa.types.is_timestamp(arrow_type) or pa.types.is_duration(arrow_type)
    if not has_ticks and not isinstance(logical_type, _AS_THEY_ARE):
        return None
    expected = logical_type.with_nullability(True)
    has_expected_type: dict[LogicalType, bool] = {}
    values = []
    for cell in cells:
        if not isinstance(cell, ValueLiteralExpression):
            return None
        is_same = has_expected_type.get(cell.output_type)
        if is_same is None:
            is_same = has_expected_type[cell.output_type] = cell.output_type.with_nullability(True) == expected
        if not is_same:
            return None
        values.append(cell.value)
    if has_ticks:
        unit = NANOS_PER_UNIT[arrow_type.unit]
        return pc.cast(arrow_array([None if value is None else int(value) // unit for value in values], pa.int64()), arrow_type)
    return arrow_array(values, arrow_type)


def scalar_of(value: Any, logical_type: LogicalType) -> Any:
    """Returns a scalar for a value in the form that ``ValueLiteralExpression`` documents."""
    if isinstance(logical_type, SymbolType) or isinstance(value, Enum):
        return arrow_scalar(None, pa.null())
    arrow_type = to_arrow_type(logical_type)
    if value is None:
        return arrow_scalar(None, arrow_type)
    if pa.types.is_time64(arrow_type) or pa.types.is_timestamp(arrow_type) or pa.types.is_duration(arrow_type):
        ticks = int(value) // NANOS_PER_UNIT[arrow_type.unit]
        return pc.cast(arrow_scalar(ticks, pa.int64()), arrow_type)
    return arrow_scalar(value, arrow_type)
