"""A part of a deep plan that runs on a thread of its own.

Operators are generators that pull each other. Each takes stack, and what a kernel call costs grows with how many are suspended below it, since
Python looks through their exception states: a thousand joins in a row would spend most of their time there.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.prefetch import Reader

__all__ = ["Relay"]


class Relay(Operator):
    """Yields what its input yields, which runs on another thread and so begins a new stack. Plans do not show it."""

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
