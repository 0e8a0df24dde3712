"""Sums over frames, compared with the sums of their rows."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.aggregates import Reduction
from table_runtime.batch.over.frame_sums import frame_sums
from table_runtime.batch.over.frames import Frames

ROWS = 40


def frames(*, is_running: bool = False) -> tuple[Frames, list[tuple[int, int]]]:
    source = random.Random(5)
    bounds = [(0, i + 1) if is_running else (start := source.randint(0, ROWS), source.randint(start, ROWS)) for i in range(ROWS)]
    lower, upper = (pa.array(side, pa.int64()) for side in zip(*bounds, strict=True))
    return Frames(lower, upper, pa.array([0] * ROWS, pa.int64()), is_running=is_running), bounds


def values_of(make: Any) -> list[Any]:
    source = random.Random(6)
    return [None if source.random() < 0.3 else make(source.randint(-(10**9), 10**9)) for _ in range(ROWS)]


def sums(values: list[Any], bounds: list[tuple[int, int]]) -> list[Any]:
    chosen = [[value for value in values[start:end] if value is not None] for start, end in bounds]
    return [sum(part) if part else None for part in chosen]


@pytest.mark.parametrize(
    ("type_", "make"),
    [
        (pa.int32(), int),
        (pa.int64(), lambda n: n * 10**8),
        (pa.decimal128(20, 2), lambda n: Decimal(n).scaleb(-2)),
        (pa.decimal128(38, 0), lambda n: Decimal(n * 10**10)),
    ],
)
def test_sums_are_exact_and_null_over_no_values(type_: pa.DataType, make: Any) -> None:
    (ranges, bounds), values = frames(), values_of(make)
    result = frame_sums(Reduction(pa.array([None, *values], type_).slice(1), "sum"), ranges)
    assert result is not None
    assert result.to_pylist() == sums(values, bounds)


def test_running_sums_of_floats_are_added_row_by_row() -> None:
    (ranges, bounds), values = frames(is_running=True), values_of(float)
    result = frame_sums(Reduction(pa.array(values, pa.float64()), "sum"), ranges)
    assert result is not None
    assert result.to_pylist() == sums(values, bounds)


def test_counts() -> None:
    (ranges, bounds), values = frames(), values_of(int)
    counted = frame_sums(Reduction(pa.array(values), "count"), ranges)
    rows = frame_sums(Reduction(None, "count_all"), ranges)
    assert counted is not None
    assert rows is not None
    assert counted.to_pylist() == [sum(value is not None for value in values[start:end]) for start, end in bounds]
    assert rows.to_pylist() == [end - start for start, end in bounds]


@pytest.mark.parametrize(
    "reduction",
    [Reduction(pa.array([2**62] * ROWS), "sum"), Reduction(pa.array([1.0] * ROWS), "sum"), Reduction(pa.array([1] * ROWS), "max")],
)
def test_what_running_sums_cannot_compute_is_left_to_others(reduction: Reduction) -> None:
    assert frame_sums(reduction, frames()[0]) is None
