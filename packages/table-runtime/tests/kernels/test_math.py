"""Mathematical functions; the expected results are Flink's."""

from __future__ import annotations

import math as python_math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import math
from table_runtime.expressions import EvaluationContext, Evaluator


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


def test_each_row_has_its_own_uuid(expressions: Any, context: EvaluationContext) -> None:
    (array,) = Evaluator([expressions.call(math.UUID)], context).evaluate(pa.record_batch({"x": pa.nulls(9)}))
    assert len(set(array.to_pylist())) == 9


@pytest.mark.parametrize(("type_", "least"), [("TINYINT", -(2**7)), ("SMALLINT", -(2**15)), ("INT", -(2**31)), ("BIGINT", -(2**63))])
def test_the_absolute_value_of_the_least_integer_is_an_error(outcome: Any, type_: str, least: int) -> None:
    with pytest.raises(TableRuntimeException, match=f"outside the range of {type_}"):
        outcome(math.ABS, (least, type_))


@pytest.mark.parametrize("function", [math.CEIL, math.FLOOR, math.ABS, math.SIGN, math.SQRT, math.EXP, math.HEX, math.BIN, math.INET_NTOA])
def test_null_gives_null(outcome: Any, function: Any) -> None:
    assert outcome(function, (None, "BIGINT")) is None


@pytest.mark.parametrize("text", ["", "1.2.3.256", "a.b.c.d", "1.2.3.4.5", "-1.2.3.4"])
def test_text_that_is_not_an_ip_address_has_no_number(outcome: Any, text: str) -> None:
    assert outcome(math.INET_ATON, text) is None
