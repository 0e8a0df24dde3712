"""Tests for table_runtime.streaming.operators.over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.over import Lateness, Over
from table_runtime.streaming.over.aggregates import FrameStart, OverAggregates, Unit
from table_runtime.streaming.over.calls import AnyCalls
from table_runtime.streaming.over.lag import OverLag
from table_runtime.streaming.over.ranks import OverRank, RankKind
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Run

ROWS = pa.schema([("k", pa.string()), ("t", pa.timestamp("us")), ("n", pa.int64()), ("v", pa.int64())])
LONG = BigIntType()
Emitted = list[tuple[Any, ...]]


def frame(unit: Unit, distance: int | None) -> Callable[[Emitted, int], Any]:
    """Returns a function from the emitted rows of a partition, and the position of the current one, to the sum over a frame."""

    def result(rows: Emitted, at: int) -> Any:
        last = at
        if unit is Unit.RANGE:
            last = max(i for i, row in enumerate(rows) if row[1] == rows[at][1])
            first = next(i for i, row in enumerate(rows) if distance is None or row[1] >= rows[at][1] - distance)
        else:
            first = 0 if distance is None else max(0, at - distance)
        values = [row[3] for row in rows[first : last + 1] if row[3] is not None]
        return sum(values) if values else None

    return result


def sums(column: int, unit: Unit, distance: int | None, partition_by: Sequence[int]) -> OverAggregates:
    aggregate = AggregateColumn(make_accumulator(fn.SUM, AggregateSpec("SUM", (LONG,), LONG, ())), (3,))
    return OverAggregates((column,), FrameStart(unit, distance), ROWS, partition_by, [aggregate])


class Model:
    """Emits the rows that a watermark has reached in the order of time."""

    def __init__(self, lateness: Lateness, results: Sequence[Callable[[Emitted, int], Any]], *, is_partitioned: bool) -> None:
        self.lateness, self.results, self.is_partitioned = lateness, results, is_partitioned
        self.out: list[tuple[Any, ...]] = []
        self.late = 0
        self.waiting: list[tuple[Any, ...]] = []
        self.emitted: dict[Any, Emitted] = {}

    def key(self, row: tuple[Any, ...]) -> Any:
        return row[0] if self.is_partitioned else None

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        last = max((one[1] for one in self.emitted.get(self.key(row), [])), default=None)
        limit = {
            Lateness.BEHIND_WATERMARK: watermark,
            Lateness.BEHIND_PARTITION: last,
        }[self.lateness]
        if limit is not None and row[1] <= limit:
            self.late += 1
        else:
            self.waiting.append(row)

    def fire(self, watermark: int) -> None:
        ready = sorted((row for row in self.waiting if row[1] <= watermark), key=lambda row: row[1])
        self.waiting = [row for row in self.waiting if row[1] > watermark]
        for row in ready:
            self.emitted.setdefault(self.key(row), []).append(row)
        for row in ready:
            rows = self.emitted[self.key(row)]
            self.out.append((*row, *(result(rows, rows.index(row)) for result in self.results)))


def lag(rows: Emitted, at: int) -> Any:
    return rows[at - 2][2] if at >= 2 else -1


def rank(rows: Emitted, at: int) -> int:
    return 1 + sum(row[1] < rows[at][1] for row in rows)


def operator(calls: Sequence[AnyCalls], partition_by: Sequence[int] = (0,), **options: Any) -> Over:
    schema = pa.schema([*ROWS, *(pa.field(f"c{i}", pa.int64()) for i in range(len(calls)))])
    return Over(schema, ROWS, partition_by, options.pop("time", 1), calls, text="orderBy=[t]", **options)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", rounds(2))
@pytest.mark.parametrize("partition_by", [(0,), ()])
@pytest.mark.parametrize(
    ("lateness", "frames"),
    [
        (Lateness.BEHIND_WATERMARK, [(Unit.RANGE, None), (Unit.ROWS, None)]),
        (Lateness.BEHIND_WATERMARK, [(Unit.ROWS, None), (Unit.ROWS, 2)]),
        (Lateness.BEHIND_PARTITION, [(Unit.ROWS, 2)]),
        (Lateness.BEHIND_PARTITION, [(Unit.ROWS, 0), (Unit.ROWS, 1)]),
        (Lateness.BEHIND_PARTITION, [(Unit.RANGE, 9)]),
        (Lateness.BEHIND_PARTITION, [(Unit.RANGE, 0), (Unit.ROWS, 3)]),
    ],
)
@pytest.mark.parametrize(("interval", "delay"), [(0, 0), (0, 5), (7, 3)])
def test_frames_are_those_of_one_row_after_the_other(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    lateness: Lateness,
    frames: list[tuple[Unit, int | None]],
    partition_by: tuple[int, ...],
    interval: int,
    delay: int,
    seed: int,
) -> None:
    rows = random_times(seed)
    model = Model(lateness, [frame(*one) for one in frames], is_partitioned=bool(partition_by))
    expected, late = expected_in_time(model, rows, interval=interval, delay=delay)
    for cut in (1, 3, 1000):
        calls = [sums(i, *one, partition_by) for i, one in enumerate(frames)]
        one = operator(calls, partition_by, lateness=lateness)
        changes, dropped = run_in_time(one, ROWS, rows, cut, interval=interval, delay=delay)
        assert [row for _, row in changes] == expected
        assert dropped == late


@pytest.mark.parametrize("seed", rounds(2))
@pytest.mark.parametrize("partition_by", [(0,), ()])
def test_ranks_and_lag_are_those_of_one_row_after_the_other(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    partition_by: tuple[int, ...],
    seed: int,
) -> None:
    rows = random_times(seed)
    expected, late = expected_in_time(Model(Lateness.BEHIND_WATERMARK, [lag, rank], is_partitioned=bool(partition_by)), rows, delay=5)
    for cut in (1, 3, 1000):
        calls: list[AnyCalls] = [
            OverRank(1, RankKind.RANK, pa.int64()),
            OverLag(0, 2, 2, pa.scalar(-1), pa.int64(), pa.int64()),
        ]
        changes, dropped = run_in_time(operator(calls, partition_by), ROWS, rows, cut, delay=5)
        assert [row for _, row in changes] == expected
        assert dropped == late


def test_rows_are_emitted_at_the_watermark_in_the_order_of_time(run_in_time: Run) -> None:
    rows = [("a", 30, 0, 1), ("b", 10, 1, 2), ("a", 20, 2, 4), ("a", 50, 3, 8), ("a", 30, 4, 16)]
    changes, late = run_in_time(operator([sums(0, Unit.ROWS, None, [0])]), ROWS, rows, delay=25)
    assert [(row[2], row[4]) for _, row in changes] == [(1, 2), (2, 4), (0, 5), (4, 21), (3, 29)]
    assert late == 0


def test_without_a_time_rows_are_processed_as_they_come_and_have_no_peers(run_in_time: Run) -> None:
    rows = [("a", 30, 0, 1), ("b", 10, 1, 2), ("a", 30, 2, 4)]
    for cut in (1, 1000):
        changes, _ = run_in_time(operator([sums(0, Unit.RANGE, None, [0])], time=None), ROWS, rows, cut)
        assert [(row[2], row[4]) for _, row in changes] == [(0, 1), (1, 2), (2, 5)]


def test_rows_that_were_emitted_no_longer_wait(context: ExecutionContext) -> None:
    one = operator([sums(0, Unit.ROWS, None, [0])])
    state = one.create_state(context)
    arrays = [pa.array(["a", "b"]), pa.array([1000, 50_000], ROWS.field(1).type), pa.array([0, 1]), pa.array([0, 1])]
    one.process(ChangeBatch(pa.RecordBatch.from_arrays(arrays, schema=ROWS)), 0, state, lambda batch: None)
    one.on_watermark(20, state, lambda batch: None)
    assert len(state.waiting) == 1
    assert str(one) == "OverAggregate(orderBy=[t])"
