"""Tests for table_runtime.streaming.operators.row_by_time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.row_by_time import FirstRowByTime, LastRowByTime
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Run

ROWS = pa.schema([("k", pa.string()), ("t", pa.timestamp("us")), ("n", pa.int64()), ("v", pa.int64())])


class FirstModel:
    """Flink's keep-first by rowtime: of the rows that are not behind the watermark, the one with the least time; of equal times the first."""

    def __init__(self) -> None:
        self.out: list[tuple[Any, ...]] = []
        self.late = 0
        self.kept: dict[Any, tuple[Any, ...]] = {}
        self.done: set[Any] = set()

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        if row[1] < watermark:
            self.late += 1
        elif row[0] not in self.done and (row[0] not in self.kept or row[1] < self.kept[row[0]][1]):
            self.kept[row[0]] = row

    def fire(self, watermark: int) -> None:
        for row in sorted((row for row in self.kept.values() if row[1] <= watermark), key=lambda row: row[1:3]):
            self.out.append(row)
            self.done.add(row[0])
            del self.kept[row[0]]


class LastModel:
    """Flink's keep-last by rowtime: at once; a row replaces one that is not later."""

    def __init__(self, *, gives_before: bool) -> None:
        self.gives_before = gives_before
        self.out: list[tuple[Any, ...]] = []
        self.late = 0
        self.kept: dict[Any, tuple[Any, ...]] = {}

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        old = self.kept.get(row[0])
        if old is None:
            self.out.append(("+I", row))
        elif row[1] < old[1]:
            return
        else:
            self.out += [("-U", old)] * self.gives_before + [("+U", row)]
        self.kept[row[0]] = row

    def fire(self, watermark: int) -> None:
        """Nothing waits."""


TIMES = pytest.mark.parametrize(("interval", "delay"), [(0, 0), (0, 5), (7, 3)])


@pytest.mark.parametrize("seed", rounds(5))
@TIMES
def test_first_rows_are_those_of_one_row_after_the_other(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    interval: int,
    delay: int,
    seed: int,
) -> None:
    rows = random_times(seed)
    rows = [(f"{row[0]}{row[2] % 5}" if row[0] else None, *row[1:]) for row in rows]
    expected, late = expected_in_time(FirstModel(), rows, interval=interval, delay=delay)
    for cut in (1, 3, 1000):
        changes, dropped = run_in_time(FirstRowByTime(ROWS, [0], 1), ROWS, rows, cut, interval=interval, delay=delay)
        assert changes == [("+I", row) for row in expected]
        assert dropped == late


@pytest.mark.parametrize("seed", rounds(5))
@pytest.mark.parametrize("gives_before", [True, False])
def test_last_rows_are_those_of_one_row_after_the_other(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    gives_before: bool,
    seed: int,
) -> None:
    rows = random_times(seed)
    expected, _ = expected_in_time(LastModel(gives_before=gives_before), rows)
    for cut in (1, 3, 1000):
        operator = LastRowByTime(ROWS, [0], 1, name="Deduplicate", gives_before=gives_before)
        assert run_in_time(operator, ROWS, rows, cut) == (expected, 0)


def test_rows_of_keys_that_are_done_are_not_kept(context: ExecutionContext) -> None:
    operator = FirstRowByTime(ROWS, [0], 1, "keys=[k]")
    state = operator.create_state(context)

    def push(*rows: tuple[Any, ...]) -> None:
        times = pa.array([row[1] for row in rows], pa.timestamp("ms")).cast(ROWS.field(1).type)
        arrays = [pa.array([row[0] for row in rows]), times, pa.array(range(len(rows)), pa.int64()), pa.nulls(len(rows), pa.int64())]
        operator.process(ChangeBatch(pa.RecordBatch.from_arrays(arrays, schema=ROWS)), 0, state, lambda batch: None)

    push(("a", 5), ("b", 50), ("a", 60))
    operator.on_watermark(10, state, lambda batch: None)
    assert len(state.waiting) == 1  # that of b: the second row of a goes with the first
    push(("a", 70))
    assert len(state.waiting) == 1
    assert state.is_live(np.array([0, 1])).tolist() == [True, True]
    assert str(operator) == "Deduplicate(keys=[k])"
