"""Sorts all rows: in memory, or in sorted runs on disk if they exceed the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.batch.sort.order_text import order_text
from table_runtime.batch.spill.collected import collect
from table_runtime.batch.spill.sort import WORKING, spilled_sort
from table_runtime.columns.batches import split_table
from table_runtime.columns.ordering import SortKey, sort_pieces
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered


class Sort(Operator):
    """Yields the rows in the order of the keys; the sort is stable."""

    def __init__(self, child: Operator, keys: Sequence[SortKey]) -> None:
        super().__init__(child.schema, (child,))
        self._keys = tuple(keys)

    @override
    def details(self) -> str:
        return f"orderBy=[{order_text(self._keys, self.schema)}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        with context.account(self.name) as account:
            source = self.inputs[0].batches(context)
            first = collect(source, context, account, working=WORKING)
            if first.is_whole:
                yield from self._sorted(first.batches, context)
                return
            yield from spilled_sort(self, self._keys, first, self._sorted, context, account)

    def _sorted(self, batches: list[pa.RecordBatch], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        """Yields the rows of the batches in order; removes the batches from the list."""
        rows = sum(batch.num_rows for batch in batches)
        if rows == 0:
            return
        columns = [pa.chunked_array([batch.column(i) for batch in batches]) for i in range(len(self.schema))]
        batches.clear()
        context.require_memory(16 * rows * (1 + len(self._keys)))  # for the positions and the comparable form of the keys

        def sorted_piece(piece: Callable[[], pa.Array]) -> list[pa.RecordBatch]:
            indices = piece()
            return list(split_table(columns, self.schema, len(indices), indices))

        parts = map_ordered(sorted_piece, sort_pieces(columns, self._keys), context)
        try:
            for part in parts:
                for batch in part:
                    context.check()
                    yield batch
        finally:
            close_iterator(parts)
