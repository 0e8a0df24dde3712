"""Pairs of plans: push_aggregate_into_scan.test."""

from __future__ import annotations

import pytest
from plan_pairs import Pair, planned, with_abler_sources

from table_api.operations import QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_aggregate_into_scan import PushedAggregates, push_aggregate_into_scan
from table_api.plan.rules.push_filter_into_scan import push_filter_into_scan
from table_api.plan.rules.push_projection_into_scan import push_projection_into_scan
from table_common.tree import preorder

PREPARED_BY = (with_abler_sources, push_filter_into_scan, prune_columns, merge_projects, push_projection_into_scan)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, push_aggregate_into_scan, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert push_aggregate_into_scan(plan, context) is plan


def pushed_by(query: str, context: RuleContext) -> PushedAggregates | None:
    plan = push_aggregate_into_scan(planned(query, context, PREPARED_BY), context)
    (scan,) = (node for node in preorder(plan, QueryOperation) if isinstance(node, SourceQueryOperation))
    return scan.pushed.get(PushedAggregates)


def test_explain_shows_the_groups_and_the_aggregates_of_the_source(context: RuleContext) -> None:
    pushed = pushed_by("SELECT kind, COUNT(*) FROM p GROUP BY kind", context)
    assert pushed is not None
    assert list(pushed.summary_details()) == [("groupBy", ["kind"]), ("aggregates", ["COUNT(*)"])]


def test_an_average_asks_the_source_for_a_sum_and_a_count(context: RuleContext) -> None:
    pushed = pushed_by("SELECT AVG(id) FROM p", context)
    assert pushed is not None
    assert [str(aggregate) for aggregate in pushed.aggregates] == ["SUM(id)", "COUNT(id)"]


@pytest.mark.parametrize("aggregate", ["MAX(v)", "COUNT(DISTINCT v)", "LISTAGG(kind)"])
def test_aggregates_that_the_source_refuses_or_cannot_merge_stay_in_the_plan(context: RuleContext, aggregate: str) -> None:
    assert pushed_by(f"SELECT {aggregate} FROM p", context) is None
