"""Columns whose values repeat: the texts of their distinct values are made once, and then taken for each row."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import EXACT_INTEGERS, DateType, LocalZonedTimestampType, LogicalType, TimestampType

__all__ = ["repeated_values"]

_FEWEST_ROWS = 1024
_ROWS_PER_VALUE = 4
"""How many rows there must be at least for each value between the least and the greatest."""


def repeated_values(column: pa.Array, type_: LogicalType) -> tuple[pa.Array, pa.Array] | None:
    """Returns values among which are those of a column, and the position of each row's value among them, NULL for NULL.

    None if the column may have many values: whether it has few is seen from the least and the greatest, for integers, dates and timestamps.
    """
    timestamp = isinstance(type_, TimestampType | LocalZonedTimestampType)
    if len(column) < _FEWEST_ROWS or not (timestamp or isinstance(type_, (*EXACT_INTEGERS, DateType))):
        return None
    numbers = (
        column.view(pa.int64()) if timestamp else pc.cast(column.view(pa.int32()) if isinstance(type_, DateType) else column, pa.int64())
    )
    bounds = pc.min_max(numbers)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    step = _ticks_per_value(column.type, type_.precision) if isinstance(type_, TimestampType | LocalZonedTimestampType) else 1
    if low is None or (high - low) // step >= len(column) // _ROWS_PER_VALUE:
        return None
    if timestamp:
        encoded = pc.dictionary_encode(numbers)
        return encoded.dictionary.view(column.type), encoded.indices
    every = pc.add(pc.subtract(pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int64()), high - low + 1)), 1), low)
    values = pc.cast(every, pa.int32()).view(column.type) if isinstance(type_, DateType) else pc.cast(every, column.type)
    return values, pc.subtract(numbers, low)


def _ticks_per_value(arrow_type: pa.TimestampType, precision: int) -> int:
    per_unit = {"s": 0, "ms": 3, "us": 6, "ns": 9}
    digits = per_unit[str(arrow_type.unit)]
    return int(10 ** max(digits - precision, 0))
