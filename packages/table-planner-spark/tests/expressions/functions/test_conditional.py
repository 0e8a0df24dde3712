"""Conditional functions as Spark SQL."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conditional as fn
from table_common.types import BigIntType, BooleanType, DoubleType, IntType, LogicalType
from table_planner_spark.expressions.functions.conditional import FUNCTIONS

INT, DOUBLE, CONDITION = IntType(), DoubleType(), BooleanType()
NAN = "CAST('NaN' AS DOUBLE)"


def translated(function: FunctionDefinition, types: list[LogicalType], texts: list[str], output_type: LogicalType) -> str:
    fields = tuple(FieldReferenceExpression(str(index), type_, 0, index) for index, type_ in enumerate(types))
    return FUNCTIONS[function](CallExpression(function, fields, output_type), texts)


def test_a_branch_of_another_type_is_cast_to_that_of_the_call() -> None:
    assert translated(fn.IF, [CONDITION, INT, BigIntType()], ["c", "a", "b"], BigIntType()) == "if(c, CAST(a AS BIGINT), b)"


def test_a_case_whose_last_branch_is_null_has_no_else() -> None:
    args = (FieldReferenceExpression("c", CONDITION, 0, 0), FieldReferenceExpression("a", INT, 0, 1), ValueLiteralExpression(None, INT))
    assert FUNCTIONS[fn.CASE](CallExpression(fn.CASE, args, INT), ["c", "a", "NULL"]) == "(CASE WHEN c THEN a END)"


def test_a_case_with_another_last_branch_has_an_else() -> None:
    assert translated(fn.CASE, [CONDITION, INT, INT], ["c", "a", "b"], INT) == "(CASE WHEN c THEN a ELSE b END)"


@pytest.mark.parametrize("function", [fn.GREATEST, fn.LEAST])
def test_an_extreme_of_null_is_null(value_of: Callable[[str], Any], function: FunctionDefinition) -> None:
    assert value_of(translated(function, [INT, INT], ["1", "CAST(NULL AS INT)"], INT)) is None


def test_arguments_that_are_not_null_are_not_checked_for_null() -> None:
    type_ = IntType(nullable=False)
    assert translated(fn.GREATEST, [type_, type_], ["a", "b"], type_) == "greatest(a, b)"


def test_an_extreme_keeps_nan_only_if_it_is_first(value_of: Callable[[str], Any]) -> None:
    assert math.isnan(value_of(translated(fn.GREATEST, [DOUBLE, DOUBLE], [NAN, "1D"], DOUBLE)))
    assert value_of(translated(fn.GREATEST, [DOUBLE, DOUBLE], ["1D", NAN], DOUBLE)) == 1.0


def test_nullif_is_that_of_spark_unless_both_arguments_can_be_nan(value_of: Callable[[str], Any]) -> None:
    assert translated(fn.NULLIF, [INT, INT], ["a", "b"], INT) == "nullif(a, b)"
    assert math.isnan(value_of(translated(fn.NULLIF, [DOUBLE, DOUBLE], [NAN, NAN], DOUBLE)))
