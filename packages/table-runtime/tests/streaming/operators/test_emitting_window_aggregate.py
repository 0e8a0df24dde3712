"""Tests for table_runtime.streaming.operators.emitting_window_aggregate."""

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
from table_runtime.streaming.operators.emitting_window_aggregate import Emission, EmittingWindowAggregate
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.time.watermarks import END_OF_TIME

if TYPE_CHECKING:
    from conftest import Run

TIME = pa.timestamp("us")
ROWS = pa.schema([("k", pa.string()), ("t", TIME), ("n", pa.int64()), ("v", pa.int64())])
WINDOWED = ROWS.append(pa.field("end", TIME))
COUNT = AggregateColumn(make_accumulator(fn.COUNT, AggregateSpec("COUNT", (), BigIntType(nullable=False), ())), ())
SUM = AggregateColumn(make_accumulator(fn.SUM, AggregateSpec("SUM", (BigIntType(),), BigIntType(), ())), (3,))


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
    """Groups by window and key, one row after the other, with Flink's triggers at each row."""

    def __init__(self, size: int, slide: int, *, early: bool, lateness: int | None) -> None:
        self.size, self.slide, self.early = size, slide, early
        self.takes_late = lateness is not None
        self.lateness = lateness or 0
        self.out: list[Any] = []
        self.late = 0
        self.groups: dict[tuple[Any, int], list[int | None]] = {}
        self.emitted: dict[tuple[Any, int], tuple[Any, ...]] = {}
        self.reached = -END_OF_TIME

    def emit(self, group: tuple[Any, int]) -> None:
        values = self.groups[group]
        there = [value for value in values if value is not None]
        result = (*group, len(values), sum(there) if there else None)
        before = self.emitted.get(group)
        self.emitted[group] = result
        if before is None:
            self.out.append(("+I", result))
        elif before != result:
            self.out += [("-U", before), ("+U", result)]

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        for end in ends_of(row[1], self.size, self.slide):
            if end - 1 + self.lateness <= watermark:
                self.late += 1
                continue
            group = (row[0], end)
            self.groups.setdefault(group, []).append(row[3])
            if end - 1 <= watermark or self.early:
                self.emit(group)

    def fire(self, watermark: int) -> None:
        for group in sorted(self.groups, key=lambda group: group[1]):
            if self.reached < group[1] - 1 <= watermark:
                self.emit(group)
        self.reached = watermark
        for group in [group for group in self.groups if group[1] - 1 + self.lateness <= watermark]:
            del self.groups[group]
            self.emitted.pop(group, None)


def operator(emission: Emission, *, gives_before: bool = True) -> EmittingWindowAggregate:
    fields = [WINDOWED.field(0), WINDOWED.field(4), pa.field("c", pa.int64()), pa.field("s", pa.int64())]
    return EmittingWindowAggregate(
        pa.schema(fields),
        WINDOWED,
        (0, 4),
        (COUNT, SUM),
        None,
        end=1,
        last_millisecond=lambda ends: milliseconds_of(ends) - 1,
        retracted=[False, False],
        emission=emission,
        gives_before=gives_before,
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(1))
@pytest.mark.parametrize(("size", "slide"), [(10, 10), (12, 4)])
@pytest.mark.parametrize(("early", "lateness"), [(True, None), (True, 15), (False, 15), (False, 1000)])
@pytest.mark.parametrize(("interval", "delay"), [(7, 3)])
def test_results_at_each_row_are_those_of_one_row_after_the_other(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    size: int,
    slide: int,
    early: bool,
    lateness: int | None,
    interval: int,
    delay: int,
    seed: int,
) -> None:
    rows = random_times(seed)
    emission = Emission(0 if early else None, None if lateness is None else 0, lateness or 0)
    expected, late = expected_in_time(Model(size, slide, early=early, lateness=lateness), rows, interval=interval, delay=delay)
    for cut in (1, 3, 1000):
        found = run_in_time(operator(emission), ROWS, rows, cut, interval=interval, delay=delay, between=[Windows(size, slide)])
        assert found == (expected, late)


class Steps:
    """Runs an operator row by row, by a clock of the test."""

    def __init__(self, context: ExecutionContext, emission: Emission, *, gives_before: bool = True) -> None:
        self.context = context
        self.operator = operator(emission, gives_before=gives_before)
        self.state: Any = self.operator.create_state(context)
        self.given: list[tuple[str, tuple[Any, ...]]] = []

    def out(self, batch: ChangeBatch) -> None:
        kinds = ["+I", "-U", "+U", "-D"]
        rows = zip(batch.rows.column(0).to_pylist(), *(column.to_pylist() for column in batch.rows.columns[2:]), strict=True)
        numbers = [0] * batch.num_rows if batch.kinds is None else batch.kinds.tolist()
        self.given += [(kinds[number], row) for number, row in zip(numbers, rows, strict=True)]

    def take(self) -> list[tuple[str, tuple[Any, ...]]]:
        given, self.given = self.given, []
        return given

    def at(self, now: int) -> list[tuple[str, tuple[Any, ...]]]:
        self.state.set_time(now, (0,))
        self.operator.on_clock(now, self.state, self.out)
        return self.take()

    def row(self, time: int, value: int) -> list[tuple[str, tuple[Any, ...]]]:
        arrays = [["a"], [time * 1000], [0], [value], [10 * (time // 10 + 1) * 1000]]
        batch = pa.RecordBatch.from_arrays(
            [pa.array(one, field.type) for one, field in zip(arrays, WINDOWED, strict=True)], schema=WINDOWED
        )
        self.operator.process(ChangeBatch(batch), 0, self.state, self.out)
        return self.take()

    def watermark(self, watermark: int) -> list[tuple[str, tuple[Any, ...]]]:
        self.operator.on_watermark(watermark, self.state, self.out)
        self.state.watermark = watermark
        return self.take()

    def restore(self) -> None:
        snapshot = self.state.snapshot()
        watermark, now = self.state.watermark, self.state.processing_time
        self.state = self.operator.create_state(self.context)
        self.state.set_time(now, (0,))
        self.state.restore([snapshot])
        self.state.watermark = watermark


@pytest.mark.parametrize("restores", [False, True])
def test_early_results_are_due_by_the_clock_from_the_first_row_on(context: ExecutionContext, restores: bool) -> None:
    steps = Steps(context, Emission(100, None, 0))
    assert steps.operator.next_timer(steps.state) == END_OF_TIME
    assert steps.at(1000) == []
    assert steps.row(1, 5) == []
    assert steps.operator.next_timer(steps.state) == 1100
    if restores:
        steps.restore()
    assert steps.at(1099) == []
    assert steps.row(2, 6) == []
    assert steps.at(1100) == [("+I", ("a", 2, 11))]
    assert steps.at(1200) == []  # nothing has changed
    if restores:
        steps.restore()
    assert steps.row(3, 1) == []
    assert steps.operator.next_timer(steps.state) == 1300
    assert steps.at(1555) == [("-U", ("a", 2, 11)), ("+U", ("a", 3, 12))]
    assert steps.operator.next_timer(steps.state) == 1600
    assert steps.row(4, 1) == []
    assert steps.watermark(9) == [("-U", ("a", 3, 12)), ("+U", ("a", 4, 13))]
    assert steps.operator.next_timer(steps.state) == END_OF_TIME
    assert steps.at(1700) == []


@pytest.mark.parametrize("restores", [False, True])
def test_late_results_are_due_by_the_clock_from_the_first_late_row_on(context: ExecutionContext, restores: bool) -> None:
    steps = Steps(context, Emission(None, 50, 20), gives_before=False)
    steps.at(1000)
    assert steps.row(1, 5) == []
    assert steps.watermark(9) == [("+I", ("a", 1, 5))]
    if restores:
        steps.restore()
    steps.at(1010)
    assert steps.row(2, 1) == []
    assert steps.at(1059) == []
    assert steps.at(1060) == [("+U", ("a", 2, 6))]
    assert steps.row(12, 3) == []
    assert steps.watermark(28) == [("+I", ("a", 1, 3))]
    assert steps.row(3, 1) == []
    assert steps.watermark(29) == []  # the first window gets no rows any more, and the result that was due is lost, as in Flink
    assert steps.row(4, 1) == []
    assert steps.state.metrics.late_rows == 1


def test_a_window_that_begins_with_a_late_row_is_emitted_at_once(context: ExecutionContext) -> None:
    steps = Steps(context, Emission(None, 50, 20))
    steps.at(1000)
    steps.watermark(15)
    assert steps.row(2, 1) == [("+I", ("a", 1, 1))]
    assert steps.row(3, 1) == []
    assert steps.at(1050) == [("-U", ("a", 1, 1)), ("+U", ("a", 2, 2))]
