"""Comparisons of times that may have more digits than their type, as if they were cut to these: as expressions of pyarrow.dataset."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow.schema import to_arrow_type
from table_common.arrow.time_digits import NANOS_PER_TICK
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison
from table_common.types import LogicalType, PrecisionTimeType


def compare_cut_times(field: Any, type_: LogicalType, function: FunctionDefinition, nanos: int) -> tuple[Any, Any] | None:
    """Returns where a comparison of a column with a constant holds and where it does not; None if the constant does not fit the column.

    Cutting keeps the order of times, so each comparison is one with the ends of a range of times that are cut to the same value.
    """
    assert isinstance(type_, PrecisionTimeType)
    arrow_type = to_arrow_type(type_)
    tick = NANOS_PER_TICK[arrow_type.unit]
    step = 10 ** (9 - type_.precision)
    below = nanos // step * step
    try:
        # Times from ``first`` on are cut to the constant or to later values, those from ``later`` on to later values alone.
        later = _constant((below + step) // tick, arrow_type)
        first = _constant(below // tick, arrow_type) if below == nanos else later
    except (pa.ArrowException, OverflowError):
        return None
    match function:
        case comparison.GREATER_THAN_OR_EQUAL:
            return field >= first, field < first
        case comparison.LESS_THAN:
            return field < first, field >= first
        case comparison.GREATER_THAN:
            return field >= later, field < later
        case comparison.LESS_THAN_OR_EQUAL:
            return field < later, field >= later
    equal, unequal = (field >= first) & (field < later), (field < first) | (field >= later)
    return (equal, unequal) if function is comparison.EQUALS else (unequal, equal)


def _constant(ticks: int, arrow_type: pa.DataType) -> Any:
    return pc.scalar(pa.scalar(ticks, pa.int64()).cast(arrow_type))
