"""Values of subqueries over the rows that they are joined to."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import AggregateQueryOperation, FilterQueryOperation, JoinQueryOperation, JoinType, QueryOperation
from table_api.plan.decorrelation.scalar import JoinedSubqueries, all_equal, exists_join, is_null_in_query
from table_api.plan.explain import plan_text
from table_common.functions.builtin import aggregates
from table_common.tree import preorder


def aggregates_in(plan: QueryOperation) -> set[object]:
    nodes = (node for node in preorder(plan, QueryOperation) if isinstance(node, AggregateQueryOperation))
    return {aggregate.function for node in nodes for aggregate in node.aggregates}


def test_a_subquery_used_twice_is_joined_once(correlated: Any) -> None:
    rows, subquery = correlated.rows_and_subquery("age > (SELECT MAX(id) FROM u)")
    joined = JoinedSubqueries(rows)
    first = joined.value(subquery)
    plan = joined.plan
    assert joined.value(subquery) is first
    assert joined.plan is plan


def test_the_value_has_the_type_of_the_subquery_and_the_rows_keep_their_columns(correlated: Any) -> None:
    rows, subquery = correlated.rows_and_subquery("age > (SELECT id FROM u WHERE u.name = t.name)")
    joined = JoinedSubqueries(rows)
    assert joined.value(subquery).output_type == subquery.output_type
    width = len(rows.resolved_schema.columns)
    assert joined.plan.resolved_schema.columns[:width] == rows.resolved_schema.columns


@pytest.mark.parametrize(
    ("query", "function"),
    [
        ("SELECT id FROM u", aggregates.SINGLE_VALUE),
        ("SELECT id FROM u ORDER BY id LIMIT 1", aggregates.FIRST_VALUE),
        ("SELECT COUNT(*) FROM u", aggregates.COUNT),
    ],
)
def test_a_scalar_query_fails_for_a_second_row_unless_it_cannot_have_one(correlated: Any, query: str, function: object) -> None:
    rows, subquery = correlated.rows_and_subquery(f"age > ({query})")
    joined = JoinedSubqueries(rows)
    joined.value(subquery)
    assert aggregates_in(joined.plan) == {function}


def test_exists_of_an_aggregate_without_groups_is_true(correlated: Any) -> None:
    rows, subquery = correlated.rows_and_subquery("EXISTS (SELECT MAX(id) FROM u WHERE u.name = t.name)")
    joined = JoinedSubqueries(rows)
    assert str(joined.value(subquery)) == "TRUE"
    assert joined.plan is rows
    assert exists_join(rows, subquery.query, subquery.arguments, JoinType.SEMI) is rows
    nothing = exists_join(rows, subquery.query, subquery.arguments, JoinType.ANTI)
    assert isinstance(nothing, FilterQueryOperation)
    assert str(nothing.condition) == "FALSE"


@pytest.mark.parametrize(("condition", "join_type"), [("EXISTS", JoinType.SEMI), ("NOT EXISTS", JoinType.ANTI)])
def test_existence_is_a_semi_or_anti_join_with_the_columns_of_the_rows(correlated: Any, condition: str, join_type: JoinType) -> None:
    rows, subquery = correlated.rows_and_subquery(f"{condition} (SELECT 1 FROM u WHERE u.name = t.name)")
    join = exists_join(rows, subquery.query, subquery.arguments, join_type)
    assert isinstance(join, JoinQueryOperation)
    assert join.join_type is join_type
    assert join.resolved_schema == rows.resolved_schema


def test_in_compares_each_column_with_its_operand(correlated: Any) -> None:
    _, subquery = correlated.rows_and_subquery("(name, CAST(age AS BIGINT)) IN (SELECT name, id FROM u)")
    assert str(all_equal(subquery)) == "((name = outer.name) AND (id = outer.$operand1))"


@pytest.mark.parametrize(
    ("condition", "queries", "with_operand"),
    [
        ("1 IN (SELECT CHAR_LENGTH(name) FROM u WHERE name IS NOT NULL)", 1, [False]),
        ("name IN (SELECT name FROM u)", 2, [False, True]),
        ("CAST(1 AS BIGINT) IN (SELECT id FROM u)", 0, []),
        ("(name, age) IN (SELECT name, 1 FROM u)", 1, [False]),
    ],
)
def test_the_queries_that_make_in_unknown_follow_from_nullability(
    correlated: Any, condition: str, queries: int, with_operand: list[bool]
) -> None:
    _, subquery = correlated.rows_and_subquery(condition)
    unknown = is_null_in_query(subquery)
    assert len(unknown) == queries
    assert [operand is not None for _, operand in unknown] == with_operand


@pytest.mark.parametrize(
    ("comparison", "extreme"), [("> ALL", "$greatest"), ("> ANY", "$least"), ("< ALL", "$least"), ("<= ANY", "$greatest")]
)
def test_a_quantified_comparison_uses_the_minimum_or_maximum(correlated: Any, comparison: str, extreme: str) -> None:
    rows, subquery = correlated.rows_and_subquery(f"CAST(age AS BIGINT) {comparison} (SELECT id FROM u)")
    joined = JoinedSubqueries(rows)
    value = str(joined.value(subquery))
    assert extreme in value
    assert ({"$greatest", "$least"} - {extreme}).pop() not in value
    assert aggregates_in(joined.plan) == {aggregates.COUNT, aggregates.MIN, aggregates.MAX}
    assert "LeftOuterJoin" in plan_text(joined.plan)
