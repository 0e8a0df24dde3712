"""Tests for table_runtime.streaming.operators.session_windows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

from table_common.annotation import override
from table_runtime.casts import to_local
from table_runtime.run.execution import ExecutionContext
from table_runtime.steps.window_table_function.operator import TimeColumn
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.session_windows import SessionWindows
from table_runtime.streaming.time.window_clock import WindowClock
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Run

ROWS = pa.schema([("k", pa.string()), ("t", pa.timestamp("us")), ("n", pa.int64()), ("v", pa.int64())])


class Milliseconds(TimeColumn):
    """Gives the local bounds of windows as numbers."""

    @override
    def window_columns(self, starts: pa.Array, ends: pa.Array) -> list[pa.Array]:
        return [starts, ends]


def time_column(zone: str | None = None) -> TimeColumn:
    def local(values: pa.Array) -> pa.Array:
        return values if zone is None else to_local(values.cast(pa.timestamp("us", "UTC")), zone)

    return Milliseconds(1, local, lambda values: values)


def operator(gap: int, partition_by: tuple[int, ...] = (0,), zone: str | None = None) -> SessionWindows:
    schema = ROWS.append(pa.field("start", pa.int64())).append(pa.field("end", pa.int64()))
    return SessionWindows(schema, ROWS, time_column(zone), partition_by, gap, WindowClock(zone), "SESSION")


class Model:
    """Merges each row with the sessions of its partition that it touches."""

    def __init__(self, gap: int, *, is_partitioned: bool, zone: str | None = None) -> None:
        self.gap, self.is_partitioned = gap, is_partitioned
        self.zone, self.clock = None if zone is None else ZoneInfo(zone), WindowClock(zone)
        self.out: list[tuple[Any, ...]] = []
        self.late = 0
        self.sessions: list[tuple[int, int, Any, list[tuple[Any, ...]]]] = []

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        key = row[0] if self.is_partitioned else None
        time = self.local(row[1])
        touched = [one for one in self.sessions if one[2] == key and one[0] <= time + self.gap and one[1] >= time]
        start = min([time, *(one[0] for one in touched)])
        end = max([time + self.gap, *(one[1] for one in touched)])
        if self.last(end) <= watermark:
            self.late += 1
            return
        self.sessions = [one for one in self.sessions if one not in touched]
        self.sessions.append((start, end, key, [*(one for session in touched for one in session[3]), row]))

    def fire(self, watermark: int) -> None:
        for session in sorted((one for one in self.sessions if self.last(one[1]) <= watermark), key=lambda one: one[1]):
            self.sessions.remove(session)
            self.out += [(*row, *session[:2]) for row in session[3]]

    def local(self, time: int) -> int:
        if self.zone is None:
            return time
        offset = datetime.fromtimestamp(time / 1000, self.zone).utcoffset()
        assert offset is not None
        return time + offset // timedelta(milliseconds=1)

    def last(self, end: int) -> int:
        return int(self.clock.last_instants(np.array([end]))[0])


def by_end(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Returns rows in the order of their sessions, and within a session in that of their numbers."""
    return sorted(rows, key=lambda row: (row[-1], repr(row[0]), row[2]))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", rounds(3))
@pytest.mark.parametrize("gap", [1, 4, 15])
@pytest.mark.parametrize("partition_by", [(0,), ()])
@pytest.mark.parametrize(("interval", "delay"), [(0, 0), (0, 5), (7, 3)])
def test_sessions_are_those_of_one_row_after_the_other(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    gap: int,
    partition_by: tuple[int, ...],
    interval: int,
    delay: int,
    seed: int,
) -> None:
    rows = random_times(seed, spread=15)
    expected, late = expected_in_time(Model(gap, is_partitioned=bool(partition_by)), rows, interval=interval, delay=delay)
    orders = []
    for cut in (1, 3, 1000):
        changes, dropped = run_in_time(operator(gap, partition_by), ROWS, rows, cut, interval=interval, delay=delay)
        found = [row for _, row in changes]
        assert [row[-1] for row in found] == sorted(row[-1] for row in found)
        assert (by_end(found), dropped) == (by_end(expected), late)
        orders.append(found)
    assert orders[0] == orders[1] == orders[2]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", rounds(2))
@pytest.mark.parametrize("gap", [20, 90])
@pytest.mark.parametrize(
    ("zone", "change"),
    [
        ("Europe/Berlin", datetime(2026, 3, 29, 1)),
        ("Europe/Berlin", datetime(2026, 10, 25, 1)),
        ("America/New_York", datetime(2026, 11, 1, 6)),
        ("Australia/Adelaide", datetime(2026, 10, 3, 16, 30)),
        ("Australia/Lord_Howe", datetime(2026, 4, 4, 15)),
    ],
)
@pytest.mark.parametrize("delay", [0, 30])
def test_sessions_are_on_local_clocks(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    zone: str,
    change: datetime,
    gap: int,
    delay: int,
    seed: int,
) -> None:
    minute = 60_000
    drawn = random_times(seed, spread=15)
    middle = sorted(row[1] for row in drawn)[len(drawn) // 2]
    start = int(change.replace(tzinfo=UTC).timestamp() * 1000)
    rows = [(key, start + (time - middle) * 2 * minute, *rest) for key, time, *rest in drawn]
    expected, late = expected_in_time(Model(gap * minute, is_partitioned=True, zone=zone), rows, interval=0, delay=delay * minute)
    for cut in (1, 3, 1000):
        changes, dropped = run_in_time(operator(gap * minute, (0,), zone), ROWS, rows, cut, interval=0, delay=delay * minute)
        assert (by_end([row for _, row in changes]), dropped) == (by_end(expected), late)


def test_a_row_merges_two_sessions_that_it_touches(run_in_time: Run) -> None:
    rows = [("a", 100, 0, None), ("a", 120, 1, None), ("a", 110, 2, None)]
    changes, _ = run_in_time(operator(10), ROWS, rows, delay=50)
    assert [row[2:] for _, row in changes] == [(0, None, 100, 130), (1, None, 100, 130), (2, None, 100, 130)]


def test_a_session_that_is_over_takes_no_more_rows(run_in_time: Run) -> None:
    rows = [("a", 100, 0, None), ("b", 109, 1, None), ("a", 105, 2, None)]  # the watermark 109 ends the session of 100
    for cut in (1, 1000):
        changes, late = run_in_time(operator(10), ROWS, rows, cut)
        assert [(row[2], *row[4:]) for _, row in changes] == [(0, 100, 110), (2, 105, 115), (1, 109, 119)]
        assert late == 0


def test_a_row_whose_session_would_be_over_is_late(run_in_time: Run) -> None:
    rows = [("a", 100, 0, None), ("b", 150, 1, None), ("a", 140, 2, None), ("a", 142, 3, None), ("a", 132, 4, None)]
    for cut in (1, 1000):
        changes, late = run_in_time(operator(10), ROWS, rows, cut)
        # 132 merges with the session of 142, which is not over.
        assert [(row[2], *row[4:]) for _, row in changes] == [(0, 100, 110), (3, 132, 152), (4, 132, 152), (1, 150, 160)]
        assert late == 1


def test_rows_without_a_time_are_in_no_session(context: ExecutionContext) -> None:
    one = operator(10)
    state = one.create_state(context)
    arrays = [pa.array(["a", "a"]), pa.array([None, 5000], ROWS.field(1).type), pa.array([0, 1]), pa.array([0, 1])]
    given: list[ChangeBatch] = []
    one.process(ChangeBatch(pa.RecordBatch.from_arrays(arrays, schema=ROWS), None, np.array([0, 0])), 0, state, given.append)
    one.on_watermark(100, state, given.append)
    assert [batch.rows.column(2).to_pylist() for batch in given] == [[1]]
    assert str(one) == "WindowTableFunction(SESSION)"


def test_state_ends_with_its_sessions(context: ExecutionContext) -> None:
    one = operator(10)
    state = one.create_state(context)
    arrays = [pa.array(["a", "b"]), pa.array([1000, 50_000], ROWS.field(1).type), pa.array([0, 1]), pa.array([0, 1])]
    one.process(ChangeBatch(pa.RecordBatch.from_arrays(arrays, schema=ROWS)), 0, state, lambda batch: None)
    one.on_watermark(20, state, lambda batch: None)
    assert (len(state.rows), state.is_live(np.array([0, 1])).tolist()) == (1, [False, True])


def test_retractions_belong_to_sessions_as_other_rows(context: ExecutionContext) -> None:
    schema = ROWS.append(pa.field("start", pa.int64())).append(pa.field("end", pa.int64()))
    one = SessionWindows(schema, ROWS, time_column(), (0,), 10, WindowClock(None), has_changes=True)
    state = one.create_state(context)
    times = pa.array([1000, 5000, 1000, 40_000], ROWS.field(1).type)
    arrays = [pa.array(["a"] * 4), times, pa.array([0, 1, 2, 3]), pa.array([0, 1, 0, 2])]
    kinds = np.array([0, 0, 3, 0], np.int8)
    given: list[ChangeBatch] = []
    for before in (np.full(4, -100), np.array([-100, -100, -100, 17])):  # the second time, some rows come one by one
        one.process(ChangeBatch(pa.RecordBatch.from_arrays(arrays, schema=ROWS), kinds, before), 0, state, given.append)
        one.on_watermark(30, state, given.append)
        batch = given.pop()
        assert batch.kinds is not None
        assert list(zip(batch.kinds.tolist(), *(batch.rows.column(i).to_pylist() for i in (2, 4, 5)), strict=True)) == [
            (0, 0, 1, 15),
            (0, 1, 1, 15),
            (3, 2, 1, 15),
        ]
        state.rows.remove(state.rows.rows())
