"""Calls: casts of arguments, result types, and where aggregates are refused."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.expressions.unresolved import Call, Literal, Reference, UnresolvedExpression
from table_api.operations import (
    FilterQueryOperation,
)
from table_api.resolution.operation_builder import OperationBuilder
from table_common.exceptions import ValidationException
from table_common.expressions import ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, DecimalType, IntType


def col(*path: str) -> Reference:
    return Reference(path)


def lit(value: int) -> Literal:
    return Literal(value, IntType(nullable=False))


def op(name: str, *args: UnresolvedExpression) -> Call:
    return Call(BUILT_INS_BY_NAME[name], args)


def fn(name: str, *args: UnresolvedExpression, **options: Any) -> Call:
    return Call((name,), args, **options)


def test_an_argument_of_a_narrower_type_is_cast(sql: OperationBuilder) -> None:
    operation = sql.filter(sql.from_path(("u",)), op("EQUALS", col("id"), lit(1)))
    assert isinstance(operation, FilterQueryOperation)
    assert ValueLiteralExpression(1, BigIntType(nullable=False)) in operation.condition.children


def test_an_aggregate_in_where_is_refused_with_a_hint(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="SUM cannot be used in WHERE") as caught:
        sql.filter(sql.from_path(("t",)), op("GREATER_THAN", fn("SUM", col("age")), lit(1)))
    assert caught.value.hint == "filter groups with HAVING"


def test_a_decimal_aggregate_keeps_its_scale(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [fn("SUM", col("pay"))])
    assert operation.resolved_schema.column_types == (DecimalType(38, 2),)
