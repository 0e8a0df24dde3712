"""The first rows of an order, without ordering all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.batches import BATCH_ROWS, rechunk, runs, take_batch
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import closing, map_ordered
from table_runtime.operators.sort import order_text
from table_runtime.ordering import SortKey, sort_indices

__all__ = ["TopN"]


class TopN(Operator):
    """Yields rows ``offset`` to ``offset + fetch`` of the order; equal rows stay as they came. Holds only the best rows so far."""

    def __init__(self, child: Operator, keys: Sequence[SortKey], offset: int, fetch: int) -> None:
        super().__init__(child.schema, (child,))
        self._keys = tuple(keys)
        self._offset = offset
        self._fetch = fetch

    @override
    def details(self) -> str:
        return f"orderBy=[{order_text(self._keys, self.schema)}], offset=[{self._offset}], fetch=[{self._fetch}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        if self._fetch == 0:
            return
        (child,) = self.inputs
        count = self._offset + self._fetch
        best: pa.RecordBatch | None = None
        parts = map_ordered(lambda run: self._best(run, count), runs(child.batches(context), max(BATCH_ROWS, 2 * count)), context)
        try:
            for part in parts:
                best = part if best is None else self._best([best, part], count)
        finally:
            closing(parts)
        if best is not None and best.num_rows > self._offset:
            for start in range(self._offset, best.num_rows, BATCH_ROWS):
                yield best.slice(start, BATCH_ROWS)

    def _best(self, run: list[pa.RecordBatch], count: int) -> pa.RecordBatch:
        batch = rechunk(run, self.schema)
        return take_batch(batch, sort_indices(batch.columns, self._keys).slice(0, count))
