"""Measures operators while they run: rows, batches, bytes, and the processor time of each, for EXPLAIN ANALYZE."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator
from table_runtime.run.threads import Task

_T = TypeVar("_T")
_R = TypeVar("_R")


class Measurement:
    """What one operator did: the rows and batches that it gave, their bytes, and its own processor time in seconds."""

    def __init__(self) -> None:
        self.rows = self.batches = self.bytes = 0
        self.seconds = 0.0
        self._lock = threading.Lock()

    def give(self, batch: pa.RecordBatch) -> None:
        """Counts a batch."""
        with self._lock:
            self.rows += batch.num_rows
            self.batches += 1
            self.bytes += batch.nbytes

    def spend(self, seconds: float) -> None:
        """Counts processor time."""
        with self._lock:
            self.seconds += seconds


class _Clock(threading.local):
    """Attributes the processor time of a thread to the operator that works at the moment."""

    current: Measurement | None = None
    since = 0.0

    @contextmanager
    def of(self, measurement: Measurement | None) -> Iterator[None]:
        before = self._switch(measurement)
        try:
            yield
        finally:
            self._switch(before)

    def _switch(self, measurement: Measurement | None) -> Measurement | None:
        now, before = time.thread_time(), self.current
        if before is not None:
            before.spend(now - self.since)
        self.current, self.since = measurement, now
        return before


_clock = _Clock()


class ProfilingContext(ExecutionContext):
    """A run whose worker threads count their processor time for the operator that gives them work.

    ``peak`` is the most memory, in bytes, that Arrow had allocated when an operator gave a batch.
    """

    peak = 0

    @override
    def submit(self, function: Callable[[_T], _R], item: _T) -> Task[_R]:
        owner = _clock.current

        def timed(one: _T) -> _R:
            with _clock.of(owner):
                return function(one)

        return super().submit(timed, item)


class ProfiledOperator(Operator):
    """Gives the batches of an operator, and measures it."""

    def __init__(self, operator: Operator) -> None:
        super().__init__(operator.schema, (operator,))
        self.measurement = Measurement()

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (operator,) = self.inputs
        with _clock.of(self.measurement):
            source = operator.batches(context)
        try:
            while True:
                with _clock.of(self.measurement):
                    batch = next(source, None)
                if batch is None:
                    return
                self.measurement.give(batch)
                if isinstance(context, ProfilingContext):
                    context.peak = max(context.peak, pa.total_allocated_bytes())
                yield batch
        finally:
            close_iterator(source)


@contextmanager
def measuring(root: Operator) -> Iterator[tuple[Operator, dict[int, Measurement]]]:
    """Yields the plan with every operator measured, and the measurements by the identity of the operators; afterwards the plan is as before."""
    made: dict[int, ProfiledOperator] = {}
    operators: list[Operator] = []
    stack: list[tuple[Operator, bool]] = [(root, False)]
    while stack:
        operator, is_ready = stack.pop()
        if id(operator) in made:
            continue
        if is_ready:
            made[id(operator)] = ProfiledOperator(operator)
            operators.append(operator)
        else:
            stack.append((operator, True))
            stack.extend((child, False) for child in operator.inputs)
    inputs = [operator.inputs for operator in operators]
    try:
        for operator in operators:
            operator.inputs = tuple(made[id(child)] for child in operator.inputs)
        yield made[id(root)], {number: one.measurement for number, one in made.items()}
    finally:
        for operator, before in zip(operators, inputs, strict=True):
            operator.inputs = before
