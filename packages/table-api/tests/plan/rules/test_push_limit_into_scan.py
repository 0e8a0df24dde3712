"""Pairs of plans: push_limit_into_scan.test."""

from __future__ import annotations

from plan_pairs import Pair, planned, with_sources

from table_api.plan.context import RuleContext
from table_api.plan.rules.push_limit_into_scan import push_limit_into_scan

PREPARED_BY = (with_sources,)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, push_limit_into_scan, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert push_limit_into_scan(plan, context) is plan
