"""Columns whose values repeat: the texts of their distinct values are made once, and then taken for each row."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_common.types import EXACT_INTEGERS, DateType, LocalZonedTimestampType, LogicalType, TimestampType

FEWEST_ROWS = 1024
"""Rows of a batch from which on it takes less time to look for values that repeat."""
_UNITS = {0: "s", 3: "ms", 6: "us"}
"""The units of timestamps by their precision."""
_ROWS_PER_VALUE = 4
"""How many rows there must be at least for each value between the least and the greatest."""


@dataclass(frozen=True)
class ColumnTexts:
    """The texts of a column: one for each row, or with ``positions`` the texts of values, and the position of each row's value among them."""

    values: pa.Array
    positions: pa.Array | None = None

    def of_rows(self) -> pa.Array:
        """Returns the text of each row."""
        return self.values if self.positions is None else pc.take(self.values, self.positions)


def repeated_values(column: pa.Array, type_: LogicalType) -> tuple[pa.Array, pa.Array] | None:
    """Returns values among which are those of a column, and the position of each row's value among them, NULL for NULL.

    None if the column may have many values: whether it has few is seen from the least and the greatest, for integers, dates and timestamps.
    """
    moments = isinstance(type_, TimestampType | LocalZonedTimestampType)
    if len(column) < FEWEST_ROWS or not (moments or isinstance(type_, (*EXACT_INTEGERS, DateType))):
        return None
    if isinstance(type_, TimestampType | LocalZonedTimestampType):
        return _repeated_moments(column, type_.precision)
    numbers = pc.cast(column.view(pa.int32()) if isinstance(type_, DateType) else column, pa.int64())
    low, high = _bounds(numbers)
    if low is None or not _is_small(low, high, numbers):
        return None
    every = _every(low, high)
    values = pc.cast(every, pa.int32()).view(column.type) if isinstance(type_, DateType) else pc.cast(every, column.type)
    return values, pc.subtract(numbers, low)


def _repeated_moments(column: pa.Array, precision: int) -> tuple[pa.Array, pa.Array] | None:
    numbers = column.view(pa.int64())
    low, high = _bounds(numbers)
    step = _ticks_per_value(column.type, precision)
    if low is None or not _is_small(low // step, high // step, numbers):
        return None
    if step == 1 or precision in _UNITS:
        try:
            rounded = (
                numbers
                if step == 1
                else pc.cast(numbers.view(pa.timestamp(column.type.unit)), pa.timestamp(_UNITS[precision])).view(pa.int64())
            )
        except pa.ArrowInvalid:
            pass  # there are digits that the precision does not have
        else:
            first = low // step
            return pc.multiply(_every(first, high // step), step).view(column.type), pc.subtract(rounded, first)
    encoded = pc.dictionary_encode(numbers)
    return encoded.dictionary.view(column.type), encoded.indices


def _bounds(numbers: pa.Array) -> tuple[Any, Any]:
    """Returns the least and the greatest number; None if all are NULL."""
    bounds = pc.min_max(numbers)
    return bounds["min"].as_py(), bounds["max"].as_py()


def _is_small(low: int, high: int, numbers: pa.Array) -> bool:
    return high - low < len(numbers) // _ROWS_PER_VALUE


def _every(low: int, high: int) -> pa.Array:
    """Returns all numbers from ``low`` to ``high``."""
    return pc.add(pc.subtract(pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int64()), high - low + 1)), 1), low)


def _ticks_per_value(arrow_type: pa.TimestampType, precision: int) -> int:
    per_unit = {"s": 0, "ms": 3, "us": 6, "ns": 9}
    digits = per_unit[str(arrow_type.unit)]
    return int(10 ** max(digits - precision, 0))
