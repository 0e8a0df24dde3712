from __future__ import annotations

from typing import Any, Self, cast

import pytest

from table_api.delegation import NoExpressionServices, Planner, PlannerCapabilities, StreamPlan
from table_api.operations import (
    AggregateQueryOperation,
    CollectModifyOperation,
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SourceQueryOperation,
    ValuesQueryOperation,
)
from table_api.plan.context import RuleContext
from table_api.plan.optimizer import optimize, optimize_stream, translate
from table_api.plan.programs import BATCH, Phase, create_sources
from table_api.plan.streaming_programs import STREAMING
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.connector import ChangelogMode, ScanTableSource
from table_common.exceptions import TableException
from table_common.frozen_dataclass import replace
from table_common.tree import preorder, transform_up

VALUES = "(VALUES (1, 2), (1, 3)) AS t(a, b)"


class Engine:
    """An engine that runs some nodes on changelogs."""

    expressions = NoExpressionServices()
    name = "partial"

    def __init__(self, *operations: type[QueryOperation], shared_scans: bool = False) -> None:
        self.capabilities = PlannerCapabilities(changelog_operations=frozenset(operations), shared_scans=shared_scans)

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


def test_a_plan_with_state_runs_on_changes_if_the_engine_has_them(streaming: Any) -> None:
    sql = f"SELECT a, COUNT(*) FROM {VALUES} GROUP BY a"
    assert translated(streaming, sql, *BASIC, AggregateQueryOperation) == "changes"
    assert translated(streaming, sql) == "rows"


def test_a_node_that_an_engine_does_not_run_on_changes_is_refused(streaming: Any) -> None:
    with pytest.raises(TableException, match="The engine partial does not run Aggregate in streaming mode"):
        translated(streaming, f"SELECT a, COUNT(*) FROM {VALUES} GROUP BY a", *BASIC)


def test_a_plan_that_keeps_no_state_over_insertions_runs_on_rows(streaming: Any) -> None:
    assert translated(streaming, f"SELECT a + 1 FROM {VALUES} WHERE b > 2", *BASIC, AggregateQueryOperation) == "rows"


def test_batch_mode_runs_on_rows(session: Any) -> None:
    assert translated(session, f"SELECT a, COUNT(*) FROM {VALUES} GROUP BY a", *BASIC, AggregateQueryOperation) == "rows"


def test_a_total_over_no_rows_is_a_constant(streaming: Any) -> None:
    sql = f"SELECT COUNT(*) FROM {VALUES} WHERE FALSE"
    query = convert_statement(parse_statement(sql), streaming, sql)
    assert isinstance(query, QueryOperation)
    engine = cast("Planner", Engine(*BASIC, AggregateQueryOperation))
    plan = optimize_stream([CollectModifyOperation(query)], streaming, engine)
    assert plan is not None
    assert plan.changes_of(plan.operations[0].child).is_insert_only


def test_the_trace_names_the_rules_of_a_streaming_plan(streaming: Any) -> None:
    sql = f"SELECT c FROM (SELECT a, COUNT(*) AS c, SUM(b) AS s FROM {VALUES} GROUP BY a)"
    query = convert_statement(parse_statement(sql), streaming, sql)
    assert isinstance(query, QueryOperation)
    trace: list[str] = []
    engine = cast("Planner", Engine(*BASIC, AggregateQueryOperation))
    assert optimize_stream([CollectModifyOperation(query)], streaming, engine, trace) is not None
    assert "prune_columns" in trace


SCANS = (*BASIC, SourceQueryOperation)


class Rows(ScanTableSource):
    """A source of insertions."""

    def copy(self) -> Self:
        return type(self)()

    def as_summary_string(self) -> str:
        return "rows"

    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.insert_only()

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")


@pytest.fixture
def without_connectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table of the session gives insertions."""

    def create(root: QueryOperation, context: RuleContext) -> QueryOperation:
        return transform_up(
            root, QueryOperation, lambda node: replace(node, source=Rows()) if isinstance(node, SourceQueryOperation) else node
        )

    phases = [Phase(phase.name, tuple(create if rule is create_sources else rule for rule in phase.rules)) for phase in STREAMING.phases]
    monkeypatch.setattr("table_api.plan.streaming_programs.STREAMING", replace(STREAMING, phases=tuple(phases)))


def statement_set(streaming: Any, engine: Engine, *queries: str) -> StreamPlan | None:
    operations = []
    for sql in queries:
        query = convert_statement(parse_statement(sql), streaming, sql)
        assert isinstance(query, QueryOperation)
        operations.append(CollectModifyOperation(query))
    return optimize_stream(operations, streaming, cast("Planner", engine))


def scans_of(plan: StreamPlan) -> set[int]:
    return {id(n) for o in plan.operations for n in preorder(o.child, QueryOperation) if isinstance(n, SourceQueryOperation)}


@pytest.mark.usefixtures("without_connectors")
def test_statements_of_a_set_share_a_scan(streaming: Any) -> None:
    engine = Engine(*SCANS, AggregateQueryOperation, shared_scans=True)
    plan = statement_set(
        streaming, engine, "SELECT name FROM t WHERE age > 1", "SELECT age FROM t", "SELECT age, COUNT(*) FROM t GROUP BY age"
    )
    assert plan is not None
    assert len(scans_of(plan)) == 1
    assert [o.child.resolved_schema.column_names for o in plan.operations] == [("name",), ("age",), ("age", "EXPR$1")]


@pytest.mark.usefixtures("without_connectors")
def test_statements_without_state_run_on_rows_unless_the_engine_shares_their_scans(streaming: Any) -> None:
    queries = ("SELECT name FROM t", "SELECT age FROM t")
    assert statement_set(streaming, Engine(*SCANS), *queries) is None
    assert statement_set(streaming, Engine(*SCANS, shared_scans=True), *queries) is not None
    assert statement_set(streaming, Engine(*SCANS, shared_scans=True), "SELECT name FROM t", "SELECT name FROM u") is None


@pytest.mark.parametrize(
    "sql", ["SELECT 1", "SELECT RAND() AS r, 'x'", "VALUES (1)", "SELECT * FROM (VALUES (1)) AS t(a)", "SELECT 1 FROM (VALUES (2)) AS t(a)"]
)
def test_the_rules_that_need_inputs_change_no_select_without_from(session: Any, sql: str) -> None:
    query = convert_statement(parse_statement(sql), session, sql)
    assert isinstance(query, QueryOperation)
    steps: list[str] = []
    engine = cast("Planner", Engine(*BASIC))
    (optimized,) = optimize([CollectModifyOperation(query)], session, engine, steps)
    context = RuleContext(session, engine, [])
    for phase in BATCH.phases:
        for rule in phase.rules if phase.needs_inputs else ():
            assert rule(optimized.child, context) == optimized.child, rule.__name__
