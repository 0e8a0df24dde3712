"""Result rows in batches of a good size, that come in time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa
import pytest

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sinks import collect
from table_runtime.sinks.collect import Collect

SCHEMA = pa.schema([("a", pa.int64())])


class Batches(Operator):
    """Gives batches with the given numbers of rows, each after some seconds of a clock that nothing else moves."""

    def __init__(self, batches: list[tuple[int, float]], clock: list[float]) -> None:
        super().__init__(SCHEMA)
        self._batches = batches
        self._clock = clock

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for rows, seconds in self._batches:
            self._clock[0] += seconds
            yield pa.RecordBatch.from_pydict({"a": range(rows)}, schema=SCHEMA)


def sizes(monkeypatch: pytest.MonkeyPatch, batches: list[tuple[int, float]]) -> list[int]:
    """Returns the sizes of the batches of the result."""
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    operator = Collect(Batches(batches, clock), SCHEMA)
    return [batch.num_rows for batch in operator.batches(ExecutionContext(parallelism=1))]


def test_small_batches_of_a_fast_source_are_made_one_behind_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sizes(monkeypatch, [(1, 0.01), (0, 0.01), (2, 0.01), (3, 0.01)]) == [1, 5]


def test_rows_of_a_slow_source_come_as_it_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sizes(monkeypatch, [(1, 1.0), (1, 1.0), (1, 1.0)]) == [1, 1, 1]
    assert sizes(monkeypatch, [(1, 0.04)] * 7) == [1, 3, 3]


def test_large_batches_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "BATCH_ROWS", 10)
    monkeypatch.setattr(collect, "SMALL", 10)
    assert sizes(monkeypatch, [(25, 0.0)]) == [10, 10, 5]
