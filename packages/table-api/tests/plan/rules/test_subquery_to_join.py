"""Pairs of plans: subquery_to_join.test."""

from __future__ import annotations

import pytest
from plan_pairs import Pair, planned

from table_api.operations import QueryOperation, contains_subquery
from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.subquery_to_join import subquery_to_join
from table_common.exceptions import TableException
from table_common.tree import preorder


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, subquery_to_join, merge_projects)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context)
    assert subquery_to_join(plan, context) is plan


@pytest.mark.parametrize(
    "query",
    [
        "SELECT (SELECT MAX(id) FROM u) AS m FROM t",
        "SELECT name FROM t WHERE age > 1 OR name IN (SELECT name FROM u)",
        "SELECT t.name FROM t LEFT JOIN u ON t.name = u.name AND u.id > (SELECT AVG(id) FROM u)",
        "VALUES ((SELECT MAX(id) FROM u)), (CAST(1 AS BIGINT))",
    ],
)
def test_no_subquery_stays_and_the_columns_stay_the_same(context: RuleContext, query: str) -> None:
    plan = planned(query, context)
    result = subquery_to_join(plan, context)
    assert not any(contains_subquery(e) for node in preorder(result, QueryOperation) for e in node.expressions)
    assert result.resolved_schema == plan.resolved_schema


def test_a_subquery_over_both_sides_of_an_outer_join_is_refused(context: RuleContext) -> None:
    plan = planned("SELECT t.name FROM t LEFT JOIN u ON EXISTS (SELECT 1 FROM p WHERE p.id = t.age AND p.kind = u.name)", context)
    with pytest.raises(TableException, match="cannot use columns of both sides"):
        subquery_to_join(plan, context)
