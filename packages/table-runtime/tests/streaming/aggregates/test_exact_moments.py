from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import DoubleType, IntType
from table_runtime.streaming.aggregates.exact_moments import ExactMomentsState

Agrees = Callable[..., None]


def about(value: float | None) -> str:
    return "None" if value is None else f"{abs(value):.6f}"


@pytest.mark.parametrize("function", [fn.VAR_POP, fn.VAR_SAMP, fn.STDDEV_POP, fn.STDDEV_SAMP], ids=str)
def test_results_equal_a_recomputation(function: Any, agrees: Agrees) -> None:
    values = [0.1, 0.2, 0.7, -3.5, 1e3, math.nan, math.inf, None]
    agrees(function, [DoubleType()], DoubleType(), lambda chance: (chance.choice(values),), same=about, absent=False)


def test_results_are_correctly_rounded(run_state: Any, accumulator_of: Any) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    values = [chance.choice([1e-300, 1e300, 1.0, 0.1]) * chance.uniform(-1, 1) for _ in range(20)]
    state = ExactMomentsState(accumulator_of(fn.VAR_POP, [DoubleType()], DoubleType()))
    given = run_state(state, [pa.float64()], [(0, 1, True, (value,)) for value in values], 3)
    for count, result in enumerate(given, 1):
        exact = statistics.pvariance([Fraction(value) for value in values[:count]])
        assert result == pytest.approx(float(exact) if exact < 1 << 1024 else math.inf, rel=1e-15)


def test_a_retracted_value_leaves_no_rounding_error(run_state: Any, accumulator_of: Any) -> None:
    state = ExactMomentsState(accumulator_of(fn.VAR_POP, [DoubleType()], DoubleType()))
    gone = [1e300, 1e16, math.nan, math.inf, 5e-324]
    rows = [(0, 1, True, (value,)) for value in (1.0, 3.0, *gone)]
    rows += [(0, -1, True, (value,)) for value in gone]
    assert run_state(state, [pa.float64()], rows)[-1] == 1.0


def test_whole_numbers_are_truncated_from_the_exact_result(run_state: Any, accumulator_of: Any) -> None:
    state = ExactMomentsState(accumulator_of(fn.VAR_POP, [IntType()], IntType()))
    rows = [(0, 1, True, (value,)) for value in (1, 7, 2_147_483_647)] + [(0, -1, True, (2_147_483_647,))]
    assert run_state(state, [pa.int32()], rows[:2]) == [0, 9]


def test_more_retractions_than_values_are_reported(run_state: Any, accumulator_of: Any) -> None:
    state = ExactMomentsState(accumulator_of(fn.VAR_POP, [DoubleType()], DoubleType()))
    rows = [(0, 1, True, (None,)), (0, 1, True, (None,)), (0, -1, True, (1.0,))]
    assert run_state(state, [pa.float64()], rows) == [None, None, None]
    assert state.ignored == {2}
