"""Top-n: the first rows in sort order, without sorting all rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batch.sort.order_text import order_text
from table_runtime.columns.batches import BATCH_ROWS, cast_to_schema, coalesce_batches, rechunk, take_batch
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered
from table_runtime.steps.filter import filter_batch


class TopN(Operator):
    """Yields the rows from ``offset`` to ``offset + fetch`` in sort order; the sort is stable.

    Holds only the first ``offset + fetch`` rows so far. Columns of the input that are no keys may be dictionary arrays.
    """

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
        top: pa.RecordBatch | None = None
        # The first key of the last row in the result so far. Threads may see an older threshold, which lets more rows pass.
        threshold: list[pa.Scalar] = []

        def top_of_run(run: list[pa.RecordBatch]) -> pa.RecordBatch:
            rows = [self._within_threshold(batch, threshold[-1]) for batch in run] if threshold else run
            return self._top([cast_to_schema(batch, self.schema) for batch in rows], count)

        parts = map_ordered(top_of_run, coalesce_batches(child.batches(context), max(BATCH_ROWS, 2 * count)), context)
        try:
            for part in parts:
                if part.num_rows == 0:
                    continue
                top = part if top is None else self._top([top, part], count)
                last_key = top.column(self._keys[0].column)[-1]
                if top.num_rows == count and _is_plain(last_key):
                    threshold[:] = [last_key]
        finally:
            close_iterator(parts)
        if top is not None and top.num_rows > self._offset:
            for start in range(self._offset, top.num_rows, BATCH_ROWS):
                yield top.slice(start, BATCH_ROWS)

    def _within_threshold(self, batch: pa.RecordBatch, threshold: pa.Scalar) -> pa.RecordBatch:
        """Returns the rows that may be in the result: their first key does not sort after the threshold."""
        key = self._keys[0]
        column = batch.column(key.column)
        mask = pc.less_equal(column, threshold) if key.ascending else pc.greater_equal(column, threshold)
        if not key.ascending and pa.types.is_floating(column.type):
            mask = pc.or_(mask, pc.is_nan(column))
        return filter_batch(batch, pc.fill_null(mask, key.nulls_first))

    def _top(self, run: list[pa.RecordBatch], count: int) -> pa.RecordBatch:
        batch = rechunk(run, self.schema)
        return take_batch(batch, sort_indices(batch.columns, self._keys).slice(0, count))


def _is_plain(value: pa.Scalar) -> bool:
    """Returns whether Arrow compares values with this one in the sort order."""
    type_ = value.type
    if not value.is_valid or pa.types.is_nested(type_) or pa.types.is_boolean(type_):
        return False
    return not (pa.types.is_floating(type_) and math.isnan(value.as_py()))
