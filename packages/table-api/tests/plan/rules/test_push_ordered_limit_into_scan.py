"""Pairs of plans: push_ordered_limit_into_scan.test."""

from __future__ import annotations

from plan_pairs import Pair, planned, with_abler_sources

from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_filter_into_scan import push_filter_into_scan
from table_api.plan.rules.push_limit_into_scan import push_limit_into_scan
from table_api.plan.rules.push_ordered_limit_into_scan import push_ordered_limit_into_scan
from table_api.plan.rules.push_projection_into_scan import push_projection_into_scan

PREPARED_BY = (
    with_abler_sources,
    push_filter_into_scan,
    prune_columns,
    merge_projects,
    push_projection_into_scan,
    push_limit_into_scan,
)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, push_ordered_limit_into_scan, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT v FROM p ORDER BY v", context, PREPARED_BY)
    assert push_ordered_limit_into_scan(plan, context) is plan
