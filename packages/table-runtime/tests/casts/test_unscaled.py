"""Tests for table_runtime.casts.unscaled, and for casts and arithmetic that use it, over enough rows."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import compute as pc
from table_common.exact_decimals import divided
from table_common.types import DecimalType
from table_runtime.casts import fit_decimal, rescale
from table_runtime.casts.numbers import approximate_to_decimal
from table_runtime.casts.unscaled import fits_digits, from_unscaled, has_high_words_below, unscaled
from table_runtime.kernels.support import decimal_arithmetic
from table_testing.rounds import rounds

TYPE = pa.decimal128(38, 2)
EDGES = [-(2**63), -(2**63) + 1, -100, -1, 0, 1, 99, 2**63 - 1]


def decimals(digits: list[int | None], *, offset: int = 0) -> pa.Array:
    """Returns an array of enough values, those of ``digits`` first, that begins within its buffers."""
    values = [None if number is None else Decimal(number).scaleb(-2) for number in [*[7] * offset, *digits, *[5] * 2000]]
    return pa.array(values, TYPE).slice(offset)


@pytest.mark.parametrize("offset", [0, 3])
@pytest.mark.parametrize("digits", [EDGES, [*EDGES, None], [None]])
def test_digits_go_to_integers_and_back(digits: list[int | None], offset: int) -> None:
    values = decimals(digits, offset=offset)
    numbers = unscaled(values)
    assert numbers.to_pylist()[: len(digits)] == digits
    assert from_unscaled(numbers, TYPE).equals(values)


@pytest.mark.parametrize("digits", [2**63, -(2**63) - 1, 10**30])
def test_digits_that_do_not_fit_have_no_integers(digits: int) -> None:
    assert unscaled(decimals([1, digits])) is None
    assert unscaled(pa.scalar(Decimal(digits).scaleb(-2), TYPE)) is None


def test_digits_of_scalars() -> None:
    assert unscaled(pa.scalar(Decimal("-1.50"), TYPE)).as_py() == -150
    assert unscaled(pa.scalar(None, TYPE)).as_py() is None


@pytest.mark.parametrize(("digits", "fits"), [(3 * 2**64 - 1, True), (3 * 2**64, False), (-3 * 2**64, True), (-3 * 2**64 - 1, False)])
def test_the_bound_of_high_words_is_exact(digits: int, fits: bool) -> None:
    assert has_high_words_below(decimals([digits, None], offset=1), 3) is fits


@pytest.mark.parametrize("precision", [3, 18, 19, 20, 30, 37])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("digits", ["most", "too many", None])
def test_fewer_digits_of_the_same_scale(precision: int, sign: int, digits: str | None) -> None:
    most = 10**precision - 1
    number = None if digits is None else sign * (most if digits == "most" else most + 1)
    with localcontext(prec=50):
        values = decimals([1, None, number], offset=3)
    result = rescale(values, precision, 2)
    result.validate(full=True)
    assert result.type == pa.decimal128(precision, 2)
    expected = values.to_pylist()
    expected[2] = None if digits == "too many" else expected[2]
    assert result.to_pylist() == expected
    assert fits_digits(values, precision) in ({True, False} if digits == "most" else {digits is None})


def test_all_nulls_have_fewer_digits() -> None:
    values = pa.nulls(2000, TYPE)
    assert fits_digits(values, 3)
    assert rescale(values, 3, 2).equals(pa.nulls(2000, pa.decimal128(3, 2)))


def test_a_few_values_are_not_worth_numpy() -> None:
    assert unscaled(pa.array([Decimal(1)], TYPE)) is None


@pytest.mark.parametrize("seed", rounds(3))
@pytest.mark.parametrize("type_", [pa.float64(), pa.float32()], ids=str)
@pytest.mark.parametrize(("precision", "scale"), [(10, 2), (5, 0), (38, 15), (18, 6), (3, 2)])
def test_many_numbers_are_rounded_as_their_shortest_decimals(seed: int, type_: pa.DataType, precision: int, scale: int) -> None:
    rng = random.Random(seed)
    rows: list[float | None] = [None, 0.0, -0.0, math.nan, math.inf, -math.inf, 1e300, -5e-324, 2.0**51, 2.0**53 + 1]
    for _ in range(600):
        exponent = rng.randrange(-8, 14)
        rows.append(round(rng.uniform(-1, 1) * 10**exponent, rng.randrange(0, 7)))
        middle = (rng.randrange(-(10**6), 10**6) + 0.5) / 10**scale
        rows += [middle, math.nextafter(middle, math.inf), math.nextafter(middle, -math.inf)]
    values = pa.array(rows, type_)
    texts = pc.cast(values, pa.string()).to_pylist()
    expected = [None if text is None else fit_decimal(Decimal(text), precision, scale) for text in texts]
    found = approximate_to_decimal(values, DecimalType(precision, scale))
    assert len(found) > 1024
    assert found.to_pylist() == expected


@pytest.mark.parametrize("seed", rounds(2))
@pytest.mark.parametrize(
    ("function", "exact", "left", "right", "result"),
    [
        (decimal_arithmetic.multiply, Decimal.__mul__, (32, 4), (16, 2), (38, 6)),
        (decimal_arithmetic.multiply, Decimal.__mul__, (38, 18), (20, 0), (38, 18)),
        (decimal_arithmetic.add, Decimal.__add__, (38, 2), (38, 5), (38, 5)),
        (decimal_arithmetic.subtract, Decimal.__sub__, (38, 6), (30, 0), (38, 6)),
        (decimal_arithmetic.multiply, Decimal.__mul__, (30, 4), (20, 4), (38, 6)),
    ],
)
def test_many_decimals_are_computed_exactly_whatever_their_size(
    seed: int, function: Any, exact: Any, left: tuple[int, int], right: tuple[int, int], result: tuple[int, int]
) -> None:
    rng = random.Random(seed)
    for digits in (4, 9, 18, 19, 28):  # up to 9 digits products fit 64 bits, up to 18 sums

        def column(type_: tuple[int, int], most: int = digits) -> pa.Array:
            most = min(most, type_[0])
            numbers = [rng.choice([None, 0, rng.randrange(-(10**most) + 1, 10**most)]) for _ in range(1100)]
            return pa.array([None if n is None else Decimal(n).scaleb(-type_[1]) for n in numbers], pa.decimal128(*type_))

        columns = column(left), column(right)
        constant = column(right, 2).drop_null()[0]
        with localcontext(prec=90):
            for one, other in (columns, (columns[0], constant)):
                pairs = zip(one, [other] * len(one) if isinstance(other, pa.Scalar) else other, strict=True)
                values = [(a.as_py(), b.as_py()) for a, b in pairs]
                expected = [None if None in pair else fit_decimal(exact(*pair), *result) for pair in values]
                assert function(one, other, DecimalType(*result), len(one)).to_pylist() == expected


@pytest.mark.parametrize("seed", rounds(3))
@pytest.mark.parametrize(
    ("left", "right", "result"), [((38, 2), (38, 2), (38, 6)), ((20, 0), (21, 3), (38, 11)), ((38, 8), (20, 0), (38, 9))]
)
def test_many_quotients_are_rounded_half_up_whatever_their_size(
    seed: int, left: tuple[int, int], right: tuple[int, int], result: tuple[int, int]
) -> None:
    rng = random.Random(seed)
    for digits in (2, 5, 9, 17, 20):

        def column(type_: tuple[int, int], least: int, most: int = digits) -> pa.Array:
            numbers = [rng.choice([None, -1, 1]) for _ in range(1100)]
            return pa.array([n and Decimal(n * rng.randrange(least, 10**most)).scaleb(-type_[1]) for n in numbers], pa.decimal128(*type_))

        dividends, divisors = column(left, 0), column(right, 1)
        constants = pa.scalar(Decimal(8), pa.decimal128(*right)), pa.scalar(Decimal(-3), pa.decimal128(*left))
        for one, other in ((dividends, divisors), (dividends, constants[0]), (constants[1], divisors)):
            values = [[side] * 1100 if isinstance(side, pa.Scalar) else side for side in (one, other)]
            pairs = [(a.as_py(), b.as_py()) for a, b in zip(*values, strict=True)]
            expected = [None if a is None or b is None else fit_decimal(divided(a, b), *result) for a, b in pairs]
            assert decimal_arithmetic.divide(one, other, DecimalType(*result), 1100).to_pylist() == expected


def test_a_zero_among_many_divisors_is_an_error() -> None:
    dividends = pa.array([Decimal(1)] * 1100, pa.decimal128(38, 2))
    with pytest.raises((ArithmeticError, pa.ArrowInvalid)):
        decimal_arithmetic.divide(dividends, pa.array([Decimal(1)] * 1099 + [Decimal(0)], pa.decimal128(38, 2)), DecimalType(38, 6), 1100)
