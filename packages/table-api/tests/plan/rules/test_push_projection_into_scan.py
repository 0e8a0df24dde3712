"""Pairs of plans: push_projection_into_scan.test."""

from __future__ import annotations

from plan_pairs import Pair, planned, with_sources

from table_api.operations import QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_nested_projection_into_scan import PushedProjection
from table_api.plan.rules.push_projection_into_scan import push_projection_into_scan
from table_common.tree import preorder

PREPARED_BY = (with_sources, prune_columns, merge_projects)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, push_projection_into_scan, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert push_projection_into_scan(plan, context) is plan


def scan_of(plan: QueryOperation) -> SourceQueryOperation:
    (scan,) = (node for node in preorder(plan, QueryOperation) if isinstance(node, SourceQueryOperation))
    return scan


def test_the_columns_of_the_projection_and_the_filter_are_read(context: RuleContext) -> None:
    plan = planned("SELECT name FROM t WHERE pay > 1", context, PREPARED_BY)
    scan = scan_of(push_projection_into_scan(plan, context))
    assert scan.resolved_schema.column_names == ("name", "pay")
    assert scan.pushed.get(PushedProjection) == PushedProjection(((0,), (2,)))


def test_a_projection_is_pushed_once(context: RuleContext) -> None:
    pushed = push_projection_into_scan(planned("SELECT UPPER(name) FROM t", context, PREPARED_BY), context)
    assert push_projection_into_scan(pushed, context) is pushed


def test_the_source_of_the_plan_before_stays_as_it_was(context: RuleContext) -> None:
    plan = planned("SELECT name FROM t", context, PREPARED_BY)
    push_projection_into_scan(plan, context)
    source = scan_of(plan).source
    assert source is not None
    assert source.as_summary_string() == "able"
