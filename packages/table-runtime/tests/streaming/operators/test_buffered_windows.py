"""Tests for table_runtime.streaming.operators.buffered_windows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sources.watermark_progress import milliseconds_of
from table_runtime.streaming.operators.buffered_windows import BufferedWindows, WindowInput
from table_runtime.streaming.operators.stateless import BatchInput
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Run

TIME = pa.timestamp("us")
ROWS = pa.schema([("k", pa.string()), ("t", TIME), ("n", pa.int64()), ("end", TIME)])
SIZE = 10


class Joined(Operator):
    """Pairs of rows with equal keys and ends; with ``is_outer`` also left rows without partners."""

    def __init__(self, leaves: list[BatchInput], *, is_outer: bool) -> None:
        super().__init__(pa.schema([pa.field(f"{side}{field.name}", field.type) for side in "lr" for field in ROWS]), leaves)
        self.leaves, self.is_outer = leaves, is_outer

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        left, right = ([row for batch in leaf.batches(context) for row in batch.to_pylist()] for leaf in self.leaves)
        for one in left:
            partners = [other for other in right if other["k"] is not None and (other["k"], other["end"]) == (one["k"], one["end"])]
            for other in partners or ([dict.fromkeys(one)] if self.is_outer else []):
                values = [*one.values(), *other.values()]
                yield pa.RecordBatch.from_arrays(
                    [pa.array([v], f.type) for v, f in zip(values, self.schema, strict=True)], schema=self.schema
                )


class Ranked(Operator):
    """The rows with the least numbers of each key and end, and their ranks, the last one first."""

    def __init__(self, leaf: BatchInput, count: int) -> None:
        super().__init__(ROWS.append(pa.field("rank", pa.int64())), [leaf])
        self.leaf, self.count = leaf, count

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        groups: dict[Any, list[dict[str, Any]]] = {}
        for batch in self.leaf.batches(context):
            for row in batch.to_pylist():
                groups.setdefault((row["k"], row["end"]), []).append(row)
        rows = [row | {"rank": rank} for group in groups.values() for rank, row in reversed(list(enumerate(group[: self.count])))]
        yield pa.RecordBatch.from_pylist(rows, schema=self.schema)


def end_of(row: tuple[Any, ...]) -> int:
    return int(row[1] - row[1] % SIZE + SIZE)


def last_millisecond(ends: pa.Array) -> Any:
    return milliseconds_of(ends) - 1


def join(*, is_outer: bool = False) -> BufferedWindows:
    leaves = [BatchInput(ROWS), BatchInput(ROWS)]
    inputs = [WindowInput(leaf, 3) for leaf in leaves]
    return BufferedWindows(Joined(leaves, is_outer=is_outer), inputs, [3, 7], last_millisecond, name="WindowJoin", text="window=[TUMBLE]")


class JoinModel:
    """Buffers both inputs by window."""

    def __init__(self, *, is_outer: bool) -> None:
        self.is_outer = is_outer
        self.out: list[tuple[Any, ...]] = []
        self.late = 0
        self.rows: tuple[list[tuple[Any, ...]], ...] = ([], [])

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        if row[3] - 1 <= watermark:
            self.late += 1
        else:
            self.rows[number].append(row)

    def fire(self, watermark: int) -> None:
        for row in sorted((row for row in self.rows[0] if row[3] - 1 <= watermark), key=lambda row: row[3]):
            partners = [other for other in self.rows[1] if row[0] is not None and (other[0], other[3]) == (row[0], row[3])]
            self.out += [row + other for other in partners or ([(None,) * 4] if self.is_outer else [])]
        for rows in self.rows:
            rows[:] = [row for row in rows if row[3] - 1 > watermark]


@pytest.mark.parametrize("seed", rounds(3))
@pytest.mark.parametrize("is_outer", [False, True])
@pytest.mark.parametrize(("interval", "delay"), [(0, 0), (0, 5), (7, 3)])
def test_joins_are_those_of_one_row_after_the_other(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    is_outer: bool,
    interval: int,
    delay: int,
    seed: int,
) -> None:
    chance = random.Random(seed)
    rows = [(int(chance.random() < 0.5), (*row[:3], end_of(row))) for row in random_times(seed)]
    expected, late = expected_in_time(JoinModel(is_outer=is_outer), rows, interval=interval, delay=delay, inputs=2)
    for cut in (1, 3, 1000):
        changes, dropped = run_in_time(join(is_outer=is_outer), (ROWS, ROWS), rows, cut, interval=interval, delay=delay)
        assert [row for _, row in changes] == expected
        assert dropped == late


class RankModel:
    """Keeps the first rows of each key in a window."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.out: list[tuple[Any, ...]] = []
        self.late = 0
        self.groups: dict[tuple[Any, int], list[tuple[Any, ...]]] = {}

    def row(self, number: int, row: tuple[Any, ...], watermark: int) -> None:
        if row[3] - 1 <= watermark:
            self.late += 1
        else:
            self.groups.setdefault((row[0], row[3]), []).append(row)

    def fire(self, watermark: int) -> None:
        for group in sorted((group for group in self.groups if group[1] - 1 <= watermark), key=lambda group: group[1]):
            self.out += self.groups.pop(group)[: self.count]


@pytest.mark.parametrize("seed", rounds(3))
@pytest.mark.parametrize(("interval", "delay"), [(0, 0), (0, 5), (7, 3)])
def test_ranks_are_emitted_by_window_then_key_then_rank(
    run_in_time: Run,
    expected_in_time: Callable[..., Any],
    random_times: Callable[..., list[tuple[Any, ...]]],
    interval: int,
    delay: int,
    seed: int,
) -> None:
    rows = [(*row[:3], end_of(row)) for row in random_times(seed)]
    expected, late = expected_in_time(RankModel(2), rows, interval=interval, delay=delay)
    for cut in (1, 3, 1000):
        leaf = BatchInput(ROWS)
        operator = BufferedWindows(
            Ranked(leaf, 2), [WindowInput(leaf, 3)], [3], last_millisecond, name="WindowRank", partition_by=[0, 3], has_rank=True
        )
        changes, dropped = run_in_time(operator, ROWS, rows, cut, interval=interval, delay=delay)
        assert [row for _, row in changes] == expected
        assert dropped == late


def test_rows_of_a_window_can_be_read_the_last_one_first(run_in_time: Run) -> None:
    leaf = BatchInput(ROWS)
    operator = BufferedWindows(
        Ranked(leaf, 1),
        [WindowInput(leaf, 3)],
        [3],
        last_millisecond,
        name="WindowRank",
        partition_by=[0, 3],
        has_rank=True,
        is_reversed=True,
    )
    rows = [("a", 1, 0, 10), ("a", 12, 1, 20), ("a", 3, 2, 10), ("a", 13, 3, 20)]
    for cut in (1, 1000):
        changes, _ = run_in_time(operator, ROWS, rows, cut, delay=20)
        assert [row[2] for _, row in changes] == [2, 3]


def test_a_window_ends_when_the_slower_input_has_reached_its_end(run_in_time: Run) -> None:
    rows = [
        (0, ("a", 1, 0, 10)),
        (1, ("a", 2, 1, 10)),
        (0, ("a", 50, 2, 60)),
        (1, ("a", 3, 3, 10)),
        (1, ("a", 9, 4, 10)),
        (0, ("a", 4, 5, 10)),
    ]
    changes, late = run_in_time(join(), (ROWS, ROWS), rows)
    assert [(row[2], row[6]) for _, row in changes] == [(0, 1), (0, 3), (0, 4)]
    assert late == 1
    assert str(join()) == "WindowJoin(window=[TUMBLE])"
