from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.types import EXACT_INTEGERS, BigIntType, DecimalType, IntType, SmallIntType, TinyIntType


def test_integers_are_listed_narrowest_first() -> None:
    assert (TinyIntType, SmallIntType, IntType, BigIntType) == EXACT_INTEGERS


def test_a_decimal_has_ten_digits_and_no_fraction_by_default() -> None:
    assert str(DecimalType()) == "DECIMAL(10, 0)"


@pytest.mark.parametrize(
    ("precision", "scale", "message"),
    [
        (0, 0, "precision from 1 to 38, but got 0"),
        (39, 0, "precision from 1 to 38, but got 39"),
        (5, 6, "scale from 0 to its precision 5, but got 6"),
        (5, -1, "scale from 0 to its precision 5, but got -1"),
    ],
)
def test_a_decimal_out_of_range_is_refused(precision: int, scale: int, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        DecimalType(precision, scale)


def test_nullability_is_part_of_equality_and_of_the_text() -> None:
    assert IntType().not_null() == IntType(nullable=False)
    assert IntType() != IntType(nullable=False)
    assert str(IntType(nullable=False)) == "INT NOT NULL"
    assert IntType(nullable=False).with_nullability(True) == IntType()
