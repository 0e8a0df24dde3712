"""Pairs of plans: remove_empty_relations.test."""

from __future__ import annotations

import pytest
from plan_pairs import Pair, planned

from table_api.operations import JoinQueryOperation, JoinType, ValuesQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.remove_empty_relations import remove_empty_relations

PREPARED_BY = (merge_projects, push_filter_down, merge_projects)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, remove_empty_relations, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert remove_empty_relations(plan, context) is plan


@pytest.mark.parametrize(
    ("kind", "empty_left", "empty_right"),
    [
        (JoinType.INNER, True, True),
        (JoinType.LEFT_OUTER, True, False),
        (JoinType.RIGHT_OUTER, False, True),
        (JoinType.FULL_OUTER, False, False),
        (JoinType.SEMI, True, True),
        (JoinType.ANTI, True, False),
    ],
)
def test_a_join_with_an_empty_side_is_empty_if_it_keeps_no_rows_of_the_other(
    context: RuleContext, kind: JoinType, empty_left: bool, empty_right: bool
) -> None:
    rows = planned("SELECT name FROM t", context)
    empty = ValuesQueryOperation((), rows.resolved_schema)
    for join, is_empty in (
        (JoinQueryOperation(empty, rows, kind, None), empty_left),
        (JoinQueryOperation(rows, empty, kind, None), empty_right),
    ):
        result = remove_empty_relations(join, context)
        assert (isinstance(result, ValuesQueryOperation) and not result.rows) is is_empty
        assert result.resolved_schema == join.resolved_schema


def test_an_anti_join_with_nothing_is_its_left_side(context: RuleContext) -> None:
    rows = planned("SELECT name FROM t", context)
    join = JoinQueryOperation(rows, ValuesQueryOperation((), rows.resolved_schema), JoinType.ANTI, None)
    assert remove_empty_relations(join, context) is rows


def test_without_a_planner_constant_conditions_stay(context: RuleContext) -> None:
    plan = planned("SELECT name FROM t WHERE 1 > 2", context)
    assert remove_empty_relations(plan, RuleContext(context.session)) is plan
