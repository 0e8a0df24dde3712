from __future__ import annotations

import pickle
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_common.data import DecimalData
from table_common.exceptions import TableRuntimeException, ValidationException


def of(text: str, precision: int, scale: int) -> DecimalData:
    result = DecimalData.from_big_decimal(Decimal(text), precision, scale)
    assert result is not None
    return result


def test_precision() -> None:
    assert DecimalData.zero(5, 2).precision == 5


def test_scale() -> None:
    assert DecimalData.zero(5, 2).scale == 2


def test_to_big_decimal() -> None:
    assert str(of("1.5", 5, 2).to_big_decimal()) == "1.50"


def test_to_big_decimal_keeps_38_digits_in_any_context() -> None:
    text = "-12345678901234567890.123456789012345678"
    with localcontext() as context:
        context.prec = 3
        assert str(of(text, 38, 18).to_big_decimal()) == text


def test_to_unscaled_long() -> None:
    assert of("-1.5", 5, 2).to_unscaled_long() == -150


def test_to_unscaled_long_of_a_wide_decimal_that_fits() -> None:
    assert DecimalData.from_unscaled_bytes(38, 0, (2**63 - 1).to_bytes(8, "big")).to_unscaled_long() == 2**63 - 1


def test_to_unscaled_long_refuses_what_does_not_fit_into_64_bits() -> None:
    with pytest.raises(TableRuntimeException, match="does not fit into 64 bits"):
        of(str(2**63), 38, 0).to_unscaled_long()


@pytest.mark.parametrize(
    ("number", "data"),
    [(0, b"\0"), (127, b"\x7f"), (128, b"\0\x80"), (-128, b"\x80"), (-129, b"\xff\x7f"), (255, b"\0\xff"), (-1, b"\xff")],
)
def test_to_unscaled_bytes(number: int, data: bytes) -> None:
    assert DecimalData.from_unscaled_long(5, 2, number).to_unscaled_bytes() == data


@pytest.mark.parametrize(("precision", "compact"), [(1, True), (18, True), (19, False), (38, False)])
def test_is_compact(precision: int, compact: bool) -> None:
    assert DecimalData.zero(precision, 0).is_compact() is compact


def test_copy() -> None:
    value = of("1.5", 5, 2)
    assert value.copy() == value


@pytest.mark.parametrize(
    ("text", "precision", "scale", "result"),
    [
        ("1.234", 5, 2, "1.23"),
        ("1.235", 5, 2, "1.24"),
        ("-1.235", 5, 2, "-1.24"),
        ("999.99", 5, 2, "999.99"),
        ("999.995", 5, 2, None),
        ("1000", 5, 2, None),
        ("1E+999999", 38, 0, None),
        ("1E-999999", 38, 38, "0.00000000000000000000000000000000000000"),
        ("0E+50", 5, 2, "0.00"),
        ("9" * 38, 38, 0, "9" * 38),
        ("-" + "9" * 38, 38, 0, "-" + "9" * 38),
        ("1" + "0" * 38, 38, 0, None),
        ("0.5", 1, 0, "1"),
        ("9.5", 1, 0, None),
        ("0.5" + "0" * 200, 1, 0, "1"),
        ("0.4" + "9" * 200, 1, 0, "0"),
    ],
)
def test_from_big_decimal(text: str, precision: int, scale: int, result: str | None) -> None:
    value = DecimalData.from_big_decimal(Decimal(text), precision, scale)
    assert (None if value is None else str(value)) == result


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_from_big_decimal_refuses_what_is_no_number(text: str) -> None:
    with pytest.raises(ValidationException, match=r"is not a value of DECIMAL\(5, 2\)"):
        DecimalData.from_big_decimal(Decimal(text), 5, 2)


def test_from_unscaled_long() -> None:
    assert str(DecimalData.from_unscaled_long(18, 3, 10**18 - 1)) == "999999999999999.999"


def test_from_unscaled_long_refuses_precisions_above_18() -> None:
    with pytest.raises(ValidationException, match="at most 18, but got 19"):
        DecimalData.from_unscaled_long(19, 0, 1)


def test_from_unscaled_long_refuses_more_digits() -> None:
    with pytest.raises(ValidationException, match=r"more digits than DECIMAL\(3, 1\)"):
        DecimalData.from_unscaled_long(3, 1, 1000)


def test_from_unscaled_bytes() -> None:
    assert str(DecimalData.from_unscaled_bytes(38, 1, b"\xff\x7f")) == "-12.9"


@pytest.mark.parametrize(("data", "message"), [(b"", "at least one byte"), (b"\x7f" * 17, "more digits")])
def test_from_unscaled_bytes_refuses_nothing_and_too_much(data: bytes, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        DecimalData.from_unscaled_bytes(38, 0, data)


def test_zero() -> None:
    assert str(DecimalData.zero(5, 2)) == "0.00"


@pytest.mark.parametrize(("precision", "scale"), [(0, 0), (39, 0), (5, 6), (5, -1)])
def test_a_precision_or_scale_that_does_not_exist_is_an_error(precision: int, scale: int) -> None:
    with pytest.raises(ValidationException, match="DECIMAL takes a"):
        DecimalData.zero(precision, scale)


@given(st.integers(-(10**38) + 1, 10**38 - 1), st.integers(0, 38))
def test_unscaled_bytes_come_back(unscaled: int, scale: int) -> None:
    value = DecimalData.from_unscaled_bytes(38, scale, unscaled.to_bytes(17, "big", signed=True))
    assert DecimalData.from_unscaled_bytes(38, scale, value.to_unscaled_bytes()) == value
    assert DecimalData.from_big_decimal(value.to_big_decimal(), 38, scale) == value


@given(st.tuples(*[st.integers(-1000, 1000), st.integers(0, 5)] * 2))
def test_values_of_different_scales_are_compared_by_number(parts: tuple[int, int, int, int]) -> None:
    left, right = DecimalData.from_unscaled_long(18, parts[1], parts[0]), DecimalData.from_unscaled_long(18, parts[3], parts[2])
    numbers = left.to_big_decimal(), right.to_big_decimal()
    assert (left == right, left < right, left >= right) == (numbers[0] == numbers[1], numbers[0] < numbers[1], numbers[0] >= numbers[1])
    assert left != right or hash(left) == hash(right)


def test_a_decimal_is_not_equal_to_a_python_decimal() -> None:
    assert of("1", 5, 2) != Decimal(1)


def test_repr_shows_number_precision_and_scale() -> None:
    assert repr(of("1.5", 5, 2)) == "DecimalData(1.50, 5, 2)"


def test_decimals_survive_pickling() -> None:
    copy = pickle.loads(pickle.dumps(of("1.5", 30, 2)))
    assert (copy, copy.precision, copy.scale) == (of("1.5", 30, 2), 30, 2)
