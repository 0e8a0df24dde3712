"""Stateless steps over single batches, fused into one operator that runs them on several threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain

import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import BATCH_BYTES, BATCH_ROWS, approximate_size
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered

ROWS_AHEAD = 2 * BATCH_ROWS
"""Rows that a worker thread produces from one batch in advance; further rows are produced when the consumer reads them."""


class Step(ABC):
    """A stateless transformation of one batch to any number of batches.

    It may be called from several threads at once, unless ``needs_order`` is set: then batches are processed one by one, in order.
    """

    def __init__(self, schema: pa.Schema, *, needs_order: bool = False) -> None:
        self.schema = schema
        self.needs_order = needs_order

    @abstractmethod
    def apply(self, batch: pa.RecordBatch, check: Callable[[], None]) -> Iterable[pa.RecordBatch]:
        """Returns the resulting batches, in ``schema``; an iterator computes them lazily.

        ``check`` raises if the job was cancelled; a step that produces many batches calls it between them.
        """

    def allow_dictionaries(self, columns: Collection[int]) -> Collection[int]:
        """Lets these columns of the results be dictionary arrays; returns the columns of the input that may then be, since nothing else reads them."""
        return ()

    @abstractmethod
    def plan_line(self) -> str:
        """Returns the step's line in a plan."""

    def plan_lines(self) -> list[str]:
        """Returns the lines in a plan of a step that does the work of several, top first."""
        return [self.plan_line()]


class MapStep(Step):
    """A step that maps each batch to one batch."""

    @abstractmethod
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Returns the resulting batch, in ``schema``."""

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
        """Returns ``child`` followed by ``step``; fused into one pipeline if ``child`` is a pipeline."""
        if isinstance(child, Pipeline):
            return cls(child.inputs[0], (*child.steps, step))
        return cls(child, (step,))

    def with_last_step(self, step: Step) -> Pipeline:
        """Returns this pipeline with another step in the place of the last one."""
        return Pipeline(self.inputs[0], (*self.steps[:-1], step))

    @override
    def plan_lines(self) -> list[str]:
        return [line for step in reversed(self.steps) for line in step.plan_lines()]

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
        return self._in_parallel(child, context)

    def _in_order(self, child: Operator, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        source = child.batches(context)
        try:
            for batch in source:
                context.check()
                yield from self.apply(batch, context.check)
        finally:
            close_iterator(source)

    def _in_parallel(self, child: Operator, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        def begin(batch: pa.RecordBatch) -> Iterable[pa.RecordBatch]:
            return _computed_ahead(self.apply(batch, context.check), context)

        parts = map_ordered(begin, child.batches(context), context)
        try:
            for part in parts:
                yield from part
        finally:
            close_iterator(parts)

    def apply(self, batch: pa.RecordBatch, check: Callable[[], None]) -> Iterator[pa.RecordBatch]:
        """Yields the batches after all steps."""
        return apply_steps(self.steps, batch, check)


def apply_steps(steps: Sequence[Step], batch: pa.RecordBatch, check: Callable[[], None]) -> Iterator[pa.RecordBatch]:
    """Yields what a batch becomes by some steps. Iterative, because a pipeline may have thousands of steps."""
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


def _computed_ahead(batches: Iterator[pa.RecordBatch], context: ExecutionContext) -> Iterable[pa.RecordBatch]:
    """Computes the first batches eagerly, fewer if memory is scarce; the others are computed when they are read."""
    ready = []
    rows = size = 0
    for batch in batches:
        ready.append(batch)
        rows += batch.num_rows
        size += approximate_size(batch)
        if rows > ROWS_AHEAD or (size > BATCH_BYTES // 8 and size > context.scaled(BATCH_BYTES)):
            return chain(ready, batches)
    return ready
