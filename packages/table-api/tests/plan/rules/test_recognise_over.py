"""Pairs of plans: recognise_over.test."""

from __future__ import annotations

from plan_pairs import Pair, planned

from table_api.plan.context import RuleContext
from table_api.plan.rules.recognise_over import recognise_over


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, recognise_over)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT v, SUM(v) OVER (ORDER BY k) FROM e", context)
    assert recognise_over(plan, context) is plan
