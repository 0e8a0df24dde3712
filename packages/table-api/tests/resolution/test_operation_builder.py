"""The operation builder: what SQL and the Table API become."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.expressions.grouping_sets import GroupingSets, GroupingSetsKind
from table_api.expressions.unresolved import Alias, Call, Literal, Reference, SortKey, Span, Star, UnresolvedExpression
from table_api.operations import (
    AggregateQueryOperation,
    FilterQueryOperation,
    JoinType,
    ProjectQueryOperation,
    SetOperationType,
    SortQueryOperation,
    ValuesQueryOperation,
)
from table_api.resolution.operation_builder import OperationBuilder
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, CharType, DecimalType, IntType


def col(*path: str) -> Reference:
    return Reference(path)


def lit(value: int) -> Literal:
    return Literal(value, IntType(nullable=False))


def op(name: str, *args: UnresolvedExpression) -> Call:
    return Call(BUILT_INS_BY_NAME[name], args)


def fn(name: str, *args: UnresolvedExpression, **options: Any) -> Call:
    return Call((name,), args, **options)


@pytest.fixture
def sql(session: Any) -> OperationBuilder:
    return OperationBuilder(session, "SELECT nam FROM t")


@pytest.fixture
def api(session: Any) -> OperationBuilder:
    return OperationBuilder(session)


def test_star_is_all_columns(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [Star()])
    assert operation.resolved_schema.column_names == ("name", "age", "pay", "r")


def test_sql_names_expressions_by_their_place(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [col("name"), op("PLUS", col("age"), lit(1))])
    assert operation.resolved_schema.column_names == ("name", "EXPR$1")


def test_the_table_api_names_expressions_by_their_place(api: OperationBuilder) -> None:
    operation = api.project(api.from_path(("t",)), [col("name"), op("PLUS", col("age"), lit(1))])
    assert operation.resolved_schema.column_names == ("name", "_c1")


def test_sql_numbers_repeated_names(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [col("name"), col("name"), col("name")])
    assert operation.resolved_schema.column_names == ("name", "name0", "name1")


def test_the_table_api_refuses_repeated_names(api: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="name would occur more than once"):
        api.project(api.from_path(("t",)), [col("name"), col("name")])


def test_an_unknown_column_is_shown_with_a_caret_and_a_suggestion(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException) as caught:
        sql.project(sql.from_path(("t",)), [Reference(("nam",), span=Span(7, 10))])
    assert "Column 'nam' does not exist. Did you mean 'name'?" in str(caught.value)
    assert str(caught.value).endswith("at line 1, column 8:\n  SELECT nam FROM t\n         ^^^")


def test_a_field_of_a_row_is_reached_by_its_name(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [col("r", "x")])
    assert operation.resolved_schema.column_types == (IntType(),)
    assert operation.resolved_schema.column_names == ("x",)


def test_an_argument_of_a_narrower_type_is_cast(sql: OperationBuilder) -> None:
    operation = sql.filter(sql.from_path(("u",)), op("EQUALS", col("id"), lit(1)))
    assert isinstance(operation, FilterQueryOperation)
    assert ValueLiteralExpression(1, BigIntType(nullable=False)) in operation.condition.children


def test_where_takes_a_boolean(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="WHERE takes a BOOLEAN condition, but the expression is of type INT"):
        sql.filter(sql.from_path(("t",)), col("age"))


def test_an_aggregate_in_where_is_refused_with_a_hint(sql: OperationBuilder) -> None:
    with pytest.raises(ValidationException, match="SUM cannot be used in WHERE") as caught:
        sql.filter(sql.from_path(("t",)), op("GREATER_THAN", fn("SUM", col("age")), lit(1)))
    assert caught.value.hint == "filter groups with HAVING"


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


def test_having_stands_between_aggregate_and_projection(sql: OperationBuilder) -> None:
    having = op("GREATER_THAN", fn("COUNT", star=True), lit(1))
    operation = sql.select(sql.from_path(("t",)), [col("name")], group_by=[col("name")], having=having)
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.child, FilterQueryOperation)


def test_order_by_a_column_that_is_not_selected_is_dropped_after_sorting(sql: OperationBuilder) -> None:
    operation = sql.select(sql.from_path(("t",)), [col("name")], order_by=[SortKey(col("age"))])
    assert operation.resolved_schema.column_names == ("name",)
    assert isinstance(operation.children[0], SortQueryOperation)


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
    with pytest.raises(ValidationException, match="Both sides of the join have the columns name"):
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


def test_a_decimal_aggregate_keeps_its_scale(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [fn("SUM", col("pay"))])
    assert operation.resolved_schema.column_types == (DecimalType(38, 2),)


def test_rollup_makes_a_set_for_every_prefix(sql: OperationBuilder) -> None:
    rollup = GroupingSets(GroupingSetsKind.ROLLUP, ((col("name"),), (col("age"),)))
    operation = sql.aggregate(sql.from_path(("t",)), [rollup], [col("name"), fn("COUNT", star=True)])
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.child, AggregateQueryOperation)
    assert operation.child.grouping_sets == ((0, 1), (0,), ())


def test_cube_and_a_column_are_combined(sql: OperationBuilder) -> None:
    cube = GroupingSets(GroupingSetsKind.CUBE, ((col("age"),), (col("pay"),)))
    operation = sql.aggregate(sql.from_path(("t",)), [col("name"), cube], [fn("COUNT", star=True)])
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.child, AggregateQueryOperation)
    assert operation.child.grouping_sets == ((0, 1, 2), (0, 1), (0, 2), (0,))


def test_a_grouping_column_outside_of_some_set_may_be_null(sql: OperationBuilder) -> None:
    sets = GroupingSets(GroupingSetsKind.GROUPING_SETS, ((col("id"),), ()))
    operation = sql.aggregate(sql.from_path(("u",)), [sets], [col("id"), op("PLUS", col("id"), lit(1))])
    assert operation.resolved_schema.column_types == (BigIntType(), BigIntType())


def test_grouping_of_what_is_not_grouped_is_refused(sql: OperationBuilder) -> None:
    sets = GroupingSets(GroupingSetsKind.ROLLUP, ((col("name"),),))
    with pytest.raises(ValidationException, match="GROUPING takes expressions of GROUP BY, but age is not one of them"):
        sql.aggregate(sql.from_path(("t",)), [sets], [fn("GROUPING", col("age"))])


def test_a_cube_of_too_many_columns_is_refused(sql: OperationBuilder) -> None:
    cube = GroupingSets(GroupingSetsKind.CUBE, tuple((op("PLUS", col("age"), lit(i)),) for i in range(13)))
    with pytest.raises(ValidationException, match="CUBE of 13 columns would make 8192 grouping sets"):
        sql.aggregate(sql.from_path(("t",)), [cube], [fn("COUNT", star=True)])


def test_all_fields_of_a_row_column(sql: OperationBuilder) -> None:
    operation = sql.project(sql.from_path(("t",)), [Star(("r",))])
    assert operation.resolved_schema.column_names == ("x",)


def test_grouping_sets_of_more_columns_than_the_grouping_id_has_bits_are_refused(sql: OperationBuilder) -> None:
    rollup = GroupingSets(GroupingSetsKind.ROLLUP, tuple((op("PLUS", col("age"), lit(i)),) for i in range(64)))
    with pytest.raises(ValidationException, match="The grouping sets have 64 columns; 63 are allowed"):
        sql.aggregate(sql.from_path(("t",)), [rollup], [fn("COUNT", star=True)])
