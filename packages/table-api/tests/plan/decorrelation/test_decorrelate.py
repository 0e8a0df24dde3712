"""Decorrelation of each kind of node but joins and aggregates."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import OuterReferenceExpression, QueryOperation, is_outer
from table_api.plan.calls import call
from table_api.plan.decorrelation.decorrelate import inner_sides, with_inner_sides
from table_api.plan.explain import plan_text
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import comparison
from table_common.tree import preorder
from table_common.types import IntType

A, B = (FieldReferenceExpression(name, IntType(), 0, position) for position, name in enumerate("ab"))
OUTER = OuterReferenceExpression("o", IntType(), 0)


def conditions_of(result: Any) -> list[str]:
    return [str(condition) for condition in result.conditions]


def test_a_query_without_outer_columns_stays_the_same_object(correlated: Any) -> None:
    _, subquery = correlated.rows_and_subquery("EXISTS (SELECT id FROM u WHERE id > 1)")
    result = correlated.decorrelated("SELECT id FROM u WHERE id > 1")
    assert result.is_plain
    assert result.plan == subquery.query


def test_conditions_on_the_outer_row_are_pulled_up_and_others_stay(correlated: Any) -> None:
    result = correlated.decorrelated("SELECT id FROM u WHERE u.name = t.name AND id > 1")
    assert conditions_of(result) == ["(name = outer.name)"]
    assert "where=[(id > 1)]" in plan_text(result.plan)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT DISTINCT u.name || t.name FROM u",
        "SELECT id FROM u WHERE u.name = t.name UNION ALL SELECT id FROM u WHERE u.name < t.name",
        "SELECT id FROM u WHERE u.name = t.name ORDER BY id LIMIT 2",
        "SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM u WHERE u.name < t.name",
        "SELECT x FROM u CROSS JOIN UNNEST(ARRAY[u.id, t.age]) AS e (x)",
        "VALUES (t.age), (t.age + 1)",
    ],
)
def test_no_outer_reference_stays_in_the_plan(correlated: Any, query: str) -> None:
    result = correlated.decorrelated(query)
    assert not any(is_outer(e) for node in preorder(result.plan, QueryOperation) for e in node.expressions)


def test_the_limit_of_a_correlated_query_counts_rows_per_outer_value(correlated: Any) -> None:
    text = plan_text(correlated.decorrelated("SELECT id FROM u WHERE u.name = t.name ORDER BY id LIMIT 2").plan)
    assert "partitionBy=[name], orderBy=[id ASC" in text
    assert "where=[($row_number <= 2)]" in text


def test_for_existence_alone_a_limit_is_dropped(correlated: Any) -> None:
    query = "SELECT id FROM u WHERE u.name = t.name ORDER BY id LIMIT 2"
    assert "$row_number" not in plan_text(correlated.decorrelated(query, ignores_all_but_one=True).plan)


def test_for_membership_alone_a_distinct_is_dropped(correlated: Any) -> None:
    query = "SELECT DISTINCT id FROM u WHERE u.name = t.name"
    assert "Distinct" in plan_text(correlated.decorrelated(query).plan)
    assert "Distinct" not in plan_text(correlated.decorrelated(query, ignores_duplicates=True).plan)


def test_an_operator_that_cannot_be_decorrelated_is_refused(correlated: Any) -> None:
    query = (
        "SELECT * FROM (SELECT id, TIMESTAMP '2020-01-01 00:00:00' AS ts FROM u WHERE u.name = t.name) "
        "MATCH_RECOGNIZE (ORDER BY ts MEASURES A.id AS x PATTERN (A) DEFINE A AS TRUE)"
    )
    with pytest.raises(TableException, match="A query that uses columns of an outer one"):
        correlated.decorrelated(query)


def test_the_inner_side_of_each_equality_can_be_replaced() -> None:
    conditions = [call(comparison.EQUALS, A, OUTER), call(comparison.EQUALS, OUTER, A), call(comparison.IS_NOT_NULL, OUTER)]
    assert inner_sides(conditions) == [A, A]
    replaced = with_inner_sides(conditions, [B, A])
    assert [str(condition) for condition in replaced] == ["(b = outer.o)", "(a = outer.o)", "(outer.o IS NOT NULL)"]
