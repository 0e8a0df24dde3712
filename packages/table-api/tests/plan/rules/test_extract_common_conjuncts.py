"""Pairs of plans: extract_common_conjuncts.test."""

from __future__ import annotations

from plan_pairs import Pair, planned

from table_api.plan.context import RuleContext
from table_api.plan.rules.extract_common_conjuncts import extract_common_conjuncts


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, extract_common_conjuncts)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context)
    assert extract_common_conjuncts(plan, context) is plan
