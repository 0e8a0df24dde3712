"""Keeps the rows of each batch for which a condition is true."""

from __future__ import annotations

from collections.abc import Callable, Collection

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.columns.batches import make_batch
from table_runtime.steps.pipeline import MapStep


class Filter(MapStep):
    """Keeps rows whose ``predicate`` is true, not false and not NULL. It reads the columns at the positions ``used``; None: any."""

    def __init__(
        self,
        schema: pa.Schema,
        predicate: Callable[[pa.RecordBatch], pa.Array],
        text: str = "",
        *,
        needs_order: bool = False,
        used: Collection[int] | None = None,
    ) -> None:
        super().__init__(schema, needs_order=needs_order)
        self._predicate = predicate
        self._text = text
        self._used = used

    @override
    def allow_dictionaries(self, columns: Collection[int]) -> Collection[int]:
        return () if self._used is None else set(columns).difference(self._used)

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return filter_batch(batch, self._predicate(batch)) if batch.num_rows else batch

    @override
    def plan_line(self) -> str:
        return f"Filter(where=[{self._text}])"


def filter_batch(batch: pa.RecordBatch, mask: pa.Array) -> pa.RecordBatch:
    """Returns the rows where the mask is true."""
    row_count = mask.true_count
    if row_count == batch.num_rows:
        return batch
    if batch.num_columns == 0:
        return make_batch([], batch.schema, row_count)
    return pc.filter(batch, mask)
