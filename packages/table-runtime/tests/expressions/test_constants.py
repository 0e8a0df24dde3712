"""Constant expressions become literals while a query is planned."""

from __future__ import annotations

import tracemalloc
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from table_common.expressions import CallExpression, ResolvedExpression, TypeLiteralExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import (
    ArrayType,
    BigIntType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
)
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.expressions.constants import constant_value
from table_runtime.kernel_expressions import KernelExpressions

DAY = 86_400_000_000_000


def call(name: str, type_: LogicalType, *args: ResolvedExpression) -> CallExpression:
    return CallExpression(BUILT_INS_BY_NAME[name], args, type_)


def cast(value: Any, source: LogicalType, target: LogicalType) -> CallExpression:
    return call("CAST", target, ValueLiteralExpression(value, source), TypeLiteralExpression(target))


STRING = VarCharType()


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (cast("12", STRING, IntType()), 12),
        (cast("12.345", STRING, DecimalType(6, 2)), Decimal("12.35")),
        (cast("1.5", STRING, DoubleType()), 1.5),
        (cast(7, IntType(), STRING), "7"),
        (cast("ab", STRING, VarBinaryType()), b"ab"),
        (cast("2024-02-29", STRING, DateType()), date(2024, 2, 29)),
        (cast("00:00:01.5", STRING, TimeType(3)), 1_500_000_000),
        (cast("1970-01-02 00:00:00.000000001", STRING, TimestampType(9)), DAY + 1),
        (cast("1970-01-02 00:00:00", STRING, LocalZonedTimestampType(3)), DAY - 3_600_000_000_000),
        (cast(None, STRING, BigIntType()), None),
    ],
    ids=str,
)
def test_a_constant_has_its_value_in_the_form_of_literals(expression: CallExpression, value: Any) -> None:
    found = constant_value(expression, EvaluationContext("+01:00"))
    assert found == ValueLiteralExpression(value, expression.output_type)
    assert found is not None
    assert type(found.value) is type(value)


def test_intervals_are_months_and_nanoseconds() -> None:
    days = ValueLiteralExpression(DAY, DayTimeIntervalType())
    months = ValueLiteralExpression(14, YearMonthIntervalType())
    assert constant_value(call("PLUS", days.output_type, days, days), EvaluationContext()) == ValueLiteralExpression(
        2 * DAY, days.output_type
    )
    assert constant_value(call("PLUS", months.output_type, months, months), EvaluationContext()) == ValueLiteralExpression(
        28, months.output_type
    )


def test_what_fails_has_no_value() -> None:
    assert constant_value(cast("x", STRING, IntType()), EvaluationContext()) is None


def test_a_date_after_the_year_9999_has_no_value() -> None:
    last = ValueLiteralExpression(2_932_896, DateType())
    day = ValueLiteralExpression(DAY, DayTimeIntervalType())
    assert constant_value(call("PLUS", DateType(), last, day), EvaluationContext()) is None


def test_what_has_no_literal_has_no_value() -> None:
    array = call("ARRAY", ArrayType(IntType()), ValueLiteralExpression(1, IntType()))
    nan = cast("NaN", STRING, DoubleType())
    assert constant_value(array, EvaluationContext()) is None
    assert constant_value(nan, EvaluationContext()) is None


def test_what_has_no_literal_does_not_ask_for_the_context_of_the_session() -> None:
    def evaluation() -> EvaluationContext:
        raise AssertionError("the context was made")

    array = call("ARRAY", ArrayType(IntType()), ValueLiteralExpression(1, IntType()))
    assert KernelExpressions(evaluation).constant_value(array) is None


@pytest.mark.parametrize(("count", "is_folded"), [(1000, True), (200_000_000, False)])
def test_a_large_value_is_left_to_the_job(count: int, is_folded: bool) -> None:
    repeated = call("REPEAT", STRING, ValueLiteralExpression("x", STRING), ValueLiteralExpression(count, IntType()))
    tracemalloc.start()
    found = constant_value(repeated, EvaluationContext())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found is not None) is is_folded
    assert peak < 8 << 20
