"""Collects result rows: drops empty batches and coalesces small ones."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import BATCH_ROWS, cast_to_schema, rechunk
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator

SMALL = 4096
"""Batches with fewer rows are coalesced, except the first one."""
_SECONDS = 0.1
"""Rows that come later than this after the last batch was emitted are not coalesced: their source is slow."""


class Collect(Operator):
    """Yields the rows in the schema of the result."""

    def __init__(self, child: Operator, schema: pa.Schema) -> None:
        super().__init__(schema, (child,))

    @override
    def details(self) -> str:
        return f"fields=[{', '.join(self.schema.names)}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        source = self.inputs[0].batches(context)
        waiting: list[pa.RecordBatch] = []
        rows = 0
        emitted = float("-inf")
        try:
            for batch in source:
                context.check()
                if batch.num_rows == 0:
                    continue
                waiting.append(cast_to_schema(batch, self.schema))
                rows += batch.num_rows
                if rows >= SMALL or time.monotonic() - emitted >= _SECONDS:
                    yield from self._pieces(waiting)
                    waiting, rows, emitted = [], 0, time.monotonic()
            yield from self._pieces(waiting)
        finally:
            close_iterator(source)

    def _pieces(self, waiting: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if waiting:
            whole = rechunk(waiting, self.schema)
            for start in range(0, whole.num_rows, BATCH_ROWS):
                yield whole.slice(start, BATCH_ROWS)
