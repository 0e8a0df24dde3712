"""Comparisons as Spark SQL, which compares NaN in another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison as fn
from table_common.functions.builtin import conversion
from table_common.types import BooleanType, DecimalType, DoubleType, IntType, LogicalType, TimestampType
from table_planner_spark.expressions.functions.comparison import FUNCTIONS, alike, can_be_nan

INT, DOUBLE = IntType(), DoubleType()
NAN = "CAST('NaN' AS DOUBLE)"


def call_of(function: FunctionDefinition, *types: LogicalType) -> CallExpression:
    fields = tuple(FieldReferenceExpression(str(index), type_, 0, index) for index, type_ in enumerate(types))
    return CallExpression(function, fields, BooleanType())


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (fn.EQUALS, "(a = b)"),
        (fn.GREATER_THAN, "(a > b)"),
        (fn.IS_NOT_DISTINCT_FROM, "(a <=> b)"),
        (fn.IN, "(a IN (b))"),
    ],
)
def test_integers_are_compared_by_the_operators_of_spark(function: FunctionDefinition, expected: str) -> None:
    assert FUNCTIONS[function](call_of(function, INT, INT), ["a", "b"]) == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (fn.EQUALS, False),
        (fn.NOT_EQUALS, True),
        (fn.LESS_THAN, False),
        (fn.LESS_THAN_OR_EQUAL, False),
        (fn.GREATER_THAN, False),
        (fn.GREATER_THAN_OR_EQUAL, False),
        (fn.IS_DISTINCT_FROM, True),
        (fn.IS_NOT_DISTINCT_FROM, False),
        (fn.IN, False),
    ],
)
def test_nan_is_not_equal_to_itself_and_has_no_order(value_of: Callable[[str], Any], function: FunctionDefinition, expected: bool) -> None:
    assert value_of(FUNCTIONS[function](call_of(function, DOUBLE, DOUBLE), [NAN, NAN])) is expected


def test_a_comparison_of_nan_with_null_is_null(value_of: Callable[[str], Any]) -> None:
    for function in (fn.EQUALS, fn.NOT_EQUALS, fn.GREATER_THAN):
        assert value_of(FUNCTIONS[function](call_of(function, DOUBLE, DOUBLE), [NAN, "CAST(NULL AS DOUBLE)"])) is None


def test_only_approximate_numbers_can_be_nan() -> None:
    field = FieldReferenceExpression("a", INT, 0, 0)
    assert not can_be_nan(field)
    assert can_be_nan(FieldReferenceExpression("a", DOUBLE, 0, 0))
    assert not can_be_nan(ValueLiteralExpression(1.0, DOUBLE))
    assert not can_be_nan(CallExpression(conversion.CAST, (field,), DOUBLE))


def test_timestamps_of_different_encodings_are_compared_in_nanoseconds() -> None:
    fine, native = alike(call_of(fn.EQUALS, TimestampType(9), TimestampType(3)), ["a", "b"])
    assert fine == "a"
    assert native.endswith("* 1000L)")


def test_decimals_without_a_common_type_are_compared_by_whole_and_fraction(value_of: Callable[[str], Any]) -> None:
    call = call_of(fn.LESS_THAN, DecimalType(38, 0), DecimalType(38, 38))
    assert value_of(FUNCTIONS[fn.LESS_THAN](call, ["CAST(0 AS DECIMAL(38, 0))", "CAST('1E-38' AS DECIMAL(38, 38))"])) is True
