"""Pairs of plans: remove_redundant_distinct.test."""

from __future__ import annotations

from plan_pairs import Pair, planned

from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.remove_redundant_distinct import remove_redundant_distinct
from table_api.plan.rules.subquery_to_join import subquery_to_join

PREPARED_BY = (subquery_to_join, merge_projects)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, remove_redundant_distinct, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert remove_redundant_distinct(plan, context) is plan
