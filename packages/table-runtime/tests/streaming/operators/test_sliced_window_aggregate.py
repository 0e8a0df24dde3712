"""Windows from slices, against the aggregate over rows that are repeated for each of their windows, and against one row after the other."""

from __future__ import annotations

import gc
import math
import random
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, DecimalType, DoubleType, LogicalType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import milliseconds_of
from table_runtime.steps.window_table_function import AlignedWindows, CumulateWindows, HopWindows, TumbleWindows
from table_runtime.steps.window_table_function.operator import TimeColumn
from table_runtime.streaming.changes.batch import ChangeBatch, Times
from table_runtime.streaming.operators import window_slices
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.operators.sliced_window_aggregate import SlicedWindowAggregate
from table_runtime.streaming.operators.window_aggregate import WindowAggregate
from table_runtime.streaming.operators.window_spans import WindowSpans

if TYPE_CHECKING:
    from conftest import Run

TIME = pa.timestamp("us")
ROWS = pa.schema([("k", pa.string()), ("t", TIME), ("n", pa.int64()), ("v", pa.int64()), ("x", pa.float64()), ("d", pa.decimal128(5, 2))])
WINDOWED = pa.schema([*ROWS, *(pa.field(name, TIME) for name in ("window_start", "window_end", "window_time"))])
WINDOWED = WINDOWED.append(pa.field("odd", pa.bool_()))
WINDOWS = (
    TumbleWindows(10),
    TumbleWindows(10, 3),
    HopWindows(4, 12),
    HopWindows(4, 12, -1),
    HopWindows(5, 12),
    HopWindows(1, 7, 2),
    HopWindows(10, 4),
    CumulateWindows(4, 12),
    CumulateWindows(3, 30, 2),
)


def same(values: pa.Array) -> pa.Array:
    return values


def call(function: FunctionDefinition, result: LogicalType, *args: tuple[int, LogicalType], filtered: bool = False) -> AggregateColumn:
    spec = AggregateSpec(function.name, tuple(type_ for _, type_ in args), result, ())
    positions = tuple(position for position, _ in args)
    return AggregateColumn(make_accumulator(function, spec), positions, False, 9 if filtered else None)


V, X, D = (3, BigIntType()), (4, DoubleType()), (5, DecimalType(5, 2))
COUNT = call(fn.COUNT, BigIntType(nullable=False))
SUM = call(fn.SUM, BigIntType(), V)
CALLS = (
    COUNT,
    SUM,
    call(fn.AVG, BigIntType(), V),
    call(fn.MIN, BigIntType(), V),
    call(fn.MAX, DoubleType(), X),
    call(fn.SUM, DecimalType(38, 2), D),
    call(fn.COUNT, BigIntType(nullable=False), V, filtered=True),
)


class Prepared(ChangelogOperator[OperatorState]):
    """Adds the column ``odd``, and repeats each row for each of its windows; without windows, their columns are the row's time."""

    def __init__(self, windows: AlignedWindows | None, time: TimeColumn) -> None:
        super().__init__(WINDOWED)
        self._windows, self._time = windows, time

    @override
    def create_state(self, context: ExecutionContext) -> OperatorState:
        return OperatorState(context)

    @override
    def exchange_keys(self, input_index: int) -> None:
        return None

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        of_windows = [batch.rows.column(1)] * 3
        if self._windows is not None:
            rows, starts, ends = self._windows.assign(self._time.milliseconds(batch.rows.column(1)))
            batch = batch if rows is None else batch.take(rows.to_numpy())
            of_windows = self._time.window_columns(starts, ends)
        odd = pa.array([n % 2 == 1 for n in batch.rows.column(2).to_pylist()])
        out(ChangeBatch(make_batch([*batch.rows.columns, *of_windows, odd], WINDOWED, batch.num_rows), batch.kinds, batch.before))


PLAIN = TimeColumn(1, same, same)


def result_schema(grouping: tuple[int, ...], columns: tuple[AggregateColumn, ...], sets: Any) -> pa.Schema:
    fields = [WINDOWED.field(i) for i in grouping] + [pa.field(f"a{i}", c.accumulator.spec.arrow_type) for i, c in enumerate(columns)]
    return pa.schema([*fields, *([pa.field("id", pa.int64())] if sets else [])])


def sliced(
    windows: AlignedWindows,
    grouping: tuple[int, ...] = (0, 6, 7),
    sets: Any = None,
    columns: tuple[AggregateColumn, ...] = CALLS,
    time: TimeColumn = PLAIN,
    last: Callable[[pa.Array], Times] | None = None,
) -> SlicedWindowAggregate:
    spans = WindowSpans(windows, time, last)
    parts = [i - 6 if i in (6, 7, 8) else None for i in grouping]
    schema = result_schema(grouping, columns, sets)
    return SlicedWindowAggregate(schema, WINDOWED, grouping, columns, sets, time=1, spans=spans, window_columns=parts, text="window=[HOP]")


def repeated(
    grouping: tuple[int, ...] = (0, 6, 7),
    sets: Any = None,
    columns: tuple[AggregateColumn, ...] = CALLS,
    last: Callable[[pa.Array], Times] = lambda ends: milliseconds_of(ends) - 1,
) -> WindowAggregate:
    retracted = [False] * len(columns)
    schema = result_schema(grouping, columns, sets)
    return WindowAggregate(
        schema, WINDOWED, grouping, columns, sets, end=grouping.index(7), last_millisecond=last, retracted=retracted, text=""
    )


@pytest.fixture
def seed() -> int:
    """A seed of random rows, which is printed when the test fails."""
    chosen = random.randrange(1 << 20)
    print(f"seed {chosen}")
    return chosen


@pytest.fixture
def random_rows(random_times: Callable[..., list[tuple[Any, ...]]], seed: int) -> Callable[[int], list[tuple[Any, ...]]]:
    """Makes rows whose sums of doubles are exact in any order."""

    def make(number: int) -> list[tuple[Any, ...]]:
        chance = random.Random(seed + number)
        rows = random_times(seed + number, 40)
        return [(*row, chance.choice([None, 0.5, -0.0, 2.0, math.inf]), chance.choice([None, "1.25", "-3.50"])) for row in rows]

    return make


@pytest.fixture
def both(run_in_time: Run, expected_in_time: Any) -> Callable[..., None]:
    """Compares results, and their order, of the two operators; a late row is counted once if it is late in all of its windows."""

    def compare(
        windows: AlignedWindows,
        rows: list[tuple[Any, ...]],
        *,
        time: TimeColumn = PLAIN,
        last: Any = None,
        in_order: Callable[[Any], Any] = lambda changes: changes,
        **options: Any,
    ) -> None:
        rows = [(*row[:5], None if row[5] is None else pa.scalar(row[5]).cast(pa.decimal128(5, 2)).as_py()) for row in rows]
        timing = {"interval": options.pop("interval", 0), "delay": options.pop("delay", 5)}
        others = options if last is None else {**options, "last": last}
        expected, _ = run_in_time(repeated(**others), ROWS, rows, between=[Prepared(windows, time)], **timing)
        _, late = expected_in_time(LateRows(windows, time, last), rows, **timing)
        for cut in (1, 1000):
            one = sliced(windows, time=time, last=last, **options)
            found, dropped = run_in_time(one, ROWS, rows, cut, between=[Prepared(None, time)], **timing)
            assert repr(in_order(found)) == repr(in_order(expected))
            assert dropped == late

    return compare


@pytest.mark.sampled(1)
@pytest.mark.parametrize("windows", WINDOWS, ids=str)
@pytest.mark.parametrize(("interval", "delay"), [(0, 0), (7, 3)])
def test_results_are_those_of_rows_that_are_repeated_for_each_window(
    both: Any, random_rows: Any, windows: AlignedWindows, interval: int, delay: int
) -> None:
    both(windows, random_rows(delay), interval=interval, delay=delay)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("at_once", "most_empty"), [(1, 4), (8, 0), (8, 1 << 30)])
@pytest.mark.parametrize("windows", [HopWindows(4, 12), HopWindows(1, 7, 2)], ids=str)
def test_windows_are_computed_together_or_each_by_itself(
    both: Any, random_rows: Any, windows: AlignedWindows, at_once: int, most_empty: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_slices, "_WINDOWS_AT_ONCE", at_once)
    monkeypatch.setattr(window_slices, "_MOST_EMPTY", most_empty)
    both(windows, random_rows(3), interval=20, delay=3)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("grouping", [(6, 7), (7, 0, 6, 8, 3), (7, 6, 4)])
@pytest.mark.parametrize("windows", [TumbleWindows(10), HopWindows(4, 12), CumulateWindows(4, 12)], ids=str)
def test_keys_have_any_columns_in_any_order(both: Any, random_rows: Any, windows: AlignedWindows, grouping: tuple[int, ...]) -> None:
    both(windows, random_rows(1), grouping=grouping)


@pytest.mark.parametrize("windows", [TumbleWindows(10), HopWindows(4, 12), CumulateWindows(4, 12)], ids=str)
def test_each_row_counts_in_each_grouping_set(both: Any, random_rows: Any, windows: AlignedWindows) -> None:
    both(windows, random_rows(2), sets=[[0, 1, 2], [1, 2]])


def test_rows_before_1970_and_far_away(both: Any, random_rows: Any) -> None:
    for moved in (-1_010, -62_135_596_800_000):
        rows = [(row[0], row[1] + moved, *row[2:]) for row in random_rows(3)]
        for windows in (TumbleWindows(10, 3), HopWindows(5, 12)):
            both(windows, rows)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("windows", WINDOWS, ids=str)
def test_windows_on_local_clocks_that_are_set(both: Any, random_rows: Any, windows: AlignedWindows, forward: bool) -> None:
    """Clocks are set by 20 milliseconds at 1080: forward, so that they never show 1080 to 1099, or back, so that they show 1060 to 1079 twice."""

    def local(times: pa.Array) -> pa.Array:
        moved = [time if time < 1080 else time + (20 if forward else -20) for time in milliseconds_of(times).tolist()]
        return pa.array(moved, pa.timestamp("ms")).cast(TIME)

    def instants(clocks: Times) -> Times:
        # A time that clocks do not show is as much later, and of one that they show twice it is the first.
        return np.where(clocks < 1100, clocks, clocks - 20) if forward else np.where(clocks < 1080, clocks, clocks + 20)

    def back(times: pa.Array) -> pa.Array:
        return pa.array(instants(milliseconds_of(times)), pa.timestamp("ms")).cast(TIME)

    def in_order(changes: Any) -> Any:
        """Puts windows that end in the same instant in the order of their ends."""
        return sorted(changes, key=lambda change: (instants(np.array(change[1][2] - 1)), change[1][2]))

    time = TimeColumn(1, local, back)
    both(windows, random_rows(4), time=time, last=lambda ends: instants(milliseconds_of(ends) - 1), in_order=in_order)


class LateRows:
    """Counts rows all of whose windows are over when they come."""

    def __init__(self, windows: AlignedWindows, time: TimeColumn, last: Callable[[pa.Array], Times] | None) -> None:
        self._windows, self._time, self._last = windows, time, last
        self.out: list[tuple[Any, ...]] = []
        self.late = 0

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        _, starts, ends = self._windows.assign(self._time.milliseconds(pa.array([row[1]], pa.timestamp("ms")).cast(TIME)))
        columns = self._time.window_columns(starts, ends)
        last = milliseconds_of(columns[1]) - 1 if self._last is None else self._last(columns[1])
        self.late += len(last) > 0 and bool((last <= watermark).all())

    def fire(self, watermark: int) -> None:
        """Emits nothing."""


class Model:
    """Groups by window and key, row by row; a window is emitted when the watermark reaches its last millisecond."""

    def __init__(self, windows: AlignedWindows) -> None:
        self._windows = windows
        self.out: list[tuple[Any, ...]] = []
        self.late = 0
        self._groups: dict[tuple[int, int, Any], list[float]] = {}

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        _, starts, ends = self._windows.assign(pa.array([row[1]]))
        self.late += len(ends) > 0 and max(ends.to_pylist()) - 1 <= watermark
        for start, end in zip(starts.to_pylist(), ends.to_pylist(), strict=True):
            if end - 1 > watermark:
                self._groups.setdefault((end, start, row[0]), []).append(row[4])

    def fire(self, watermark: int) -> None:
        for end, start, key in sorted((group for group in self._groups if group[0] - 1 <= watermark), key=lambda group: group[0]):
            values = self._groups.pop((end, start, key))
            self.out.append((key, start, end, len(values), math.fsum(values)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("windows", WINDOWS, ids=str)
def test_windows_are_those_of_one_row_after_the_other(
    run_in_time: Run, expected_in_time: Any, random_rows: Any, windows: AlignedWindows
) -> None:
    rows = [(*row[:4], row[2] / 7, None) for row in random_rows(5)]
    expected, late = expected_in_time(Model(windows), rows, delay=3)
    results = []
    for cut in (1, 3, 1000):
        one = sliced(windows, columns=(COUNT, call(fn.SUM, DoubleType(), X)))
        changes, dropped = run_in_time(one, ROWS, rows, cut, delay=3, between=[Prepared(None, PLAIN)])
        results.append([row for _, row in changes])
        assert dropped == late
        assert [row[:4] for row in results[-1]] == [row[:4] for row in expected]
        assert [row[4] for row in results[-1]] == pytest.approx([row[4] for row in expected])
    assert results[0] == results[1] == results[2]  # also the rounding


def test_a_key_of_many_windows_and_many_keys_of_a_few(run_in_time: Run) -> None:
    rows = [(f"k{number % 400}", 1000 + number // 10, number, 1, None, None) for number in range(900)]
    for windows in (HopWindows(10, 300), CumulateWindows(10, 300), TumbleWindows(10)):
        found, _ = run_in_time(sliced(windows, columns=(COUNT,)), ROWS, rows, 250, between=[Prepared(None, PLAIN)])
        expected, _ = run_in_time(repeated(columns=(COUNT,)), ROWS, rows, 250, between=[Prepared(windows, PLAIN)])
        assert found == expected


@pytest.mark.parametrize("values", [(1 << 62, 1 << 62), (-(1 << 62), -(1 << 62), -9)])
@pytest.mark.parametrize("windows", [TumbleWindows(10), HopWindows(5, 10), CumulateWindows(5, 10)], ids=str)
def test_an_overflow_names_the_window_and_the_group(run_in_time: Run, windows: AlignedWindows, values: tuple[int, ...]) -> None:
    rows = [("a", 3 * number, number, value, None, None) for number, value in enumerate([*values, 5])]
    with pytest.raises(TableRuntimeException, match=r"SUM\(v\) of the group k = 'a', window_start = '19"):
        run_in_time(sliced(windows, columns=(SUM,)), ROWS, rows, delay=100, between=[Prepared(None, PLAIN)])


def test_an_overflow_names_the_last_of_several_windows(run_in_time: Run) -> None:
    rows = [(key, time, 0, 1 << 62 if time > 30 else 1, None, None) for time in (1, 12, 23, 34, 39) for key in "ab"]
    with pytest.raises(TableRuntimeException, match=r"SUM\(v\) of the group k = '[ab]', window_start = '1970-01-01 00:00:00.030"):
        run_in_time(sliced(HopWindows(5, 10), columns=(SUM,)), ROWS, rows, delay=100, between=[Prepared(None, PLAIN)])


def test_no_slice_stays_when_its_windows_are_over(run_in_time: Run, context: ExecutionContext) -> None:
    for windows in WINDOWS:
        operator = sliced(windows)
        state = operator.create_state(context)
        rows = pa.RecordBatch.from_pydict(
            {
                "k": ["a", "b", "a"],
                "t": pa.array([1, 8, 22], pa.timestamp("ms")).cast(TIME),
                "n": [0, 1, 2],
                "v": [1, 2, 3],
                "x": [None] * 3,
            }
            | {"d": [None] * 3, "window_start": [None] * 3, "window_end": [None] * 3, "window_time": [None] * 3, "odd": [None] * 3},
            schema=WINDOWED,
        )
        given: list[ChangeBatch] = []
        operator.process(ChangeBatch(rows), 0, state, given.append)
        assert state.is_live(np.arange(state.keys.size)).any()
        operator.on_watermark(100, state, given.append)
        assert not state.is_live(np.arange(state.keys.size)).any()


def test_rows_without_time_are_dropped_and_no_rows_emit_nothing(run_in_time: Run, context: ExecutionContext) -> None:
    assert run_in_time(sliced(HopWindows(4, 12)), ROWS, [], between=[Prepared(None, PLAIN)]) == ([], 0)
    operator = sliced(HopWindows(4, 12), columns=(COUNT,))
    state = operator.create_state(context)
    columns: dict[str, list[Any]] = {field.name: [None] for field in WINDOWED}
    given: list[ChangeBatch] = []
    operator.process(ChangeBatch(pa.RecordBatch.from_pydict(columns, schema=WINDOWED)), 0, state, given.append)
    operator.on_watermark(1000, state, given.append)
    assert given == []
    assert str(operator) == "WindowAggregate(window=[HOP])"


def test_a_state_that_is_replaced_is_freed_at_once(context: ExecutionContext) -> None:
    gc.disable()
    try:
        state = weakref.ref(sliced(HopWindows(4, 12)).create_state(context))
        assert state() is None
    finally:
        gc.enable()
