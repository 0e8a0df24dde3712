"""Aggregates are extracted from expressions."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.expressions.grouping_sets import GroupingSets, GroupingSetsKind
from table_api.expressions.unresolved import Alias, Call, Literal, Reference, UnresolvedExpression
from table_api.operations import (
    AggregateQueryOperation,
    ProjectQueryOperation,
)
from table_api.resolution.operation_builder import OperationBuilder
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, IntType


def col(*path: str) -> Reference:
    return Reference(path)


def lit(value: int) -> Literal:
    return Literal(value, IntType(nullable=False))


def op(name: str, *args: UnresolvedExpression) -> Call:
    return Call(BUILT_INS_BY_NAME[name], args)


def fn(name: str, *args: UnresolvedExpression, **options: Any) -> Call:
    return Call((name,), args, **options)


def test_aggregate_arguments_are_computed_below_the_aggregate(sql: OperationBuilder) -> None:
    operation = sql.aggregate(sql.from_path(("t",)), [col("name")], [col("name"), fn("SUM", op("TIMES", col("age"), lit(2)))])
    assert isinstance(operation, ProjectQueryOperation)
    aggregate = operation.child
    assert isinstance(aggregate, AggregateQueryOperation)
    assert isinstance(aggregate.child, ProjectQueryOperation)
    assert [call.args[0].field_index for call in aggregate.aggregates] == [1]


def test_equal_aggregates_are_computed_once(sql: OperationBuilder) -> None:
    total = fn("SUM", col("age"))
    operation = sql.aggregate(sql.from_path(("t",)), [col("name")], [total, op("PLUS", fn("SUM", col("age")), lit(1))])
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.child, AggregateQueryOperation)
    assert len(operation.child.aggregates) == 1


def test_count_of_a_constant_counts_rows(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [fn("COUNT", lit(1))])
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.child, AggregateQueryOperation)
    assert operation.child.aggregates[0].args == ()


def test_a_column_that_is_not_grouped_is_refused(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="Column 'age' is neither in GROUP BY nor inside an aggregate"):
        sql.aggregate(sql.from_path(("t",)), [col("name")], [col("age")])


def test_a_grouping_expression_may_be_selected(sql: OperationBuilder) -> None:
    operation = sql.aggregate(sql.from_path(("t",)), [fn("UPPER", col("name"))], [Alias(fn("UPPER", col("name")), "n")])
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.projection[0], FieldReferenceExpression)


def test_a_grouping_column_outside_of_some_set_may_be_null(sql: OperationBuilder) -> None:
    sets = GroupingSets(GroupingSetsKind.GROUPING_SETS, ((col("id"),), ()))
    operation = sql.aggregate(sql.from_path(("u",)), [sets], [col("id"), op("PLUS", col("id"), lit(1))])
    assert operation.resolved_schema.column_types == (BigIntType(), BigIntType())


def test_grouping_of_what_is_not_grouped_is_refused(sql: OperationBuilder) -> None:
    sets = GroupingSets(GroupingSetsKind.ROLLUP, ((col("name"),),))
    with pytest.raises(ValidationException, match="GROUPING takes expressions of GROUP BY, but age is not one of them"):
        sql.aggregate(sql.from_path(("t",)), [sets], [fn("GROUPING", col("age"))])
