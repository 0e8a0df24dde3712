"""Which nodes keep state over unbounded leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from table_api import EnvironmentSettings, Table, TableEnvironment
from table_api.operations import ExternalQueryOperation, QueryOperation
from table_api.plan import nodes_with_state, unbounded_leaves
from table_api.plan.context import RuleContext
from table_api.plan.rules.subquery_to_join import subquery_to_join
from table_common.catalog import ResolvedSchema
from table_common.connector import ScanTableSource
from table_common.types import IntType, TimestampType

CONTEXT = ScanTableSource.ScanContext(True, "UTC")


@dataclass(frozen=True)
class Rows(ExternalQueryOperation):
    """Rows that end, or not."""

    name: str
    bounded: bool

    @property
    def resolved_schema(self) -> ResolvedSchema:
        return ResolvedSchema.physical([("id", IntType()), ("k", IntType()), ("ts", TimestampType(3))])

    @property
    def is_bounded(self) -> bool:
        return self.bounded

    @property
    def refusal(self) -> str:
        return "it is for tests"


@pytest.fixture
def state() -> Callable[[str], list[str]]:
    """Returns why nodes of a query keep state; ``s`` and ``r`` are unbounded, ``b`` is not."""
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    env.get_config().set("table.exec.session-windows-in-batch", "true")
    for name, is_bounded in (("s", False), ("r", False), ("b", True)):
        env.create_temporary_view(name, Table(env.session, Rows(name, is_bounded)))

    def reasons(sql: str) -> list[str]:
        plan: QueryOperation = subquery_to_join(env.sql_query(sql).query_operation, RuleContext(env.session, None, []))
        return [f"{node.summary_name}: {reason}" for node, reason in nodes_with_state(plan, unbounded_leaves(plan, CONTEXT))]

    return reasons


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id + 1 FROM s WHERE k > 3",
        "SELECT k, COUNT(*) FROM b GROUP BY k",
        "SELECT id FROM s UNION ALL SELECT id FROM r",
        "SELECT s.id FROM s JOIN b ON s.k = b.k",
        "SELECT s.id FROM b JOIN s ON s.k = b.k",
        "SELECT s.id FROM s LEFT JOIN b ON s.k = b.k",
        "SELECT s.id FROM b RIGHT JOIN s ON s.k = b.k",
        "SELECT id FROM s WHERE k IN (SELECT k FROM b)",
        "SELECT id FROM s WHERE k NOT IN (SELECT k FROM b)",
        "SELECT id, (SELECT MAX(k) FROM b) FROM s",
        "SELECT id, x FROM s CROSS JOIN UNNEST(ARRAY[id, k]) AS u (x)",
        "SELECT id, window_start FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
        "SELECT id, window_start FROM TABLE(HOP(TABLE s, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOUR))",
    ],
)
def test_nodes_that_treat_each_row_alone_keep_none(state: Callable[[str], list[str]], sql: str) -> None:
    assert state(sql) == []


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT k, COUNT(*) FROM s GROUP BY k", "Aggregate: its rows depend on other rows"),
        ("SELECT DISTINCT k FROM s", "Distinct: its rows depend on other rows"),
        ("SELECT id FROM s ORDER BY id", "Sort: its rows depend on other rows"),
        ("SELECT id FROM s LIMIT 3", "Limit: its rows depend on other rows"),
        ("SELECT SUM(id) OVER (PARTITION BY k ORDER BY ts) FROM s", "Window: its rows depend on other rows"),
        ("SELECT s.id FROM s JOIN r ON s.k = r.k", "Join: both its inputs are unbounded"),
        ("SELECT b.id FROM b LEFT JOIN s ON s.k = b.k", "Join: it waits for the last row of an unbounded input"),
        ("SELECT b.id FROM b FULL JOIN s ON s.k = b.k", "Join: it waits for the last row of an unbounded input"),
        ("SELECT id FROM b WHERE k IN (SELECT k FROM s)", "Join: it waits for the last row of an unbounded input"),
        ("SELECT id FROM s UNION SELECT id FROM r", "Union: it compares rows"),
        ("SELECT id FROM s INTERSECT SELECT id FROM b", "Intersect: it compares rows"),
        ("SELECT id FROM s UNION ALL SELECT id FROM b", "Union: one of its inputs is bounded"),
        ("SELECT CURRENT_WATERMARK(ts) FROM s", "Project: CURRENT_WATERMARK depends on the rows before"),
        (
            "SELECT id FROM TABLE(SESSION(TABLE s, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
            "WindowTableFunction: a session lasts until no row comes for its gap",
        ),
    ],
)
def test_other_nodes_keep_state(state: Callable[[str], list[str]], sql: str, reason: str) -> None:
    assert any(found.startswith(reason) for found in state(sql)), state(sql)
