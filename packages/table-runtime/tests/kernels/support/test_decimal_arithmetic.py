"""Decimal arithmetic, compared with Python's exact decimals."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.types import DecimalType
from table_runtime.kernels.support import decimal_arithmetic as arithmetic

EXACT = Context(prec=200, rounding=ROUND_HALF_UP)
Types = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
TYPES: list[Types] = [
    ((5, 2), (5, 2), (11, 4)),
    ((10, 0), (20, 10), (38, 18)),
    ((38, 18), (38, 2), (38, 6)),
    ((38, 0), (38, 38), (38, 20)),
    ((1, 1), (38, 0), (38, 38)),
]
FUNCTIONS: list[tuple[Callable[..., Any], Callable[[Decimal, Decimal], Decimal]]] = [
    (arithmetic.add, EXACT.add),
    (arithmetic.subtract, EXACT.subtract),
    (arithmetic.multiply, EXACT.multiply),
    (arithmetic.divide, EXACT.divide),
]


def fitted(value: Decimal, precision: int, scale: int) -> Decimal | None:
    rounded = value.quantize(Decimal(1).scaleb(-scale), context=EXACT)
    return rounded if abs(rounded) < Decimal(10) ** (precision - scale) else None


def numbers(source: random.Random, precision: int, scale: int) -> list[Decimal | None]:
    digits = [source.randint(1, 10 ** source.randint(1, precision) - 1) * source.choice((1, -1)) for _ in range(40)]
    return [None, *(Decimal(number).scaleb(-scale, EXACT) for number in (1, -1, 10**precision - 1, *digits))]


@pytest.mark.parametrize(("function", "exact"), FUNCTIONS)
@pytest.mark.parametrize("types", TYPES)
def test_results_are_exact_and_rounded_half_up(function: Any, exact: Any, types: Types) -> None:
    source = random.Random(7)
    (first, second, (precision, scale)) = types
    left, right = numbers(source, *first), numbers(source, *second)
    source.shuffle(right)
    expected = [None if x is None or y is None else fitted(exact(x, y), precision, scale) for x, y in zip(left, right, strict=True)]
    columns = pa.array(left, pa.decimal128(*first)), pa.array(right, pa.decimal128(*second))
    result = function(*columns, DecimalType(precision, scale), len(left))
    assert result.type == pa.decimal128(precision, scale)
    assert result.to_pylist() == expected


@pytest.mark.parametrize(("function", "exact"), FUNCTIONS[:3])
@pytest.mark.parametrize("constant", ["0", "1", "-1", "999", "1000000000000000000", "-9999999999999999999"])
@pytest.mark.parametrize("result", [(16, 2), (21, 2), (38, 2), (38, 6)])
@pytest.mark.parametrize("is_left", [True, False])
def test_a_constant_with_a_wide_type_gives_what_a_column_gives(
    function: Any, exact: Any, constant: str, result: tuple[int, int], is_left: bool
) -> None:
    column = numbers(random.Random(7), 15, 2)
    arrays = [pa.array(column, pa.decimal128(15, 2)), pa.scalar(Decimal(constant), pa.decimal128(19, 0))]
    pairs = [(value, Decimal(constant)) if is_left else (Decimal(constant), value) for value in column]
    found = function(*(arrays if is_left else arrays[::-1]), DecimalType(*result), len(column))
    assert found.type == pa.decimal128(*result)
    assert found.to_pylist() == [None if None in pair else fitted(exact(*pair), *result) for pair in pairs]


def test_a_constant_null_gives_nulls() -> None:
    column = pa.array([Decimal("1.50"), None], pa.decimal128(15, 2))
    for function in (arithmetic.add, arithmetic.subtract, arithmetic.multiply):
        assert function(column, pa.scalar(None, pa.decimal128(19, 0)), DecimalType(22, 2), 2).to_pylist() == [None, None]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [("10.5", "3", "1.5"), ("-10.5", "3", "-1.5"), ("10.5", "-3", "1.5"), ("0.1", "3", "0.1"), (None, "3", None)],
)
def test_a_remainder_has_the_sign_of_the_left_side(left: str | None, right: str, expected: str | None) -> None:
    first = pa.array([None if left is None else Decimal(left)], pa.decimal128(5, 1))
    result = arithmetic.remainder(first, pa.scalar(Decimal(right), pa.decimal128(3, 0)), 5, 1, 1)
    assert result.to_pylist() == [None if expected is None else Decimal(expected)]


@pytest.mark.parametrize("types", [((5, 2), (5, 2)), ((38, 18), (38, 18))])
def test_division_by_zero_fails(types: Any) -> None:
    left, right = (pa.array([Decimal(value)], pa.decimal128(*type_)) for value, type_ in zip((1, 0), types, strict=True))
    with pytest.raises((pa.ArrowInvalid, ArithmeticError)):
        arithmetic.divide(left, right, DecimalType(38, 6), 1)


@pytest.mark.parametrize("precision", [5, 38])
def test_constants_give_a_constant(precision: int) -> None:
    value = pa.scalar(Decimal(3), pa.decimal128(precision, 1))
    for function in (arithmetic.add, arithmetic.multiply):
        assert isinstance(function(value, value, DecimalType(38, 2), 9), pa.Scalar)
