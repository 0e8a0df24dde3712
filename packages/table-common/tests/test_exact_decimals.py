from __future__ import annotations

from decimal import ROUND_DOWN, Context, Decimal, Inexact, getcontext, localcontext

import pytest

from table_common import exact_decimals as exact

LONG = Decimal("1234567890123456789012345678901234567.8")


def test_operations_keep_all_digits_whatever_the_threads_context() -> None:
    with localcontext(Context(prec=5)):
        assert exact.total(LONG, Decimal("0.1")) == Decimal("1234567890123456789012345678901234567.9")
        assert exact.difference(LONG, LONG) == 0
        assert exact.negated(LONG) == Decimal("-1234567890123456789012345678901234567.8")
        assert exact.absolute(exact.negated(LONG)) == LONG
        assert exact.product(LONG, Decimal(10)) == Decimal("12345678901234567890123456789012345678")


def test_parsed_keeps_all_digits() -> None:
    assert exact.parsed("1234567890123456789012345678901234567.8") == LONG


def test_parsed_refuses_other_text() -> None:
    with pytest.raises(ValueError, match="it is not a decimal"):
        exact.parsed("one")


def test_unscaled_is_the_inverse_of_from_unscaled() -> None:
    assert exact.from_unscaled(-12345, 2) == Decimal("-123.45")
    assert exact.unscaled(Decimal("-123.45"), 2) == -12345


@pytest.mark.parametrize("value", ["1.234", "NaN", "Infinity", "1E+999999"])
def test_unscaled_is_none_without_a_whole_number(value: str) -> None:
    assert exact.unscaled(Decimal(value), 2) is None


@pytest.mark.parametrize(
    ("value", "scale", "rounded"),
    [("1.005", 2, "1.01"), ("-1.005", 2, "-1.01"), ("1", 2, "1.00"), ("155", -1, "160"), ("4", -1, "0"), ("0E+9999", 2, "0.00")],
)
def test_rounding_is_half_up_and_a_negative_scale_rounds_before_the_point(value: str, scale: int, rounded: str) -> None:
    assert str(exact.rounded(Decimal(value), scale)) == rounded


def test_another_rounding_mode_can_be_chosen() -> None:
    assert exact.rounded(Decimal("1.009"), 2, ROUND_DOWN) == Decimal("1.00")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1E+9999"])
def test_rounding_refuses_values_without_digits_or_with_thousands(value: str) -> None:
    with pytest.raises(ValueError, match="too many digits"):
        exact.rounded(Decimal(value), 2)


def test_a_remainder_has_the_sign_of_the_dividend() -> None:
    assert exact.remainder(Decimal("-7.5"), Decimal(2)) == Decimal("-1.5")


def test_a_remainder_by_zero_is_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        exact.remainder(Decimal(1), Decimal(0))


@pytest.mark.parametrize("dividend", [0, 1])
def test_a_quotient_by_zero_is_an_error(dividend: int) -> None:
    with pytest.raises(ZeroDivisionError):
        exact.divided(Decimal(dividend), 0)


def test_a_quotient_has_more_digits_than_a_decimal_type() -> None:
    assert len(exact.divided(Decimal(1), 3).as_tuple().digits) > 76


def test_trailing_zeros_are_removed() -> None:
    assert str(exact.without_trailing_zeros(Decimal("1.500"))) == "1.5"


def test_floor_and_ceiling_have_the_digits_asked_for() -> None:
    value = Decimal("-1.25")
    assert (exact.floor(value, 1), exact.ceiling(value, 1)) == (Decimal("-1.3"), Decimal("-1.2"))
    assert exact.floor(Decimal("2"), 2) == exact.ceiling(Decimal("2"), 2) == Decimal("2.00")


def test_whole_numbers_have_no_digits_behind_the_point() -> None:
    assert exact.is_whole(Decimal("3.00"))
    assert not exact.is_whole(Decimal("3.01"))


def test_many_numbers_are_exact_whatever_the_context_of_the_program() -> None:
    numbers = [0, 1, -1, 10, -12345, 10**18 - 1, 1 - 10**18, 10**38 - 1]
    with localcontext(prec=2, traps=[Inexact]):
        for scale in (0, 2, 18, 38):
            assert list(map(str, exact.all_from_unscaled(numbers, scale))) == [str(exact.from_unscaled(one, scale)) for one in numbers]
        assert getcontext().prec == 2
