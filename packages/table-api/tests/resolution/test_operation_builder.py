"""The operation builder: what SQL and the Table API become."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.expressions.unresolved import Call, Literal, Reference, SortKey, UnresolvedExpression
from table_api.operations import (
    FilterQueryOperation,
    JoinType,
    ProjectQueryOperation,
    SetOperationType,
    SortQueryOperation,
    ValuesQueryOperation,
)
from table_api.resolution.operation_builder import OperationBuilder
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, CharType, IntType


def col(*path: str) -> Reference:
    return Reference(path)


def lit(value: int) -> Literal:
    return Literal(value, IntType(nullable=False))


def op(name: str, *args: UnresolvedExpression) -> Call:
    return Call(BUILT_INS_BY_NAME[name], args)


def fn(name: str, *args: UnresolvedExpression, **options: Any) -> Call:
    return Call((name,), args, **options)


@pytest.fixture
def api(session: Any) -> OperationBuilder:
    return OperationBuilder(session)


def test_sql_names_expressions_by_their_place(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [col("name"), op("PLUS", col("age"), lit(1))])
    assert operation.resolved_schema.column_names == ("name", "EXPR$1")


def test_the_table_api_names_expressions_by_their_place(api: OperationBuilder) -> None:
    operation = api.project(api.from_path(("t",)), [col("name"), op("PLUS", col("age"), lit(1))])
    assert operation.resolved_schema.column_names == ("name", "_c1")


def test_the_table_api_refuses_repeated_names(api: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="name would occur more than once"):
        api.project(api.from_path(("t",)), [col("name"), col("name")])


def test_where_takes_a_boolean(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="WHERE takes a BOOLEAN condition, but the expression is of type INT"):
        sql.filter(sql.from_path(("t",)), col("age"))


def test_having_stands_between_aggregate_and_projection(sql: OperationBuilder) -> None:
    having = op("GREATER_THAN", fn("COUNT", star=True), lit(1))
    operation = sql.select(sql.from_path(("t",)), [col("name")], group_by=[col("name")], having=having)
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.child, FilterQueryOperation)


def test_order_by_an_ordinal_is_the_column_of_that_place(sql: OperationBuilder) -> None:
    operation = sql.select(sql.from_path(("t",)), [col("name"), col("age")], order_by=[SortKey(lit(2), ascending=False)])
    assert isinstance(operation, SortQueryOperation)
    assert operation.orders[0].expression == FieldReferenceExpression("age", IntType(), 0, 1)
    assert operation.orders[0].nulls_first is False


def test_an_ordinal_beyond_the_columns_is_refused(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="ORDER BY 3: there are 1 columns"):
        sql.select(sql.from_path(("t",)), [col("name")], order_by=[SortKey(lit(3))])


def test_limit_joins_the_sort_below(sql: OperationBuilder) -> None:
    operation = sql.limit(sql.sort(sql.from_path(("t",)), [SortKey(col("age"))]), 1, 5)
    assert isinstance(operation, SortQueryOperation)
    assert (operation.offset, operation.fetch, len(operation.orders)) == (1, 5, 1)


def test_an_outer_join_makes_the_other_side_nullable(api: OperationBuilder) -> None:
    left, right = api.from_path(("t",)), api.alias(api.from_path(("u",)), ["id", "n"])
    operation = api.join(left, right, JoinType.LEFT_OUTER, op("EQUALS", col("name"), col("n")))
    assert operation.resolved_schema.column_types[4] == BigIntType()


def test_a_join_of_tables_with_a_common_column_name_is_refused(api: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="Both sides of the join have the column name"):
        api.join(api.from_path(("t",)), api.from_path(("u",)), JoinType.INNER, None)


def test_set_operations_cast_to_common_types(sql: OperationBuilder) -> None:
    t = sql.project(sql.from_path(("t",)), [col("age")])
    u = sql.project(sql.from_path(("u",)), [col("id")])
    operation = sql.set_operation(SetOperationType.UNION, True, t, u)
    assert operation.resolved_schema.column_types == (BigIntType(),)
    assert operation.resolved_schema.column_names == ("age",)


def test_set_operations_of_different_width_are_refused(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="the left has 4 and the right 2"):
        sql.set_operation(SetOperationType.UNION, True, sql.from_path(("t",)), sql.from_path(("u",)))


def test_values_take_the_common_type_of_each_column(sql: OperationBuilder) -> None:
    rows = [[lit(1), Literal("a", CharType(1, nullable=False))], [lit(2), Literal("b", CharType(1, nullable=False))]]
    operation = sql.values(rows)
    assert isinstance(operation, ValuesQueryOperation)
    assert operation.resolved_schema.column_types == (IntType(nullable=False), CharType(1, nullable=False))


def test_values_of_different_width_are_refused(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="the first has 1 and another 2"):
        sql.values([[lit(1)], [lit(1), lit(2)]])
