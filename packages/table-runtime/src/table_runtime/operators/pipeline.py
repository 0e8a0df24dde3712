"""Steps that look at one batch at a time, run in one go over each batch and on several threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import pyarrow as pa

from table_common.annotation import override
from table_runtime.batches import BATCH_BYTES, BATCH_ROWS
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator, map_ordered

__all__ = ["MapStep", "Pipeline", "Step"]

ROWS_AHEAD = 2 * BATCH_ROWS
"""How many rows a thread makes of one batch before the reader asks for them; what comes behind is made as it is read."""


class Step(ABC):
    """A stateless change: of a batch become none, one or several.

    It may be called from several threads at once, unless it ``needs_order``: then batches come one after the other.
    """

    def __init__(self, schema: pa.Schema, *, needs_order: bool = False) -> None:
        self.schema = schema
        self.needs_order = needs_order

    @abstractmethod
    def apply(self, batch: pa.RecordBatch, check: Callable[[], None]) -> Iterable[pa.RecordBatch]:
        """Returns the batches, in ``schema``, that ``batch`` becomes; those of an iterator are made as they are read.

        ``check`` raises if the job was cancelled; a step that makes many rows of one calls it between batches.
        """

    @abstractmethod
    def plan_line(self) -> str:
        """Returns the step's line in a plan."""


class MapStep(Step):
    """A step that makes one batch of each."""

    @abstractmethod
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Returns the changed batch, in ``schema``."""

    @override
    def apply(self, batch: pa.RecordBatch, check: Callable[[], None]) -> Iterable[pa.RecordBatch]:
        return (self.map(batch),)


class Pipeline(Operator):
    """Applies steps to every batch of its input."""

    def __init__(self, child: Operator, steps: Sequence[Step]) -> None:
        super().__init__(steps[-1].schema, (child,))
        self.steps = tuple(steps)

    @classmethod
    def over(cls, child: Operator, step: Step) -> Pipeline:
        """Returns ``child`` followed by ``step``, in one pipeline if ``child`` is one already."""
        if isinstance(child, Pipeline):
            return cls(child.inputs[0], (*child.steps, step))
        return cls(child, (step,))

    @override
    def plan_lines(self) -> list[str]:
        return [step.plan_line() for step in reversed(self.steps)]

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (child,) = self.inputs
        maps = [step for step in self.steps if isinstance(step, MapStep)]
        if any(step.needs_order for step in self.steps):
            return self._in_order(child, context)
        if len(maps) == len(self.steps):

            def map_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
                for step in maps:
                    batch = step.map(batch)
                return batch

            return map_ordered(map_batch, child.batches(context), context)
        return self._expanded(child, context)

    def _in_order(self, child: Operator, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        source = child.batches(context)
        try:
            for batch in source:
                context.check()
                yield from self._apply(batch, context.check)
        finally:
            close_iterator(source)

    def _expanded(self, child: Operator, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        def begin(batch: pa.RecordBatch) -> Iterable[pa.RecordBatch]:
            return _made_ahead(self._apply(batch, context.check))

        parts = map_ordered(begin, child.batches(context), context)
        try:
            for part in parts:
                yield from part
        finally:
            close_iterator(parts)

    def _apply(self, batch: pa.RecordBatch, check: Callable[[], None]) -> Iterator[pa.RecordBatch]:
        """Yields what all steps make of the batch; a loop, as a pipeline may have thousands of steps."""
        steps = self.steps
        waiting: list[tuple[int, Iterator[pa.RecordBatch]]] = [(0, iter((batch,)))]
        while waiting:
            position, batches = waiting[-1]
            following = next(batches, None)
            if following is None:
                waiting.pop()
                continue
            while position < len(steps):
                step = steps[position]
                position += 1
                if not isinstance(step, MapStep):
                    waiting.append((position, iter(step.apply(following, check))))
                    break
                following = step.map(following)
            else:
                yield following


def _made_ahead(batches: Iterator[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
    """Makes the first batches at once and leaves the others to the reader."""
    ready = []
    rows = size = 0
    for batch in batches:
        ready.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows > ROWS_AHEAD or size > BATCH_BYTES:
            return chain(ready, batches)
    return ready
