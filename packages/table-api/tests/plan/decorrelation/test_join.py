"""Decorrelation of joins."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import JoinQueryOperation, JoinType, QueryOperation, is_outer
from table_api.plan.explain import plan_text
from table_common.tree import preorder


def joins_of(plan: QueryOperation) -> list[JoinType]:
    return [node.join_type for node in preorder(plan, QueryOperation) if isinstance(node, JoinQueryOperation)]


def test_all_conditions_of_an_inner_join_on_the_outer_row_are_pulled_up(correlated: Any) -> None:
    result = correlated.decorrelated("SELECT u.id FROM u JOIN u AS v ON u.id = v.id AND u.name < t.name")
    assert [str(condition) for condition in result.conditions] == ["(name < outer.name)"]
    assert joins_of(result.plan) == [JoinType.INNER]


def test_a_left_join_with_an_uncorrelated_right_side_stays(correlated: Any) -> None:
    result = correlated.decorrelated("SELECT u.id FROM u LEFT JOIN u AS v ON u.id = v.id WHERE u.name = t.name")
    assert joins_of(result.plan) == [JoinType.LEFT_OUTER]


@pytest.mark.parametrize(
    ("kind", "join_type"), [("LEFT", JoinType.LEFT_OUTER), ("FULL", JoinType.FULL_OUTER), ("RIGHT", JoinType.RIGHT_OUTER)]
)
def test_an_outer_join_on_the_outer_row_is_made_for_each_outer_value(correlated: Any, kind: str, join_type: JoinType) -> None:
    result = correlated.decorrelated(f"SELECT u.id FROM u {kind} JOIN u AS v ON u.id = v.id AND v.name = t.name")
    assert joins_of(result.plan)[0] is join_type
    assert "Distinct" in plan_text(result.plan)
    assert not any(is_outer(e) for node in preorder(result.plan, QueryOperation) for e in node.expressions)


def test_for_membership_alone_a_semi_join_becomes_an_inner_join(correlated: Any) -> None:
    query = "SELECT id FROM u LEFT SEMI JOIN p ON u.id = p.id AND p.kind = t.name"
    assert JoinType.SEMI in joins_of(correlated.decorrelated(query).plan)
    assert JoinType.SEMI not in joins_of(correlated.decorrelated(query, ignores_duplicates=True).plan)
