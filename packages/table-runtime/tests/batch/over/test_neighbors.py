"""LAG, LEAD, FIRST_VALUE and LAST_VALUE, compared with a search row by row."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.batch.over.frames import Frames
from table_runtime.batch.over.neighbors import EdgeValue, Neighbor
from table_runtime.batch.over.sorted_rows import SortedRows

BIGINT = pa.int64()


def sorted_rows(parts: list[int]) -> SortedRows:
    return SortedRows(len(parts), [pa.array(parts, BIGINT)], [], [])


def neighbors(parts: list[int], args: list[Any], *, is_behind: bool = False, ignores_nulls: bool = False) -> Any:
    function = Neighbor(BIGINT, is_behind=is_behind, ignores_nulls=ignores_nulls)
    return function.compute(sorted_rows(parts), None, args, lambda: None).to_pylist()


def random_rows() -> tuple[list[int], list[int | None], random.Random]:
    seed = random.randrange(10**6)
    print("seed", seed)
    source = random.Random(seed)
    parts = sorted(source.randint(0, 4) for _ in range(40))
    return parts, [None if source.random() < 0.4 else source.randint(0, 99) for _ in parts], source


@pytest.mark.parametrize("is_behind", [True, False])
@pytest.mark.parametrize("ignores_nulls", [True, False])
@pytest.mark.parametrize("distance", [0, 1, 3])
def test_the_value_is_that_of_the_row_at_the_distance_or_the_default(is_behind: bool, ignores_nulls: bool, distance: int) -> None:
    parts, values, _ = random_rows()
    expected = []
    for row, part in enumerate(parts):
        others = range(row + 1, len(parts)) if is_behind else range(row - 1, -1, -1)
        counted = [i for i in others if parts[i] == part and not (ignores_nulls and values[i] is None)]
        there = [row, *counted]
        expected.append(values[there[distance]] if distance < len(there) else -1)
    args = [pa.array(values, BIGINT), pa.scalar(distance), pa.scalar(-1, BIGINT)]
    assert neighbors(parts, args, is_behind=is_behind, ignores_nulls=ignores_nulls) == expected


def test_without_a_default_a_missing_row_is_null() -> None:
    assert neighbors([0, 0, 1], [pa.array([1, 2, 3])]) == [None, 1, None]


def test_a_distance_of_null_returns_null_and_not_the_default() -> None:
    values, default = pa.array([1, 2, 3]), pa.scalar(-1, BIGINT)
    assert neighbors([0] * 3, [values, pa.scalar(None, BIGINT), default]) == [None] * 3
    assert neighbors([0] * 3, [values, pa.array([1, None, 1]), default]) == [-1, None, 2]


def test_a_column_of_defaults_gives_that_of_the_row() -> None:
    assert neighbors([0, 0, 1], [pa.array([1, 2, 3]), pa.scalar(1), pa.array([7, 8, 9])]) == [7, 1, 9]


@pytest.mark.parametrize("ignores_nulls", [True, False])
def test_no_rows_have_no_neighbors(ignores_nulls: bool) -> None:
    assert neighbors([], [pa.array([], BIGINT)], ignores_nulls=ignores_nulls) == []


@pytest.mark.parametrize("is_last", [True, False])
@pytest.mark.parametrize("ignores_nulls", [True, False])
def test_the_edge_of_a_frame_is_its_first_or_last_counted_value(is_last: bool, ignores_nulls: bool) -> None:
    _, values, source = random_rows()
    rows = len(values)
    bounds = [(start := source.randint(0, rows), source.randint(start, rows)) for _ in values]
    lower, upper = (pa.array([bound[side] for bound in bounds], BIGINT) for side in (0, 1))
    frames = Frames(lower, upper, pa.array([0] * rows, BIGINT), is_running=False)
    function = EdgeValue(BIGINT, is_last=is_last, ignores_nulls=ignores_nulls)
    result = function.compute(sorted_rows([0] * rows), frames, [pa.array(values, BIGINT)], lambda: None)
    counted = [[value for value in values[start:end] if value is not None or not ignores_nulls] for start, end in bounds]
    assert result.to_pylist() == [part[-1 if is_last else 0] if part else None for part in counted]
