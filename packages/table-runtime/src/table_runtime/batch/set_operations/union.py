"""UNION ALL: the rows of several inputs, one input after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import cast_to_schema
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator


class UnionAll(Operator):
    """Yields the batches of each input in turn, under one schema."""

    def __init__(self, inputs: Sequence[Operator], schema: pa.Schema) -> None:
        super().__init__(schema, inputs)

    @override
    def details(self) -> str:
        return "all=[true]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for child in self.inputs:
            source = child.batches(context)
            try:
                for batch in source:
                    context.check()
                    yield cast_to_schema(batch, self.schema)
            finally:
                close_iterator(source)
