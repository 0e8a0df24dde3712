"""Numbers that fit are converted, others are NULL."""

from __future__ import annotations

import math
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from table_common.types import DecimalType
from table_runtime.casts import numbers
from table_runtime.casts.numbers import approximate_to_decimal

TYPES = [("TINYINT", 8), ("SMALLINT", 16), ("INT", 32), ("BIGINT", 64)]


@pytest.mark.parametrize(("type_", "bits"), TYPES)
def test_decimals_at_the_limits_of_integers(apply: Any, type_: str, bits: int) -> None:
    limit = 2 ** (bits - 1)
    values = [Decimal(f"{limit - 1}.9"), Decimal(f"-{limit}.9"), Decimal(limit), Decimal(-limit - 1), None]
    assert apply(numbers.number_to_integer, "DECIMAL(38, 1)", type_, values) == [limit - 1, -limit, None, None, None]


@pytest.mark.parametrize(("type_", "bits"), TYPES[:3])
def test_integers_and_doubles_at_the_limits_of_integers(apply: Any, type_: str, bits: int) -> None:
    limit = 2 ** (bits - 1)
    assert apply(numbers.number_to_integer, "BIGINT", type_, [limit - 1, -limit, limit, -limit - 1]) == [limit - 1, -limit, None, None]
    doubles = [limit - 0.5, -limit - 0.5, float(limit), -limit - 1.0]
    assert apply(numbers.number_to_integer, "DOUBLE", type_, doubles) == [limit - 1, -limit, None, None]


def test_doubles_at_the_limits_of_bigint(apply: Any) -> None:
    values = [2.0**63, 9223372036854774784.0, -(2.0**63), math.nextafter(-(2.0**63), -math.inf), math.nan, math.inf, None]
    expected = [None, 9223372036854774784, -(2**63), None, None, None, None]
    assert apply(numbers.number_to_integer, "DOUBLE", "BIGINT", values) == expected


def test_legacy_casts_keep_the_lowest_bits(apply: Any) -> None:
    assert apply(numbers.number_to_integer, "BIGINT", "TINYINT", [128, -129, 2**40 + 5], legacy_casts=True) == [-128, 127, 5]


@pytest.mark.parametrize(("type_", "low", "high"), [("SMALLINT", 0, -1), ("INT", -(2**31), 2**31 - 1), ("BIGINT", -(2**63), 2**63 - 1)])
def test_legacy_casts_of_doubles_take_the_nearest_integer_first(apply: Any, type_: str, low: int, high: int) -> None:
    values = [1e300, -1e300, math.inf, math.nan, -2.9]
    assert apply(numbers.number_to_integer, "DOUBLE", type_, values, legacy_casts=True) == [high, low, high, 0, -2]


def test_legacy_casts_of_decimals_wrap_around(apply: Any) -> None:
    assert apply(numbers.number_to_integer, "DECIMAL(38, 0)", "INT", [Decimal(2**32 + 3), Decimal(-(2**64) - 1)], legacy_casts=True) == [
        3,
        -1,
    ]


def test_a_float_of_a_decimal_is_the_nearest_one(apply: Any) -> None:
    assert apply(numbers.number_to_approximate, "DECIMAL(10, 1)", "FLOAT", [Decimal("16777217.0"), None]) == [16777216.0, None]


@pytest.mark.parametrize("type_", ["DECIMAL(5, 2)", "DECIMAL(15, 2)", "DECIMAL(18, 2)", "DECIMAL(38, 2)"])
@pytest.mark.parametrize("times", [1, 400])
def test_a_double_of_a_decimal_is_the_nearest_one(apply: Any, type_: str, times: int) -> None:
    values = [Decimal("0.69"), Decimal("-1.13"), Decimal("0.00"), None, Decimal("999.99")] * times
    assert apply(numbers.number_to_approximate, type_, "DOUBLE", values) == [0.69, -1.13, 0.0, None, 999.99] * times


@pytest.mark.parametrize("times", [1, 2000])
def test_a_double_of_a_decimal_with_more_digits_than_it_has_is_the_nearest_one(apply: Any, times: int) -> None:
    # The digits as a double, divided by 1000.0, would be 250367245457070.9.
    values = [Decimal("250367245457070.922")] * times
    assert apply(numbers.number_to_approximate, "DECIMAL(18, 3)", "DOUBLE", values) == [250367245457070.94] * times
    tiny = [Decimal(3).scaleb(-38), Decimal(-1).scaleb(-30)] * times
    assert apply(numbers.number_to_approximate, "DECIMAL(38, 38)", "DOUBLE", tiny) == [3e-38, -1e-30] * times


def test_an_integer_with_too_many_digits_is_null(apply: Any) -> None:
    assert apply(numbers.number_to_decimal, "BIGINT", "DECIMAL(5, 2)", [999, 1000, -999, None]) == [
        Decimal("999.00"),
        None,
        Decimal("-999.00"),
        None,
    ]


def test_the_greatest_bigint_is_a_decimal(apply: Any) -> None:
    assert apply(numbers.number_to_decimal, "BIGINT", "DECIMAL(19, 0)", [-(2**63)]) == [Decimal(-(2**63))]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.005, "1.01"),  # the shortest text is rounded, not the binary number below it
        (-1.005, "-1.01"),
        (1e-30, "0.00"),
        (12345.678, "12345.68"),
        (1e7, None),
        (99999.995, None),
        (math.nan, None),
        (-math.inf, None),
        (0.0004, "0.00"),
    ],
)
def test_doubles_are_rounded_by_their_shortest_text(value: float, expected: str | None) -> None:
    result = approximate_to_decimal(pa.array([value, None, 2.0]), DecimalType(7, 2))
    assert result.to_pylist() == [None if expected is None else Decimal(expected), None, Decimal("2.00")]


def test_zero_of_every_kind_is_false_and_nan_is_true(apply: Any) -> None:
    assert apply(numbers.number_to_boolean, "DOUBLE", "BOOLEAN", [0.0, -0.0, math.nan, 0.1, None]) == [False, False, True, True, None]
    assert apply(numbers.number_to_boolean, "DECIMAL(5, 2)", "BOOLEAN", [Decimal("0.00"), Decimal("0.01")]) == [False, True]
    assert apply(numbers.number_to_boolean, "TINYINT", "BOOLEAN", [0, -1]) == [False, True]


@pytest.mark.parametrize("type_", ["TINYINT", "BIGINT", "DOUBLE", "DECIMAL(3, 1)"])
def test_true_is_one(apply: Any, type_: str) -> None:
    assert apply(numbers.boolean_to_number, "BOOLEAN", type_, [True, False, None]) == [1, 0, None]


@pytest.mark.parametrize("type_", [pa.float64(), pa.float32()])
@pytest.mark.parametrize(("precision", "scale"), [(10, 2), (38, 15), (5, 0), (3, 3)])
@pytest.mark.parametrize("is_special", [False, True])
def test_many_numbers_become_the_decimals_of_their_texts(type_: pa.DataType, precision: int, scale: int, is_special: bool) -> None:
    random = Random(scale)
    numbers: list[float | None] = [random.randint(-90_000, 90_000) / 10 ** random.randint(2, 7) for _ in range(3000)]
    if is_special:
        numbers += [
            None,
            0.0,
            -0.0,
            math.nan,
            math.inf,
            -math.inf,
            0.5,
            1.5,
            -0.005,
            2.675,
            1e15,
            2.0**49,
            -(2.0**51),
            99999999.995,
            0.9995,
        ]
    values = pa.array(numbers, type_)
    target = DecimalType(precision, scale)
    few_at_once = [
        approximate_to_decimal(values.slice(start, 1000), target) for start in range(0, len(values), 1000)
    ]  # through their texts
    assert approximate_to_decimal(values, target).equals(pa.concat_arrays(few_at_once))
