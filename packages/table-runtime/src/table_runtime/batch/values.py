"""Emits the rows of VALUES."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator


class Values(Operator):
    """Yields the batches that ``make`` returns. It is called in each run, so that time functions are evaluated per run."""

    def __init__(self, schema: pa.Schema, make: Callable[[], Sequence[pa.RecordBatch]], rows: int) -> None:
        super().__init__(schema)
        self._make = make
        self._rows = rows

    @override
    def details(self) -> str:
        return f"rows=[{self._rows}], fields=[{', '.join(self.schema.names)}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        context.check()
        yield from self._make()
