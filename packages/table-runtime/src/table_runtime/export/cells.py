"""The texts of a column's values as the client shows them, by kernels; other types go through Python values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import tzinfo

import pyarrow as pa

from table_common.arrow import column_values
from table_common.arrow import compute as pc
from table_common.types import (
    BigIntType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LogicalType,
    SmallIntType,
    TimestampType,
    TinyIntType,
)
from table_runtime.casts.to_text import approximate_to_text, boolean_to_text, number_to_text, timestamp_to_text
from table_runtime.evaluation_context import EvaluationContext

Render = Callable[[object, LogicalType], str | None]
"""Returns the text of a Python value, or None for NULL."""

_ROWS = 65_536
_BYTES = 256 << 20
_FIRST_DAY, _END_DAY = -719_162, 2_932_897
"""The days of 0001-01-01 and 10000-01-01, counted from 1970."""
_CONTEXT = EvaluationContext()


def column_texts(column: pa.Array, data_type: LogicalType, render: Render, time_zone: tzinfo | None) -> pa.Array:
    """Returns the text of each value; NULL stays NULL. ``render`` writes the values for which there is no kernel."""
    match data_type:
        case CharacterType():
            return column
        case BooleanType():
            return boolean_to_text(column, data_type, _CONTEXT)
        case DecimalType():
            return number_to_text(column, data_type, _CONTEXT)
        case FloatType() | DoubleType():
            return approximate_to_text(column, data_type, _CONTEXT)
        case DateType() if _has_years_of_four_digits(pc.cast(column, pa.int32()), 1):
            return pc.cast(column, pa.string())
        case TimestampType() if _has_years_of_four_digits(column.view(pa.int64()), _ticks_per_day(column.type.unit)):
            return timestamp_to_text(column, data_type, _CONTEXT)
        case TinyIntType() | SmallIntType() | IntType() | BigIntType():
            return pc.cast(column, pa.string())
        case _:
            values = column_values(column, data_type, "a column", time_zone)
            return pa.array([render(value, data_type) for value in values], pa.string())


def joined_rows(columns: Iterable[pa.Array | pa.Scalar]) -> str:
    """Returns the texts of all rows, which are those of the columns side by side, as one text."""
    lines = pc.binary_join_element_wise(*columns, pa.scalar(""))
    _, offsets, data = lines.buffers()
    if data is None:
        return ""
    ends = pa.Array.from_buffers(pa.int32(), len(lines) + 1, [None, offsets], offset=lines.offset)
    return str(memoryview(data)[ends[0].as_py() : ends[len(lines)].as_py()], "utf-8")


def small_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yields batches whose texts fit into one Arrow array."""
    for batch in batches:
        rows = max(1, min(_ROWS, _BYTES * max(batch.num_rows, 1) // max(batch.nbytes, 1)))
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)


def _ticks_per_day(unit: str) -> int:
    return 86_400 * {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}[unit]


def _has_years_of_four_digits(values: pa.Array, per_day: int) -> bool:
    bounds = pc.min_max(values)
    if not bounds["min"].is_valid:
        return True
    first, last = bounds["min"].as_py(), bounds["max"].as_py()
    return bool(_FIRST_DAY * per_day <= first and last < _END_DAY * per_day)
