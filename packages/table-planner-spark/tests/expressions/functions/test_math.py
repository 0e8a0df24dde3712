"""Mathematical functions as Spark SQL."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import math as fn
from table_common.types import BigIntType, DecimalType, DoubleType, IntType, LogicalType, VarCharType
from table_planner_spark.expressions.functions.math import FUNCTIONS
from table_planner_spark.expressions.names import WORKER_PREFIX

INT, DOUBLE, DECIMAL, TEXT = IntType(), DoubleType(), DecimalType(10, 2), VarCharType()


def translated(function: FunctionDefinition, types: list[LogicalType], output_type: LogicalType, *texts: str) -> str:
    fields = tuple(FieldReferenceExpression(str(index), type_, 0, index) for index, type_ in enumerate(types))
    return FUNCTIONS[function](CallExpression(function, fields, output_type), texts)


@pytest.mark.parametrize(("number", "expected"), [("1D", 0.0), ("0D", float("-inf")), ("CAST(NULL AS DOUBLE)", None)])
def test_the_logarithm_of_zero_is_infinite(value_of: Callable[[str], Any], number: str, expected: float | None) -> None:
    assert value_of(translated(fn.LN, [DOUBLE], DOUBLE, number)) == expected


def test_the_logarithm_of_a_negative_number_is_nan(value_of: Callable[[str], Any]) -> None:
    assert math.isnan(value_of(translated(fn.LN, [DOUBLE], DOUBLE, "-1D")))


def test_a_decimal_is_rounded_to_a_constant_number_of_digits_by_spark() -> None:
    args: tuple[ResolvedExpression, ...] = (FieldReferenceExpression("a", DECIMAL, 0, 0), ValueLiteralExpression(1, INT))
    assert FUNCTIONS[fn.ROUND](CallExpression(fn.ROUND, args, DECIMAL), ["a", "1"]) == "try_cast(round(a, 1) AS DECIMAL(10,2))"


def test_a_decimal_is_rounded_to_a_variable_number_of_digits_by_a_worker() -> None:
    assert translated(fn.ROUND, [DECIMAL, INT], DECIMAL, "a", "n").startswith(WORKER_PREFIX)


@pytest.mark.parametrize(("digits", "expected"), [(1, "-1.2"), (0, "-1"), (-1, "0"), (5, "-1.29"), (-9, "0")])
def test_truncate_cuts_towards_zero(value_of: Callable[[str], Any], digits: int, expected: str) -> None:
    args: tuple[ResolvedExpression, ...] = (FieldReferenceExpression("a", DECIMAL, 0, 0), ValueLiteralExpression(digits, INT))
    text = FUNCTIONS[fn.TRUNCATE](CallExpression(fn.TRUNCATE, args, DECIMAL), ["CAST('-1.29' AS DECIMAL(10, 2))", str(digits)])
    assert value_of(text) == Decimal(expected)


def test_the_absolute_value_of_a_decimal_keeps_its_type(value_of: Callable[[str], Any]) -> None:
    assert value_of(translated(fn.ABS, [DECIMAL], DECIMAL, "CAST('-1.50' AS DECIMAL(10, 2))")) == Decimal("1.50")


@pytest.mark.parametrize(("address", "number"), [("127.0.0.1", 2130706433), ("1.2", 16777218), ("256.0.0.1", None), ("x", None)])
def test_an_address_is_a_number(value_of: Callable[[str], Any], address: str, number: int | None) -> None:
    assert value_of(translated(fn.INET_ATON, [TEXT], BigIntType(), f"'{address}'")) == number


@pytest.mark.parametrize(("number", "address"), [("2130706433L", "127.0.0.1"), ("-1L", None), ("4294967296L", None)])
def test_a_number_is_an_address(value_of: Callable[[str], Any], number: str, address: str | None) -> None:
    assert value_of(translated(fn.INET_NTOA, [BigIntType()], TEXT, number)) == address
