"""Pairs of plans: merge_projects.test."""

from __future__ import annotations

from plan_pairs import Pair, planned

from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, merge_projects)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = merge_projects(planned("SELECT * FROM t", context), context)  # without the projection of all columns
    assert merge_projects(plan, context) is plan
