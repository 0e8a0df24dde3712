"""Pairs of plans: prune_columns.test."""

from __future__ import annotations

from plan_pairs import Pair, planned

from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_filter_down import push_filter_down

PREPARED_BY = (merge_projects, push_filter_down)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, prune_columns, merge_projects, prepared_by=PREPARED_BY)


def test_a_plan_that_uses_all_columns_keeps_them(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert prune_columns(plan, context) == plan
