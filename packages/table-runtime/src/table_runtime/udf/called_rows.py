"""Which rows a function is called for, and with what: NULLs that skip the call are taken out first and put back after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc

__all__ = ["with_called_rows"]

Columns = Sequence[pa.Array | pa.Scalar]


def with_called_rows(
    columns: Columns, rows: int, skipping: Sequence[int], arrow_type: pa.DataType, compute: Callable[[Columns, int], pa.Array]
) -> pa.Array:
    """Returns ``compute`` of the rows without NULL in the skipping columns, and NULL for the others."""
    if any(isinstance(columns[i], pa.Scalar) and not columns[i].is_valid for i in skipping):
        return pa.nulls(rows, arrow_type)
    holding = [columns[i] for i in skipping if not isinstance(columns[i], pa.Scalar) and columns[i].null_count]
    if not holding:
        return compute(columns, rows)
    mask: Any = pc.is_valid(holding[0])
    for column in holding[1:]:
        mask = pc.and_(mask, pc.is_valid(column))
    kept = pc.indices_nonzero(mask)
    called = [column if isinstance(column, pa.Scalar) else pc.take(column, kept) for column in columns]
    results = compute(called, len(kept))
    # Row i is the n-th called one if n rows up to it are called.
    ordinals = pc.subtract(pc.cumulative_sum(pc.cast(mask, pa.int64())), pa.scalar(1, pa.int64()))
    return pc.take(results, pc.if_else(mask, ordinals, pa.scalar(None, pa.int64())))
