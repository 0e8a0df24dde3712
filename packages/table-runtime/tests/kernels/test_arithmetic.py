"""Numbers: overflow, division, decimals, IEEE 754, rounding."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import arithmetic, math


@pytest.mark.parametrize(
    ("function", "left", "right", "expected"),
    [
        (arithmetic.PLUS, 1, 2, 3),
        (arithmetic.PLUS, (1, "BIGINT"), 1, 2),
        (arithmetic.PLUS, 1, 1.5, 2.5),
        (arithmetic.DIVIDE, -7, 2, -3),
        (arithmetic.DIVIDE, 7, Decimal("2.0"), "3.500000"),
        (arithmetic.DIVIDE, 1.0, 0.0, float("inf")),
        (arithmetic.MOD, -10, 3, -1),
        (arithmetic.MOD, 10, -3, 1),
        (arithmetic.MOD, (-(2**63), "BIGINT"), (-1, "BIGINT"), 0),
        (arithmetic.MOD, Decimal("10.5"), 3, "1.5"),
        (
            arithmetic.PLUS,
            (Decimal("123.45"), "DECIMAL(5, 2)"),
            (Decimal("1.000000000000000001"), "DECIMAL(38, 18)"),
            "124.45000000000000000",
        ),
        (arithmetic.TIMES, (Decimal("123.45"), "DECIMAL(5, 2)"), (Decimal("3.3333333333"), "DECIMAL(20, 10)"), "411.499999995885"),
        (arithmetic.DIVIDE, (Decimal("7"), "DECIMAL(10, 0)"), (Decimal("3"), "DECIMAL(20, 0)"), "2.333333333333333333333"),
        (
            arithmetic.DIVIDE,
            (Decimal("123.45"), "DECIMAL(5, 2)"),
            (Decimal("3.3333333333"), "DECIMAL(20, 10)"),
            "37.03500000037035000000370",
        ),
        (arithmetic.DIVIDE, Decimal("3"), (Decimal("123.45"), "DECIMAL(5, 2)"), "0.024301"),
        (
            arithmetic.TIMES,
            (Decimal("1.000000000000000001"), "DECIMAL(38, 18)"),
            (Decimal("12345678901234567890"), "DECIMAL(38, 0)"),
            "12345678901234567902.345679",
        ),
        (arithmetic.PLUS, 1, (None, "INT"), None),
    ],
)
def test_arithmetic(outcome: Any, function: Any, left: Any, right: Any, expected: Any) -> None:
    assert outcome(function, left, right) == expected


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (arithmetic.PLUS, (2147483647, 1), r"The result of \+ is outside the range of INT"),
        (arithmetic.MINUS, ((-(2**63), "BIGINT"), (1, "BIGINT")), "outside the range of BIGINT"),
        (arithmetic.TIMES, ((100, "TINYINT"), (2, "TINYINT")), "outside the range of TINYINT"),
        (arithmetic.DIVIDE, (1, 0), "Division by zero"),
        (arithmetic.DIVIDE, (Decimal("1.5"), Decimal("0.0")), "Division by zero"),
        (arithmetic.MOD, (1, 0), "Division by zero"),
        (arithmetic.NEGATE, ((-128, "TINYINT"),), "outside the range of TINYINT"),
        (math.ABS, ((-128, "TINYINT"),), "outside the range of TINYINT"),
    ],
)
def test_arithmetic_that_fails(outcome: Any, function: Any, args: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        outcome(function, *args)


_GREATEST = Decimal("9" * 38)


def test_decimal_overflow_is_null_where_the_type_allows_it(outcome: Any) -> None:
    assert outcome(arithmetic.PLUS, (_GREATEST, "DECIMAL(38, 0)"), 1) is None


def test_decimal_overflow_is_an_error_where_the_type_is_not_null(outcome: Any) -> None:
    with pytest.raises(TableRuntimeException, match="outside the range"):
        outcome(arithmetic.PLUS, (_GREATEST, "DECIMAL(38, 0) NOT NULL"), (1, "INT NOT NULL"))
