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
from table_common.types import DoubleType
from table_runtime.streaming.aggregates.covariance import CovarianceState

TYPES = [DoubleType(), DoubleType()]
ARROW = [pa.float64(), pa.float64()]


def about(value: float | None) -> str:
    return "None" if value is None else f"{value + 0.0:.4g}" if abs(value) > 1e-9 else "0"


@pytest.mark.parametrize("function", [fn.COVAR_POP, fn.COVAR_SAMP], ids=str)
@pytest.mark.parametrize("retracts", [True, False])
def test_results_equal_a_recomputation(function: Any, retracts: bool, agrees: Callable[..., None]) -> None:
    values = [0.1, 0.2, 0.7, -3.5, 1e3, math.nan, math.inf, None]
    agrees(
        function,
        TYPES,
        DoubleType(),
        lambda chance: (chance.choice(values), chance.choice(values)),
        same=about,
        absent=False,
        retracts=retracts,
    )


def test_results_are_correctly_rounded(run_state: Any, accumulator_of: Any) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    pairs = [(chance.choice([1e-200, 1e200, 1.0]) * chance.uniform(-1, 1), chance.uniform(-1, 1)) for _ in range(20)]
    state = CovarianceState(accumulator_of(fn.COVAR_SAMP, TYPES, DoubleType()))
    results = run_state(state, ARROW, [(0, 1, True, pair) for pair in pairs], 3)
    assert results[0] is None
    for count, result in enumerate(results[1:], 2):
        x, y = zip(*((Fraction(left), Fraction(right)) for left, right in pairs[:count]), strict=True)
        mean_x, mean_y = statistics.mean(x), statistics.mean(y)
        exact = sum((left - mean_x) * (right - mean_y) for left, right in zip(x, y, strict=True)) / (count - 1)
        assert result == float(exact)


def test_a_retracted_pair_leaves_no_rounding_error(run_state: Any, accumulator_of: Any) -> None:
    state = CovarianceState(accumulator_of(fn.COVAR_POP, TYPES, DoubleType()))
    gone = [(1e300, 1e300), (math.nan, 1.0), (1.0, math.inf), (5e-324, 1e16), (2.0, None)]
    rows = [(0, 1, True, pair) for pair in [(1.0, 3.0), (3.0, 7.0), *gone]] + [(0, -1, True, pair) for pair in gone]
    assert run_state(state, ARROW, rows)[-1] == 2.0


def test_a_retraction_of_a_pair_that_is_not_there_is_ignored(run_state: Any, accumulator_of: Any) -> None:
    state = CovarianceState(accumulator_of(fn.COVAR_POP, TYPES, DoubleType()))
    assert run_state(state, ARROW, [(0, -1, True, (1.0, 1.0)), (0, 1, True, (2.0, 5.0))])[-1] == 0.0
