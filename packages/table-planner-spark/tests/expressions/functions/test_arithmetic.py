"""Arithmetic as Spark SQL."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import arithmetic as fn
from table_common.types import DecimalType, DoubleType, IntType, LocalZonedTimestampType, LogicalType, TimestampType
from table_planner_spark.expressions.functions.arithmetic import FUNCTIONS, native, negated

INT, DOUBLE, DECIMAL = IntType(), DoubleType(), DecimalType(10, 2)


def translated(function: FunctionDefinition, types: list[LogicalType], output_type: LogicalType, *texts: str) -> str:
    fields = tuple(FieldReferenceExpression(str(index), type_, 0, index) for index, type_ in enumerate(types))
    return FUNCTIONS[function](CallExpression(function, fields, output_type), texts or [f"`{field.name}`" for field in fields])


@pytest.mark.parametrize(
    ("function", "type_", "expected"),
    [
        (fn.PLUS, INT, "(`0` + `1`)"),
        (fn.DIVIDE, INT, "CAST((`0` div `1`) AS INT)"),
        (fn.MOD, INT, "CAST((`0` % `1`) AS INT)"),
    ],
)
def test_integers_are_computed_by_the_operators_of_spark(function: FunctionDefinition, type_: LogicalType, expected: str) -> None:
    assert translated(function, [type_, type_], type_) == expected


def test_a_product_of_decimals_has_the_type_of_the_call() -> None:
    assert translated(fn.TIMES, [DECIMAL, DECIMAL], DecimalType(20, 4)) == "CAST((`0` * `1`) AS DECIMAL(20,4))"


@pytest.mark.parametrize(
    ("dividend", "divisor", "expected"),
    [("1D", "0D", float("inf")), ("-1D", "0D", float("-inf")), ("1D", "4D", 0.25), ("1D", "CAST(NULL AS DOUBLE)", None)],
)
def test_a_double_divided_by_zero_is_infinite(value_of: Callable[[str], Any], dividend: str, divisor: str, expected: float | None) -> None:
    assert value_of(translated(fn.DIVIDE, [DOUBLE, DOUBLE], DOUBLE, dividend, divisor)) == expected


def test_a_negated_decimal_keeps_its_type(value_of: Callable[[str], Any]) -> None:
    assert str(value_of(negated("CAST('1.50' AS DECIMAL(10, 2))", DECIMAL))) == "-1.50"


def test_a_timestamp_of_nanoseconds_is_a_native_one_of_microseconds(value_of: Callable[[str], Any]) -> None:
    assert value_of(native("1999L", TimestampType(9))) == datetime.datetime(1970, 1, 1, microsecond=1)


def test_a_native_timestamp_stays_as_it_is() -> None:
    assert native("`a`", TimestampType(3)) == "`a`"
    assert native("`a`", LocalZonedTimestampType(6)) == "`a`"
