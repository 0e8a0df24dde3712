"""Sources that only Spark reads, such as DataFrames: a batch query reads them, and their rows come to this process, which sends them to the tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from table_api.delegation import ExecutablePlan, JobOptions
from table_common.annotation import override
from table_common.arrow import import_batches
from table_runtime.columns import cast_to_schema
from table_runtime.run import ExecutionContext, Operator


class BatchRows(Operator):
    """The rows of a batch query of Spark. ``translate`` plans it; ``table`` names it."""

    def __init__(self, schema: pa.Schema, table: str, translate: Callable[[], ExecutablePlan]) -> None:
        super().__init__(schema)
        self.table = table
        self._translate = translate

    @override
    def details(self) -> str:
        return f"table=[{self.table}], fields=[{', '.join(self.schema.names)}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        job = self._translate().execute(JobOptions(f"read {self.table}"))
        for batch in import_batches(job.batches(), f"Reading {self.table}"):
            context.check()
            yield cast_to_schema(batch, self.schema)
