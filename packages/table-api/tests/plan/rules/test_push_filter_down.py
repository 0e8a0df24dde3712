"""Pairs of plans: push_filter_down.test."""

from __future__ import annotations

import pytest
from plan_pairs import Pair, planned

from table_api.operations import FilterQueryOperation, JoinQueryOperation, JoinType
from table_api.plan.calls import call
from table_api.plan.context import RuleContext
from table_api.plan.rules import push_filter_down as rule
from table_api.plan.rules.push_filter_down import on_side, push_filter_down
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import comparison
from table_common.types import BigIntType, VarCharType


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, push_filter_down)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context)
    assert push_filter_down(plan, context) is plan


def test_a_condition_over_a_joined_row_is_moved_to_the_columns_of_its_side(context: RuleContext) -> None:
    join = JoinQueryOperation(planned("SELECT name FROM t", context), planned("SELECT id FROM u", context), JoinType.LEFT_OUTER, None)
    assert on_side(FieldReferenceExpression("id", BigIntType(), 0, 1), join, 1) == FieldReferenceExpression(
        "id", BigIntType(nullable=False), 0, 0
    )
    assert on_side(FieldReferenceExpression("name", VarCharType(), 0, 0), join, 0) == FieldReferenceExpression("name", VarCharType(), 0, 0)


def test_a_condition_that_would_grow_too_large_stays_above_the_projection(context: RuleContext, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned("SELECT a FROM (SELECT age + age AS a FROM t) AS s WHERE a + a > 1", context)
    assert push_filter_down(plan, context) is not plan
    monkeypatch.setattr(rule, "MOST_NODES", 0)
    assert push_filter_down(plan, context) is plan


def test_filters_move_into_shared_queries_a_limited_number_of_times(context: RuleContext, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = planned("SELECT DISTINCT name FROM t", context)
    name = FieldReferenceExpression("name", VarCharType(), 0, 0)
    filtered = FilterQueryOperation(call(comparison.IS_NOT_NULL, name), shared)
    plan = JoinQueryOperation(filtered, shared, JoinType.INNER, None)
    assert push_filter_down(plan, context) != plan
    monkeypatch.setattr(rule, "MOST_COPIES", 0)
    assert push_filter_down(plan, context) == plan
