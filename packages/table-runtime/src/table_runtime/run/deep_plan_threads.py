"""Splits a deep plan over several threads.

Operators are generators that pull from each other. Each one takes stack, and the cost of a kernel call grows with the number of suspended
generators below it, because Python searches their exception states: a thousand nested joins would spend most of their time there.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.prefetch import Reader


class ThreadBoundary(Operator):
    """Yields the batches of its input, which runs on another thread with a new stack. Not shown in plans."""

    has_own_thread = True

    def __init__(self, child: Operator) -> None:
        super().__init__(child.schema, (child,))

    @override
    def plan_lines(self) -> list[str]:
        return []

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        reader = Reader(lambda: self.inputs[0].batches(context), context.token, ahead=1)
        try:
            while (batch := reader.take()) is not None:
                yield batch
        finally:
            reader.stop()
