"""Nested-loop join for conditions without equalities: evaluates the condition on all pairs, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batch.joins.join import Join
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered

PAIRS_AT_ONCE = 1 << 18
"""Maximum pairs per evaluation of the condition."""


class NestedLoopJoin(Join):
    """Joins the rows for which ``condition`` is true (without a condition: all pairs). The right input is held in memory."""

    @override
    def details(self) -> str:
        return f"joinType=[{self.kind.value}], where=[{self._condition.text if self._condition is not None else 'true'}]"

    @override
    def joined_with(self, left: Operator, batches: list[pa.RecordBatch], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        build = self._build_side(left, batches, context)
        if build.rows == 0 and self.kind.needs_right:
            return
        output = self._output(build)
        rows = max(1, PAIRS_AT_ONCE // max(1, build.rows))

        def pieces() -> Iterator[pa.RecordBatch]:
            source = left.batches(context)
            try:
                for batch in source:
                    for start in range(0, batch.num_rows, rows):
                        yield batch.slice(start, rows)
            finally:
                close_iterator(source)

        def probe(piece: pa.RecordBatch) -> Iterable[pa.RecordBatch]:
            batches = output.emit(piece, self._blocks(piece.num_rows, build.rows, context))
            # The many pairs of one row are produced block by block.
            return batches if build.rows > PAIRS_AT_ONCE else list(batches)

        parts = map_ordered(probe, pieces(), context)
        try:
            for part in parts:
                for batch in part:
                    context.check()
                    if batch.num_rows:
                        yield batch
        finally:
            close_iterator(parts)
        yield from output.finish()

    def _blocks(self, left_rows: int, right_rows: int, context: ExecutionContext) -> Iterator[tuple[pa.Array, pa.Array]]:
        for start in range(0, right_rows, PAIRS_AT_ONCE):
            count = min(PAIRS_AT_ONCE, right_rows - start)
            context.check()
            number = pa.arange(0, left_rows * count)
            left = pc.divide(number, pa.scalar(count, pa.int64()))
            right = pc.subtract(number, pc.multiply(left, pa.scalar(count, pa.int64())))
            yield left, pc.add(right, pa.scalar(start, pa.int64()))
