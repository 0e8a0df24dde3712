"""Covariance, compared with Python's exact statistics."""

from __future__ import annotations

import math
import statistics
from typing import Any

import pytest

from table_common.functions.builtin import aggregates as fn

PAIRS = [(1.5, 2.0), (-2.0, 7.0), (7.25, -1.5), (3.0, 3.0), (3.0, 0.25), (-11.5, 40.0)]


@pytest.mark.parametrize("shift", [0.0, 1e9])
def test_merged_batches_give_the_covariance_of_all_pairs(aggregate: Any, shift: float) -> None:
    pairs = [(shift + x, y) for x, y in PAIRS]
    other = [("b", 1e3 * x, -y) for x, y in PAIRS]
    batches = [("a", *pairs[0]), ("a", None, 1.0), other[0]], [("a", *pair) for pair in pairs[1:4]], [("a", 1.0, None), *other[1:]]
    batches = (*batches, [("a", *pair) for pair in pairs[4:]])
    result = aggregate(fn.COVAR_SAMP, ["DOUBLE", "DOUBLE"], "DOUBLE", *batches)
    expected = statistics.covariance(*zip(*PAIRS, strict=True))
    assert result == {"a": pytest.approx(expected, rel=1e-7), "b": pytest.approx(-1e3 * expected, rel=1e-9)}
    result = aggregate(fn.COVAR_POP, ["DOUBLE", "DOUBLE"], "DOUBLE", *batches)
    assert result["a"] == pytest.approx(expected * 5 / 6, rel=1e-7)


@pytest.mark.parametrize(("function", "expected"), [(fn.COVAR_POP, 0.0), (fn.COVAR_SAMP, None)])
def test_one_pair_has_no_covariance_of_a_sample(aggregate: Any, function: Any, expected: float | None) -> None:
    batches = [("a", 5.0, 2.0), ("b", None, 1.0)], [("a", None, 1.0), ("b", 1.0, None)]
    assert aggregate(function, ["DOUBLE", "DOUBLE"], "DOUBLE", *batches) == {"a": expected, "b": None}


def test_infinite_values_have_no_covariance(aggregate: Any) -> None:
    result = aggregate(fn.COVAR_POP, ["DOUBLE", "DOUBLE"], "DOUBLE", [("a", math.inf, 1.0), ("a", 1.0, 2.0)], [("a", 1.0, 2.0)])
    assert math.isnan(result["a"])
