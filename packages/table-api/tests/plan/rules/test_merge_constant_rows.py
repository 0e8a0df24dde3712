"""Pairs of plans: merge_constant_rows.test."""

from __future__ import annotations

from plan_pairs import Pair, planned

from table_api.operations import JoinQueryOperation, JoinType, QueryOperation, SetQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.fold_constants import fold_constants
from table_api.plan.rules.merge_constant_rows import merge_constant_rows
from table_api.plan.rules.merge_projects import merge_projects
from table_common.tree import preorder

PREPARED_BY = (fold_constants, merge_projects)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, merge_constant_rows, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert merge_constant_rows(plan, context) is plan


def test_without_a_planner_computed_rows_stay_apart(context: RuleContext) -> None:
    plan = planned("SELECT 1 + 1 AS a UNION ALL SELECT 2 + 2", context)
    assert merge_constant_rows(plan, RuleContext(context.session)) is plan


def test_a_union_with_a_second_parent_is_not_flattened(context: RuleContext) -> None:
    shared = planned("SELECT name FROM t UNION ALL SELECT name FROM u", context)
    outer = planned("SELECT name FROM t UNION ALL SELECT name FROM u", context)
    assert isinstance(outer, SetQueryOperation)
    plan = JoinQueryOperation(SetQueryOperation((shared, *outer.inputs), outer.kind, True, outer.types), shared, JoinType.INNER, None)
    merged = merge_constant_rows(plan, context)
    assert [len(node.inputs) for node in preorder(merged, QueryOperation) if isinstance(node, SetQueryOperation)] == [3, 2]
    assert "Reused(#1)" in plan_text(merged)
