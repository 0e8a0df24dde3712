"""Aggregates over frames by accumulator states, compared with the aggregates of their rows."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.over import frame_states as module
from table_runtime.batch.over.frame_states import frame_states
from table_runtime.batch.over.frames import Frames

ROWS = 60
MODEL = {"SUM": sum, "MIN": min, "MAX": max, "COUNT": len}


def aggregate(name: str, values: list[int | None], bounds: list[tuple[int, int]], *, distinct: bool = False) -> list[Any]:
    lower, upper = (pa.array([bound[side] for bound in bounds], pa.int64()) for side in (0, 1))
    frames = Frames(lower, upper, pa.array([0] * len(values), pa.int64()), is_running=False)
    accumulator = make_accumulator(getattr(fn, name), AggregateSpec(name, (BigIntType(),), BigIntType()))
    result: list[Any] = frame_states(accumulator, [pa.array(values, pa.int64())], frames, lambda: None, distinct=distinct).to_pylist()
    return result


def by_rows(name: str, values: list[int | None], bounds: list[tuple[int, int]], *, distinct: bool = False) -> list[Any]:
    results = []
    for lower, upper in bounds:
        part = [value for value in values[lower:upper] if value is not None]
        part = sorted(set(part)) if distinct else part
        results.append(MODEL[name](part) if part or name == "COUNT" else None)  # type: ignore[operator]  # of several signatures
    return results


def random_input() -> tuple[list[int | None], list[tuple[int, int]]]:
    seed = random.randrange(10**6)
    print("seed", seed)
    source = random.Random(seed)
    values = [None if source.random() < 0.3 else source.randint(-9, 9) for _ in range(ROWS)]
    bounds = [(start := source.randint(0, ROWS), source.randint(start, ROWS)) for _ in range(ROWS)]
    return values, bounds


@pytest.fixture(params=["expanded", "expanded in slices", "merged"])
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "expanded":
        return
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 7)
    monkeypatch.setattr(module, "FRAMES_AT_ONCE", 7)
    monkeypatch.setattr(module, "MOST_PAIRS_PER_ROW", ROWS if request.param == "expanded in slices" else 0)


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize("name", MODEL)
def test_each_frame_has_the_aggregate_of_its_rows(name: str) -> None:
    values, bounds = random_input()
    assert aggregate(name, values, bounds) == by_rows(name, values, bounds)


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize("name", ["SUM", "COUNT"])
def test_equal_values_of_a_frame_count_once_with_distinct(name: str) -> None:
    values, bounds = random_input()
    assert aggregate(name, values, bounds, distinct=True) == by_rows(name, values, bounds, distinct=True)


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize(("name", "expected"), [("SUM", None), ("COUNT", 0)])
def test_frames_without_rows_have_the_result_over_nothing(name: str, expected: int | None) -> None:
    assert aggregate(name, [1, 2], [(0, 0), (1, 1), (2, 2)]) == [expected] * 3


@pytest.mark.usefixtures("method")
def test_no_frames_have_no_results() -> None:
    assert aggregate("SUM", [], []) == []
