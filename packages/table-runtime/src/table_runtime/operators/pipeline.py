"""Steps that look at one batch at a time, run in one go over each batch and on several threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import closing, map_ordered

__all__ = ["Pipeline", "Step"]


class Step(ABC):
    """A change of a batch; may be called from several threads at once, unless it ``needs_order``: then batches come one after the other."""

    def __init__(self, schema: pa.Schema, *, needs_order: bool = False) -> None:
        self.schema = schema
        self.needs_order = needs_order

    @abstractmethod
    def apply(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Returns the changed batch, in ``schema``."""

    @abstractmethod
    def plan_line(self) -> str:
        """Returns the step's line in a plan."""


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
        if any(step.needs_order for step in self.steps):
            return self._one_by_one(child, context)
        return map_ordered(self._apply, child.batches(context), context)

    def _one_by_one(self, child: Operator, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        source = child.batches(context)
        try:
            for batch in source:
                context.check()
                yield self._apply(batch)
        finally:
            closing(source)

    def _apply(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        for step in self.steps:
            batch = step.apply(batch)
        return batch
