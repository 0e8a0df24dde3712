"""Numbers: overflow, division, decimals, IEEE 754, rounding."""

from __future__ import annotations

import math as python_math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import arithmetic, math
from table_runtime.expressions import EvaluationContext, Evaluator


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


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (math.ROUND, (Decimal("2.5"),), "3"),
        (math.ROUND, (Decimal("1234.567"), -2), "1200"),
        (math.ROUND, (Decimal("9.99"), 1), "10.0"),
        (math.ROUND, (2.5,), 3.0),
        (math.ROUND, (-2.5,), -3.0),
        (math.ROUND, (1.005, 2), 1.01),
        (math.ROUND, (15, -1), 20),
        (math.TRUNCATE, (Decimal("-42.345"), 1), "-42.3"),
        (math.TRUNCATE, (-42.9,), -42.0),
        (math.CEIL, (Decimal("1.2"),), "2"),
        (math.FLOOR, (Decimal("-1.2"),), "-2"),
        (math.FLOOR, (5,), 5),
        (math.SIGN, (-5,), -1),
        (math.SIGN, (Decimal("-5.5"),), "-1.0"),
        (math.SQRT, (4,), 2.0),
        (math.LOG, (2, 8), 3.0),
        (math.LOG10, (100,), 2.0),
        (math.POWER, (2, -1), 0.5),
        (math.COT, (1,), 0.6420926159343306),
        (math.BIN, (4,), "100"),
        (math.HEX, (-1,), "F" * 16),
        (math.HEX, ("hello,world",), "68656C6C6F2C776F726C64"),
        (math.UNHEX, ("466C696E6B",), b"Flink"),
        (math.UNHEX, ("F",), b"\x00"),
        (math.UNHEX, ("xy",), None),
        (math.INET_ATON, ("127.0.0.1",), 2130706433),
        (math.INET_NTOA, (2130706433,), "127.0.0.1"),
        (math.INET_NTOA, (-1,), None),
    ],
)
def test_mathematical_functions(outcome: Any, function: Any, args: Any, expected: Any) -> None:
    # The result type of ROUND says more if the number of digits is a constant.
    result = outcome(function, *args, columns=len(args) == 1 or function not in (math.ROUND, math.TRUNCATE))
    assert result == pytest.approx(expected) if isinstance(expected, float) else result == expected


@pytest.mark.parametrize(("function", "value"), [(math.SQRT, -1.0), (math.LN, -1.0), (math.ASIN, 2.0)])
def test_functions_outside_their_domain_give_nan(outcome: Any, function: Any, value: float) -> None:
    assert python_math.isnan(outcome(function, value))


def test_a_seed_repeats_random_numbers(expressions: Any, context: EvaluationContext) -> None:
    batch = pa.record_batch({"x": pa.nulls(5)})
    first, second = (Evaluator([expressions.call(math.RAND, 7)], context).evaluate(batch)[0] for _ in range(2))
    assert first.equals(second)


def test_random_integers_are_below_their_bound(expressions: Any, context: EvaluationContext) -> None:
    (array,) = Evaluator([expressions.call(math.RAND_INTEGER, 3)], context).evaluate(pa.record_batch({"x": pa.nulls(200)}))
    assert set(array.to_pylist()) == {0, 1, 2}


def test_each_row_has_its_own_uuid(expressions: Any, context: EvaluationContext) -> None:
    (array,) = Evaluator([expressions.call(math.UUID)], context).evaluate(pa.record_batch({"x": pa.nulls(9)}))
    assert len(set(array.to_pylist())) == 9
