"""Top-n: the first rows in sort order, without sorting all rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batches import BATCH_ROWS, coalesce_batches, rechunk, take_batch
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.filter import filter_batch
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator, map_ordered
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
        # What the first key must at least be, once there are rows enough; threads may see an older one, which lets more rows pass.
        bar: list[pa.Scalar] = []

        def part_of(run: list[pa.RecordBatch]) -> pa.RecordBatch:
            return self._best([self._above(batch, bar[-1]) for batch in run] if bar else run, count)

        parts = map_ordered(part_of, coalesce_batches(child.batches(context), max(BATCH_ROWS, 2 * count)), context)
        try:
            for part in parts:
                if part.num_rows == 0:
                    continue
                best = part if best is None else self._best([best, part], count)
                worst = best.column(self._keys[0].column)[-1]
                if best.num_rows == count and _is_plain(worst):
                    bar[:] = [worst]
        finally:
            close_iterator(parts)
        if best is not None and best.num_rows > self._offset:
            for start in range(self._offset, best.num_rows, BATCH_ROWS):
                yield best.slice(start, BATCH_ROWS)

    def _above(self, batch: pa.RecordBatch, bar: pa.Scalar) -> pa.RecordBatch:
        """Returns the rows that may still be among the best: their first key is not behind the bar."""
        key = self._keys[0]
        column = batch.column(key.column)
        mask = pc.less_equal(column, bar) if key.ascending else pc.greater_equal(column, bar)
        if not key.ascending and pa.types.is_floating(column.type):
            mask = pc.or_(mask, pc.is_nan(column))
        return filter_batch(batch, pc.fill_null(mask, key.nulls_first))

    def _best(self, run: list[pa.RecordBatch], count: int) -> pa.RecordBatch:
        batch = rechunk(run, self.schema)
        return take_batch(batch, sort_indices(batch.columns, self._keys).slice(0, count))


def _is_plain(value: pa.Scalar) -> bool:
    """Returns whether values can be compared with this one by Arrow as they are ordered here."""
    type_ = value.type
    if not value.is_valid or pa.types.is_nested(type_) or pa.types.is_boolean(type_):
        return False
    return not (pa.types.is_floating(type_) and math.isnan(value.as_py()))
