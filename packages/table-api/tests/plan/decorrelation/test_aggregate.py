"""Decorrelation of aggregates."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import AggregateQueryOperation, QueryOperation
from table_api.plan.explain import plan_text
from table_common.tree import preorder


def aggregate_of(plan: QueryOperation) -> AggregateQueryOperation:
    return next(node for node in preorder(plan, QueryOperation) if isinstance(node, AggregateQueryOperation))


def test_the_compared_column_becomes_a_grouping_column(correlated: Any) -> None:
    result = correlated.decorrelated("SELECT MAX(id) FROM u WHERE u.name = t.name")
    assert [key.name for key in aggregate_of(result.plan).grouping] == ["name"]
    assert result.is_total


def test_a_count_is_zero_where_no_row_matches(correlated: Any) -> None:
    result = correlated.decorrelated("SELECT COUNT(*), MAX(id) FROM u WHERE u.name = t.name")
    assert str(result.outputs[0]).startswith("COALESCE(")
    assert "COALESCE" not in str(result.outputs[1])


def test_an_aggregate_with_groups_has_no_row_where_no_row_matches(correlated: Any) -> None:
    result = correlated.decorrelated("SELECT id, COUNT(*) FROM u WHERE u.name = t.name GROUP BY id")
    assert not result.is_total
    assert [key.name for key in aggregate_of(result.plan).grouping] == ["id", "name"]


def test_grouping_sets_keep_the_compared_column_in_each_set(correlated: Any) -> None:
    result = correlated.decorrelated("SELECT id, COUNT(*) FROM u WHERE u.name = t.name GROUP BY GROUPING SETS ((id), ())")
    assert aggregate_of(result.plan).grouping_sets == ((0, 1), (1,))
    assert not result.is_total


def test_a_range_condition_groups_by_the_outer_values(correlated: Any) -> None:
    result = correlated.decorrelated("SELECT MAX(id) FROM u WHERE u.name < t.name")
    assert "Distinct" in plan_text(result.plan)
    assert [str(condition) for condition in result.conditions] == ["($key0 IS NOT DISTINCT FROM outer.name)"]


@pytest.mark.parametrize(("aggregate", "is_joined"), [("MAX(id)", False), ("COLLECT(id)", True)])
def test_functions_with_their_own_result_for_no_rows_see_padded_rows(correlated: Any, aggregate: str, is_joined: bool) -> None:
    result = correlated.decorrelated(f"SELECT {aggregate} FROM u WHERE u.name = t.name")
    text = plan_text(result.plan)
    assert ("$marker" in text) is is_joined
    assert ("LeftOuterJoin" in text) is is_joined
