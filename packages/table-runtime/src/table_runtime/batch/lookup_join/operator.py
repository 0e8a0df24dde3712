"""The lookup join as an operator of the embedded engine."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_runtime.batch.lookup_join.finders import Waiting
from table_runtime.batch.lookup_join.joiner import LookupJoiner
from table_runtime.batch.lookup_join.spec import LookupSpec
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator


class LookupJoin(Operator):
    """Joins each row of its input with the rows that a connector finds by key."""

    def __init__(self, child: Operator, spec: LookupSpec, text: str = "") -> None:
        super().__init__(spec.output_schema, (child,))
        self._joiner = LookupJoiner(spec)
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        def pause(seconds: float) -> None:
            # Sleeps in small steps, so that a cancelled job ends promptly.
            deadline = time.monotonic() + seconds
            while (remaining := deadline - time.monotonic()) > 0:
                context.check()
                time.sleep(min(remaining, 0.05))

        source = self.inputs[0].batches(context)
        try:
            yield from self._joiner.process(source, Waiting(context.check, pause))
        finally:
            close_iterator(source)
