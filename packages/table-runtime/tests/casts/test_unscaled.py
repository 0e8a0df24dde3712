"""Tests for table_runtime.casts.unscaled."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from table_runtime.casts.unscaled import from_unscaled, has_high_words_below, unscaled

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


def test_a_few_values_are_not_worth_numpy() -> None:
    assert unscaled(pa.array([Decimal(1)], TYPE)) is None
