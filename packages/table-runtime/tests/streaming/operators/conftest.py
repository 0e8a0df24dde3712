"""Runs operators on rows in event time, with watermarks between the rows."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.connector import RowKind
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Edge, Graph, Node, Source
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner
from table_runtime.streaming.state.snapshots import Snapshot
from table_runtime.streaming.time.watermarks import END_OF_TIME

sys.path.insert(0, str(Path(__file__).parent))  # shared helpers

Step = tuple[int, str, tuple[Any, ...]]
"""The number of an input, a row kind as ``+I``, and the values of a row."""


RESTORES = 10


class Unread(Operator):
    """The scan of a source whose batches the test pushes."""

    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        raise AssertionError("the test pushes the rows")


class EventTime:
    """Watermarks of the inputs, row by row, as the assigners of ``Play`` make them: event time minus ``delay``."""

    def __init__(self, inputs: int, delay: int, interval: int) -> None:
        self._delay, self._interval = delay, interval
        self._greatest, self._emitted = [0] * inputs, [0] * inputs
        self.current = NO_WATERMARK

    def advance(self, number: int, time: int) -> bool:
        """Takes the time of the next row of an input; returns whether the least watermark of the inputs has risen."""
        self._greatest[number] = max(self._greatest[number], time - self._delay)
        if self._greatest[number] > self._emitted[number] + self._interval:
            self._emitted[number] = self._greatest[number]
        return self._set(min(emitted or NO_WATERMARK for emitted in self._emitted))

    def end(self, number: int) -> bool:
        """Ends an input."""
        self._emitted[number] = END_OF_TIME
        return self._set(min(emitted or NO_WATERMARK for emitted in self._emitted))

    def _set(self, watermark: int) -> bool:
        rises = watermark > self.current
        self.current = max(watermark, self.current)
        return rises


class Play:
    """Runs an operator below which there is a watermark assigner for each input."""

    def __init__(self, context: ExecutionContext) -> None:
        self._context = context

    def __call__(
        self,
        operator: AnyOperator,
        inputs: Sequence[tuple[pa.Schema, int]],
        steps: Iterable[Step],
        *,
        delay: int = 0,
        interval: int = 0,
        size: int = 1,
        restores: bool = False,
        ends: Sequence[int] | None = None,
        reader: AnyOperator | None = None,
        prepare: Callable[[ChangeBatch], ChangeBatch] = lambda batch: batch,
    ) -> list[tuple[str, tuple[Any, ...]]]:
        """Returns the kinds and rows that the operator, or its ``reader``, emits.

        Times are milliseconds since 1970. ``inputs`` are schemas and the positions of the times. Rows are pushed in batches of up to ``size`` rows of
        one input. With ``restores`` the state is saved and restored about ten times, every third time as a whole, otherwise as changes. ``ends``
        is the order in which inputs end.
        """
        given: list[tuple[str, tuple[Any, ...]]] = []

        def receive(batch: ChangeBatch) -> None:
            kinds = np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds
            rows = zip(*map(_values, batch.rows.columns), strict=True)
            given.extend((RowKind(int(kind)).short_string, row) for kind, row in zip(kinds, rows, strict=True))

        count = len(inputs)
        nodes = [
            Node(
                WatermarkAssigner(schema, time, self._minus(time, delay), interval=interval, table=f"t{number}"),
                1,
                [Edge(count, number)],
            )
            for number, (schema, time) in enumerate(inputs)
        ]
        nodes.append(Node(operator, count, [Edge(None if reader is None else count + 1, 0)]))
        if reader is not None:
            nodes.append(Node(reader, 1, [Edge(None, 0)]))
        sources = [Source(Unread(schema), schema, True, [Edge(number, 0)]) for number, (schema, _) in enumerate(inputs)]
        graph = Graph(sources, nodes)
        self.run = GraphRun(graph, self._context, [receive])
        self.run.start()
        snapshots: list[list[Snapshot]] = []
        batches = list(self._batches(steps, inputs, size))
        for position, (number, batch) in enumerate(batches):
            self.run.push(sources[number].edges, prepare(batch))
            if restores and position % (1 + len(batches) // RESTORES) == 0:
                if len(snapshots) == 3:
                    snapshots.clear()
                snapshots.insert(0, self.run.snapshot(changes_only=bool(snapshots)))
                old, self.run = self.run, GraphRun(graph, self._context, [receive])
                for state, before in zip(self.run._states, old._states, strict=True):
                    state.count_on(before)
                self.run.restore(snapshots)
        self.rows_in_state = sum(
            batch.num_rows
            for name in ("left", "right", "waiting", "matches")
            for bucket in self.run.snapshot()[count].buckets.values()
            for table, batch in bucket.items()
            if table == name
        )
        for number in range(count) if ends is None else ends:
            self.run.end(sources[number].edges)
        self.late_rows = self.run._states[count].metrics.late_rows
        return given

    def _minus(self, time: int, delay: int) -> Callable[[pa.RecordBatch], pa.Array]:
        def evaluate(batch: pa.RecordBatch) -> pa.Array:
            return _column([value - delay for value in _values(batch.column(time))], batch.schema.field(time).type)

        return evaluate

    def _batches(self, steps: Iterable[Step], inputs: Sequence[tuple[pa.Schema, int]], size: int) -> Iterator[tuple[int, ChangeBatch]]:
        kinds = {kind.short_string: kind.value for kind in RowKind}
        pending: list[Step] = []

        def batch() -> tuple[int, ChangeBatch]:
            number = pending[0][0]
            schema = inputs[number][0]
            columns = [
                _column(values, field.type) for values, field in zip(zip(*(row for _, _, row in pending), strict=True), schema, strict=True)
            ]
            of_rows = np.array([kinds[kind] for _, kind, _ in pending], np.int8)
            return number, ChangeBatch(pa.RecordBatch.from_arrays(columns, schema=schema), of_rows)

        for step in steps:
            if pending and (step[0] != pending[0][0] or len(pending) == size):
                yield batch()
                pending.clear()
            pending.append(step)
        if pending:
            yield batch()


def _column(values: Iterable[Any], type_: pa.DataType) -> pa.Array:
    """Returns a column of values; times are in milliseconds."""
    if pa.types.is_timestamp(type_):
        return pa.array(list(values), pa.timestamp("ms")).cast(type_)
    return pa.array(list(values), type_)


def _values(column: pa.Array) -> list[Any]:
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("ms")).cast(pa.int64())
    return list(column.to_pylist())


@pytest.fixture
def play(context: ExecutionContext) -> Play:
    """Runs operators on rows with watermarks between them."""
    return Play(context)


@pytest.fixture
def event_time() -> type[EventTime]:
    """The watermarks of a row-by-row model."""
    return EventTime


@pytest.fixture
def bursts() -> Callable[[random.Random, Sequence[Step], Sequence[Step]], list[Step]]:
    """Interleaves the rows of two inputs in bursts of random length."""

    def interleave(chance: random.Random, one: Sequence[Step], other: Sequence[Step]) -> list[Step]:
        waiting = [list(one), list(other)]
        result: list[Step] = []
        while any(waiting):
            number = chance.randrange(2)
            length = chance.choice([1, 2, 5, 20])
            result += waiting[number][:length]
            del waiting[number][:length]
        return result

    return interleave
