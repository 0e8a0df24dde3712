"""Constants as Arrow scalars."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.expressions import ValueLiteralExpression
from table_common.types import EXACT_INTEGERS, BooleanType, CharacterType, DateType, LogicalType, SymbolType

__all__ = ["NANOS_PER_UNIT", "constant_array", "to_arrow_scalar"]

NANOS_PER_UNIT = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def to_arrow_scalar(literal: ValueLiteralExpression) -> Any:
    """Returns the constant as a scalar of its type's Arrow type; a symbol becomes a null that kernels do not look at."""
    return scalar_of(literal.value, literal.output_type)


def constant_array(values: Sequence[Any], logical_type: LogicalType) -> pa.Array | None:
    """Returns many constants of a type as one array; None for types of which each value is made by itself."""
    if not isinstance(logical_type, (CharacterType, BooleanType, DateType, *EXACT_INTEGERS)):
        return None
    return pa.array(values, to_arrow_type(logical_type))


def scalar_of(value: Any, logical_type: LogicalType) -> Any:
    """Returns a scalar for a value in the form that ``ValueLiteralExpression`` documents."""
    if isinstance(logical_type, SymbolType) or isinstance(value, Enum):
        return pa.scalar(None, pa.null())
    arrow_type = to_arrow_type(logical_type)
    if value is None:
        return pa.scalar(None, arrow_type)
    if pa.types.is_time64(arrow_type) or pa.types.is_timestamp(arrow_type) or pa.types.is_duration(arrow_type):
        ticks = int(value) // NANOS_PER_UNIT[arrow_type.unit]
        return pc.cast(pa.scalar(ticks, pa.int64()), arrow_type)
    return pa.scalar(value, arrow_type)
