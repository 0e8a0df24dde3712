from __future__ import annotations

from typing import Any, cast

import pytest

from table_api.delegation import NoExpressionServices, Planner, PlannerCapabilities
from table_api.operations import (
    AggregateQueryOperation,
    CollectModifyOperation,
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    ValuesQueryOperation,
)
from table_api.plan.optimizer import optimize_stream, translate
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement

VALUES = "(VALUES (1, 2), (1, 3)) AS t(a, b)"


class Engine:
    """An engine that runs some nodes on changelogs."""

    expressions = NoExpressionServices()

    def __init__(self, *operations: type[QueryOperation]) -> None:
        self.capabilities = PlannerCapabilities(changelog_operations=frozenset(operations))

    def rules(self) -> tuple[Any, ...]:
        return ()

    def translate(self, operations: Any) -> str:
        return "rows"

    def translate_stream(self, plan: Any) -> str:
        return "changes"


BASIC = (ValuesQueryOperation, ProjectQueryOperation, FilterQueryOperation)


def translated(session: Any, sql: str, *operations: type[QueryOperation]) -> str:
    query = convert_statement(parse_statement(sql), session, sql)
    assert isinstance(query, QueryOperation)
    return str(translate([CollectModifyOperation(query)], session, cast("Planner", Engine(*operations))))


@pytest.fixture
def streaming(session: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(session, "is_streaming_mode", True, raising=False)
    return session


def test_a_plan_with_state_runs_on_changes_if_the_engine_runs_all_of_its_nodes_so(streaming: Any) -> None:
    sql = f"SELECT a, COUNT(*) FROM {VALUES} GROUP BY a"
    assert translated(streaming, sql, *BASIC, AggregateQueryOperation) == "changes"
    assert translated(streaming, sql, *BASIC) == "rows"
    assert translated(streaming, sql) == "rows"


def test_a_plan_that_keeps_no_state_over_insertions_runs_on_rows(streaming: Any) -> None:
    assert translated(streaming, f"SELECT a + 1 FROM {VALUES} WHERE b > 2", *BASIC, AggregateQueryOperation) == "rows"


def test_batch_mode_runs_on_rows(session: Any) -> None:
    assert translated(session, f"SELECT a, COUNT(*) FROM {VALUES} GROUP BY a", *BASIC, AggregateQueryOperation) == "rows"


def test_a_total_over_no_rows_is_a_constant(streaming: Any) -> None:
    sql = f"SELECT COUNT(*) FROM {VALUES} WHERE FALSE"
    assert translated(streaming, sql, *BASIC, AggregateQueryOperation) == "rows"


def test_the_trace_names_the_rules_of_a_streaming_plan(streaming: Any) -> None:
    sql = f"SELECT c FROM (SELECT a, COUNT(*) AS c, SUM(b) AS s FROM {VALUES} GROUP BY a)"
    query = convert_statement(parse_statement(sql), streaming, sql)
    assert isinstance(query, QueryOperation)
    trace: list[str] = []
    engine = cast("Planner", Engine(*BASIC, AggregateQueryOperation))
    assert optimize_stream([CollectModifyOperation(query)], streaming, engine, trace) is not None
    assert "prune_columns" in trace
