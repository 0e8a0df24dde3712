"""Variance and standard deviation, compared with Python's exact statistics."""

from __future__ import annotations

import statistics
from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn

FUNCTIONS = [
    (fn.VAR_POP, statistics.pvariance),
    (fn.VAR_SAMP, statistics.variance),
    (fn.STDDEV_POP, statistics.pstdev),
    (fn.STDDEV_SAMP, statistics.stdev),
]


@pytest.mark.parametrize(("function", "expected"), FUNCTIONS)
@pytest.mark.parametrize("shift", [0.0, 1e9])
def test_merged_batches_give_the_spread_of_all_values(aggregate: Any, function: Any, expected: Any, shift: float) -> None:
    values = [shift + value for value in (1.5, -2.0, 7.25, 3.0, 3.0, -11.5)]
    batches = [("a", values[0]), ("a", None)], [("a", value) for value in values[1:4]], [("a", value) for value in values[4:]]
    assert aggregate(function, ["DOUBLE"], "DOUBLE", *batches)["a"] == pytest.approx(expected(values), rel=1e-9)


@pytest.mark.parametrize(("function", "expected"), [(fn.VAR_POP, 0.0), (fn.STDDEV_POP, 0.0), (fn.VAR_SAMP, None), (fn.STDDEV_SAMP, None)])
def test_one_value_has_no_spread_of_a_sample(aggregate: Any, function: Any, expected: float | None) -> None:
    rows = [("a", 5.0), ("b", None)], [("a", None), ("b", None)]
    assert aggregate(function, ["DOUBLE"], "DOUBLE", *rows) == {"a": expected, "b": None}


def test_the_variance_of_integers_is_truncated(aggregate: Any) -> None:
    assert aggregate(fn.VAR_SAMP, ["INT"], "INT", [("a", 1), ("a", 2)], [("a", 4)]) == {"a": 2}


def test_a_variance_outside_of_its_type_is_an_error(aggregate: Any) -> None:
    with pytest.raises(TableRuntimeException, match="VAR_POP overflows TINYINT"):
        aggregate(fn.VAR_POP, ["TINYINT"], "TINYINT", [("a", 127)], [("a", -128)])


def test_the_variance_of_decimals_is_a_decimal(aggregate: Any) -> None:
    rows = [("a", Decimal("1.0")), ("b", None)], [("a", Decimal("2.0")), ("a", None), ("a", Decimal("4.0"))]
    assert aggregate(fn.VAR_SAMP, ["DECIMAL(5, 1)"], "DECIMAL(38, 6)", *rows) == {"a": Decimal("2.333333"), "b": None}
