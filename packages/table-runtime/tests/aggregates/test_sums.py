"""SUM, SUM0 and AVG: exact, with overflow by type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from table_common.exact_decimals import divided
from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn
from table_runtime.casts import fit_decimal

GREATEST = 2**63 - 1


@pytest.mark.parametrize(
    ("function", "expected"), [(fn.SUM, {"a": 6, "b": None}), (fn.SUM0, {"a": 6, "b": 0}), (fn.AVG, {"a": 3, "b": None})]
)
@pytest.mark.parametrize("type_", ["TINYINT", "SMALLINT", "INT", "BIGINT"])
def test_null_is_no_value(aggregate: Any, function: Any, type_: str, expected: Any) -> None:
    assert aggregate(function, [type_], type_, [("a", 2), ("b", None)], [("a", None), ("a", 4)]) == expected


def test_a_sum_of_bigint_may_leave_its_range_on_the_way(aggregate: Any) -> None:
    rows = [("a", GREATEST), ("a", GREATEST)], [("a", -GREATEST), ("a", -GREATEST), ("a", -7)]
    assert aggregate(fn.SUM, ["BIGINT"], "BIGINT", *rows) == {"a": -7}


@pytest.mark.parametrize(("type_", "value"), [("TINYINT", 127), ("SMALLINT", 2**15 - 1), ("INT", -(2**31)), ("BIGINT", GREATEST)])
def test_an_integer_sum_outside_of_its_type_is_an_error(aggregate: Any, type_: str, value: int) -> None:
    with pytest.raises(TableRuntimeException, match=f"SUM overflows {type_}"):
        aggregate(fn.SUM, [type_], type_, [("a", value)], [("a", value)])


def test_an_average_of_bigint_is_exact_beyond_the_range_of_the_sum(aggregate: Any) -> None:
    assert aggregate(fn.AVG, ["BIGINT"], "BIGINT", [("a", GREATEST)], [("a", GREATEST - 1), ("a", GREATEST - 1)]) == {"a": GREATEST - 1}


@pytest.mark.parametrize(("values", "expected"), [((1, 2), 1), ((-1, -2), -1), ((-(2**63), -(2**63) + 1), -(2**63) + 1)])
def test_an_average_of_integers_is_truncated_towards_zero(aggregate: Any, values: tuple[int, int], expected: int) -> None:
    first, second = values
    assert aggregate(fn.AVG, ["BIGINT"], "BIGINT", [("a", first)], [("a", second)]) == {"a": expected}


def test_a_decimal_sum_beyond_38_digits_is_null(aggregate: Any) -> None:
    greatest = Decimal("9" * 38)
    result = aggregate(
        fn.SUM, ["DECIMAL(38, 0)"], "DECIMAL(38, 0)", [("a", greatest), ("b", greatest)], [("a", Decimal(1)), ("b", Decimal(-1))]
    )
    assert result == {"a": None, "b": Decimal("9" * 37 + "8")}


def test_a_decimal_sum0_beyond_38_digits_is_an_error(aggregate: Any) -> None:
    with pytest.raises(TableRuntimeException, match="overflows DECIMAL"):
        aggregate(fn.SUM0, ["DECIMAL(38, 0)"], "DECIMAL(38, 0)", [("a", Decimal("9" * 38)), ("b", None)], [("a", Decimal(1))])


@pytest.mark.parametrize(("value", "expected"), [("0.05", "0.025000"), ("-0.000001", "-0.000001"), ("0.000003", "0.000002")])
def test_an_average_of_decimals_is_rounded_half_up(aggregate: Any, value: str, expected: str) -> None:
    rows = [("a", Decimal(value))], [("a", Decimal(0))]
    assert aggregate(fn.AVG, ["DECIMAL(10, 6)"], "DECIMAL(38, 6)", *rows) == {"a": Decimal(expected)}


def test_floats_are_summed_as_doubles(aggregate: Any) -> None:
    # As FLOAT, 2^24 + 1 is 2^24.
    assert aggregate(fn.SUM, ["FLOAT"], "FLOAT", [("a", 2.0**24), ("a", 1.0)], [("a", 1.0)]) == {"a": 2.0**24 + 2}


@pytest.mark.parametrize("function", [fn.SUM, fn.SUM0, fn.AVG])
def test_batches_of_small_and_of_large_decimals_have_one_sum(aggregate: Any, function: Any) -> None:
    small = [("a", Decimal(number)) for number in range(1100)]
    large = [("a", Decimal(10) ** 31)] * 1100
    rows = (small, large, [("a", None), ("a", Decimal(-7))], small)
    total = 2 * sum(range(1100)) + 1100 * 10**31 - 7
    expected = Decimal(total) if function is not fn.AVG else divided(Decimal(total), Decimal(3301))
    output = "DECIMAL(38, 0)" if function is not fn.AVG else "DECIMAL(38, 6)"
    (found,) = aggregate(function, ["DECIMAL(32, 0)"], output, *rows).values()
    assert found == fit_decimal(expected, 38, 0 if function is not fn.AVG else 6)


@pytest.mark.parametrize("function", [fn.SUM, fn.SUM0, fn.AVG])
def test_batches_of_small_and_of_large_integers_have_one_sum(aggregate: Any, function: Any) -> None:
    small, large = [("a", -3), ("a", 5), ("b", None)], [("a", GREATEST), ("a", -GREATEST), ("a", GREATEST)]
    found = aggregate(function, ["BIGINT"], "BIGINT", small, large, [("a", -GREATEST), ("a", 4), ("b", 2)], [("b", None)])
    assert found == ({"a": 6, "b": 2} if function is not fn.AVG else {"a": 0, "b": 2})
