"""Tests for table_runtime.streaming.operators.window_aggregate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.annotation import override
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.operators.window_aggregate import WindowAggregate
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Run

TIME = pa.timestamp("us")
ROWS = pa.schema([("k", pa.string()), ("t", TIME), ("n", pa.int64()), ("v", pa.int64())])
WINDOWED = ROWS.append(pa.field("end", TIME))
COUNT = AggregateColumn(make_accumulator(fn.COUNT, AggregateSpec("COUNT", (), BigIntType(nullable=False), ())), ())
SUM = AggregateColumn(make_accumulator(fn.SUM, AggregateSpec("SUM", (BigIntType(),), BigIntType(), ())), (3,))
DISTINCT = AggregateColumn(make_accumulator(fn.COUNT, AggregateSpec("COUNT", (BigIntType(),), BigIntType(nullable=False), ())), (3,), True)


def ends_of(time: int, size: int, slide: int) -> Iterator[int]:
    """Returns the ends of the windows of a row, the last one first, as Flink assigns them."""
    start = time - time % slide
    while start > time - size:
        yield start + size
        start -= slide


class Windows(ChangelogOperator[OperatorState]):
    """Repeats each row for each of its windows."""

    def __init__(self, size: int, slide: int) -> None:
        super().__init__(WINDOWED)
        self.size, self.slide = size, slide

    @override
    def create_state(self, context: ExecutionContext) -> OperatorState:
        return OperatorState(context)

    @override
    def exchange_keys(self, input_index: int) -> None:
        return None

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        times = milliseconds_of(batch.rows.column(1)).tolist()
        pairs = [(row, end) for row, time in enumerate(times) for end in ends_of(time, self.size, self.slide)]
        repeated = batch.take(np.array([row for row, _ in pairs], np.int64))
        ends = pa.array([end for _, end in pairs], pa.timestamp("ms")).cast(TIME)
        out(ChangeBatch(make_batch([*repeated.rows.columns, ends], WINDOWED, len(pairs)), repeated.kinds, repeated.before))


class Model:
    """Groups by window and key."""

    def __init__(self, size: int, slide: int) -> None:
        self.size, self.slide = size, slide
        self.out: list[tuple[Any, ...]] = []
        self.late = 0
        self.groups: dict[tuple[Any, int], list[int | None]] = {}

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        for end in ends_of(row[1], self.size, self.slide):
            if end - 1 <= watermark:
                self.late += 1
            else:
                self.groups.setdefault((row[0], end), []).append(row[3])

    def fire(self, watermark: int) -> None:
        for key, end in sorted((group for group in self.groups if group[1] - 1 <= watermark), key=lambda group: group[1]):
            values = self.groups.pop((key, end))
            there = [value for value in values if value is not None]
            self.out.append((key, end, len(values), sum(there) if there else None, len(set(there))))


def operator(grouping: tuple[int, ...] = (0, 4), sets: Any = None, columns: Any = (COUNT, SUM, DISTINCT)) -> WindowAggregate:
    fields = [WINDOWED.field(i) for i in grouping] + [pa.field(f"a{i}", c.accumulator.spec.arrow_type) for i, c in enumerate(columns)]
    fields += [pa.field("id", pa.int64())] if sets else []
    return WindowAggregate(
        pa.schema(fields),
        WINDOWED,
        grouping,
        columns,
        sets,
        end=grouping.index(4),
        last_millisecond=lambda ends: milliseconds_of(ends) - 1,
        retracted=[False] * len(columns),
        text="window=[TUMBLE]",
    )


def by_end(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Returns rows with the groups of one window in the order of their texts."""
    return sorted(rows, key=lambda row: (row[1], repr(row)))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", rounds(2))
@pytest.mark.parametrize(("size", "slide"), [(10, 10), (12, 4), (3, 1)])
@pytest.mark.parametrize(("interval", "delay"), [(0, 0), (0, 5), (7, 3)])
def test_windows_are_those_of_one_row_after_the_other(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    size: int,
    slide: int,
    interval: int,
    delay: int,
    seed: int,
) -> None:
    rows = random_times(seed)
    expected, late = expected_in_time(Model(size, slide), rows, interval=interval, delay=delay)
    for cut in (1, 3, 1000):
        changes, dropped = run_in_time(operator(), ROWS, rows, cut, interval=interval, delay=delay, between=[Windows(size, slide)])
        assert {kind for kind, _ in changes} == {"+I"}
        found = [row for _, row in changes]
        assert [row[1] for row in found] == sorted(row[1] for row in found)
        assert (by_end(found), dropped) == (by_end(expected), late)


def test_groups_of_a_window_are_in_the_order_in_which_they_began(run_in_time: Run) -> None:
    rows = [("b", 1, 0, 1), ("a", 12, 1, 1), (None, 3, 2, 1), ("a", 4, 3, 1), ("b", 5, 4, 1)]
    changes, _ = run_in_time(operator(), ROWS, rows, interval=100, between=[Windows(10, 10)])
    assert [row[:3] for _, row in changes] == [("b", 10, 2), (None, 10, 1), ("a", 10, 1), ("a", 20, 1)]


def test_each_row_counts_in_each_grouping_set(run_in_time: Run) -> None:
    rows = [("a", 1, 0, 1), ("b", 2, 1, 2), ("a", 15, 2, 4), ("a", 3, 3, 8)]
    sets = operator(sets=[[0, 1], [1]], columns=(COUNT, SUM))
    for cut in (1, 1000):
        changes, late = run_in_time(sets, ROWS, rows, cut, between=[Windows(10, 10)])
        assert sorted(map(repr, changes)) == sorted(
            repr(("+I", row))
            for row in [("a", 10, 1, 1, 0), ("b", 10, 1, 2, 0), (None, 10, 2, 3, 2), ("a", 20, 1, 4, 0), (None, 20, 1, 4, 2)]
        )
        assert late == 1


def retracting() -> WindowAggregate:
    return WindowAggregate(
        pa.schema([WINDOWED.field(0), WINDOWED.field(4), ("c", pa.int64())]),
        WINDOWED,
        (0, 4),
        [COUNT],
        end=1,
        last_millisecond=lambda ends: milliseconds_of(ends) - 1,
        retracted=[True],
    )


@pytest.mark.parametrize("restores", [False, True])
def test_a_group_that_was_retracted_whole_keeps_its_place_until_its_window_is_over(
    context: ExecutionContext, change_batch: Callable[[list[Any], pa.Schema], ChangeBatch], restores: bool
) -> None:
    one = retracting()
    state = one.create_state(context)
    given: list[ChangeBatch] = []
    a, b = ("a", 1, 0, 1, 10_000), ("b", 1, 1, 1, 10_000)
    snapshots: list[Any] = []
    for changes in ([("+I", a), ("+I", b)], [("-D", b)], [("+I", b)], []):
        if changes:
            one.process(change_batch(changes, WINDOWED), 0, state, given.append)
        else:
            one.on_watermark(9, state, given.append)
            state.watermark = 9
        if restores:
            snapshots.insert(0, state.snapshot(changes_only=bool(snapshots)))
            state = one.create_state(context)
            state.restore(snapshots)
    (result,) = given
    assert result.rows.column(0).to_pylist() == ["a", "b"]


def test_a_group_that_was_retracted_whole_is_not_emitted(
    context: ExecutionContext, change_batch: Callable[[list[Any], pa.Schema], ChangeBatch]
) -> None:
    one = retracting()
    state = one.create_state(context)
    given: list[ChangeBatch] = []
    a, b = ("a", 1, 0, 1, 10_000), ("b", 1, 1, 1, 10_000)
    one.process(change_batch([("+I", a), ("+I", b), ("-D", a), ("-D", a)], WINDOWED), 0, state, given.append)
    one.on_watermark(8, state, given.append)
    assert given == []
    one.on_watermark(9, state, given.append)
    assert given[0].rows.column(0).to_pylist() == ["b"]
    assert state.metrics.ignored_retractions == 1
    one.on_watermark(20, state, given.append)
    assert len(given) == 1


def test_an_aggregate_without_rows_emits_nothing(run_in_time: Run) -> None:
    assert run_in_time(operator(grouping=(4,)), ROWS, [], between=[Windows(10, 10)]) == ([], 0)
    assert str(operator()) == "WindowAggregate(window=[TUMBLE])"
