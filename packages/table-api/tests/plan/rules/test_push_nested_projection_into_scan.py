"""Pairs of plans: push_nested_projection_into_scan.test."""

from __future__ import annotations

from plan_pairs import Pair, planned, with_abler_sources, with_sources

from table_api.operations import QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_nested_projection_into_scan import PushedProjection, push_nested_projection_into_scan
from table_common.tree import preorder

PREPARED_BY = (with_abler_sources, prune_columns, merge_projects)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, push_nested_projection_into_scan, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert push_nested_projection_into_scan(plan, context) is plan


def pushed_by(query: str, context: RuleContext) -> tuple[PushedProjection | None, tuple[str, ...]]:
    plan = push_nested_projection_into_scan(planned(query, context, PREPARED_BY), context)
    (scan,) = (node for node in preorder(plan, QueryOperation) if isinstance(node, SourceQueryOperation))
    return scan.pushed.get(PushedProjection), scan.resolved_schema.column_names


def test_a_nested_field_is_read_by_its_path(context: RuleContext) -> None:
    pushed, columns = pushed_by("SELECT p.r.b.d, id FROM p", context)
    assert pushed is not None
    assert pushed.paths == ((0,), (2, 1, 1))
    assert list(pushed.summary_details()) == [("nested", ["r.b.d"])]
    assert columns == ("id", "r_b_d")


def test_a_row_that_is_also_used_as_a_whole_is_read_as_a_whole(context: RuleContext) -> None:
    assert pushed_by("SELECT p.r.b, p.r.b.d, p.r.a FROM p", context)[1] == ("r_a", "r_b")


def test_a_source_that_reads_only_whole_columns_gets_no_paths(context: RuleContext) -> None:
    plan = planned("SELECT p.r.a FROM p", context, (with_sources,))
    assert push_nested_projection_into_scan(plan, context) is plan
