"""In streaming mode there is no total of nothing."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.drop_global_aggregate_of_no_input import drop_global_aggregate_of_no_input
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement

FILTERED = "Filter(where=[($count > 0)])"


def rewritten(session: Any, query: str) -> str:
    operation = convert_statement(parse_statement(query), session, query)
    assert isinstance(operation, QueryOperation)
    result = drop_global_aggregate_of_no_input(operation, RuleContext(session))
    assert result.resolved_schema == operation.resolved_schema
    return plan_text(result)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT COUNT(*), SUM(age) FROM t",
        "SELECT 1 + MAX(age) FROM t WHERE age > 3",
        "SELECT SUM(DISTINCT age) AS s FROM t HAVING COUNT(*) = 0",
    ],
)
def test_a_total_asks_whether_there_was_a_row(session: Any, query: str) -> None:
    assert rewritten(session, query).count(FILTERED) == 1


@pytest.mark.parametrize(
    "query",
    [
        "SELECT name, COUNT(*) FROM t GROUP BY name",
        "SELECT name, COUNT(*) FROM t GROUP BY GROUPING SETS ((name), ())",
        "SELECT COUNT(*) FROM t WHERE FALSE",
        "SELECT age, (SELECT COUNT(*) FROM t) FROM t",
    ],
)
def test_groups_constants_and_single_values_stay(session: Any, query: str) -> None:
    assert FILTERED not in rewritten(session, query)
