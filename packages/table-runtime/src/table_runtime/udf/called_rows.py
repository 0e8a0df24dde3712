"""Skips calls of functions that return NULL on NULL: rows with such NULLs are removed before the call and restored after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc

Columns = Sequence[pa.Array | pa.Scalar]


def with_called_rows(
    columns: Columns, rows: int, skipping: Sequence[int], arrow_type: pa.DataType, compute: Callable[[Columns, int], pa.Array]
) -> pa.Array:
    """Returns ``compute`` for the rows without NULL in the columns ``skipping``, and NULL for the other rows."""
    if any(isinstance(columns[i], pa.Scalar) and not columns[i].is_valid for i in skipping):
        return pa.nulls(rows, arrow_type)
    columns_with_nulls = [columns[i] for i in skipping if not isinstance(columns[i], pa.Scalar) and columns[i].null_count]
    if not columns_with_nulls:
        return compute(columns, rows)
    mask: Any = pc.is_valid(columns_with_nulls[0])
    for column in columns_with_nulls[1:]:
        mask = pc.and_(mask, pc.is_valid(column))
    called_rows = pc.indices_nonzero(mask)
    called = [column if isinstance(column, pa.Scalar) else pc.take(column, called_rows) for column in columns]
    results = compute(called, len(called_rows))
    # The position of a called row in the results is the number of called rows before it.
    ordinals = pc.subtract(pc.cumulative_sum(pc.cast(mask, pa.int64())), pa.scalar(1, pa.int64()))
    return pc.take(results, pc.if_else(mask, ordinals, pa.scalar(None, pa.int64())))
