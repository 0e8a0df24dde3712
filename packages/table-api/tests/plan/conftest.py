"""Plans of streaming queries with the changes on each edge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import pytest

from table_api.delegation import StreamPlan
from table_api.operations import (
    CollectModifyOperation,
    ContextResolvedTable,
    ModifyOperation,
    Operation,
    QueryOperation,
    SinkModifyOperation,
    SourceQueryOperation,
)
from table_api.plan.changelog.infer import infer_changes
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.normalize_changes import normalize_changes
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.recognize_ranks import recognize_ranks
from table_api.plan.rules.subquery_to_join import subquery_to_join
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.catalog import UniqueConstraint
from table_common.configuration import Configuration
from table_common.connector import ChangelogMode, DynamicTableSink, ScanTableSource
from table_common.tree import transform_up

Sources = Mapping[str, tuple[ChangelogMode, tuple[str, ...]]]
"""The changelog mode and the primary key of each table; others are insert-only and have no key."""
RULES = (push_filter_down, merge_projects, recognize_ranks, normalize_changes, prune_columns, merge_projects)


class Source(ScanTableSource):
    """A source of a changelog mode."""

    def __init__(self, mode: ChangelogMode) -> None:
        self.mode = mode

    def copy(self) -> Self:
        return type(self)(self.mode)

    def as_summary_string(self) -> str:
        return "source"

    def get_changelog_mode(self) -> ChangelogMode:
        return self.mode

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")


class Sink(DynamicTableSink):
    """A sink of a changelog mode."""

    def __init__(self, mode: ChangelogMode) -> None:
        self.mode = mode

    def copy(self) -> Self:
        return type(self)(self.mode)

    def as_summary_string(self) -> str:
        return "sink"

    def get_changelog_mode(self, requested: ChangelogMode) -> ChangelogMode:
        return self.mode

    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> DynamicTableSink.SinkRuntimeProvider:
        raise AssertionError("nothing is written here")


class Inference:
    """Optimizes a query as streaming mode does, and infers its changes."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.configuration: Configuration = session.configuration

    def query(self, sql: str, sources: Sources | None = None) -> QueryOperation:
        """Returns the optimized query."""
        operation = convert_statement(parse_statement(sql), self._session, sql)
        assert isinstance(operation, QueryOperation)

        def prepare(node: QueryOperation) -> QueryOperation:
            if not isinstance(node, SourceQueryOperation):
                return node
            found = node.table.table
            mode, key = (sources or {}).get(node.table.identifier.object_name, (ChangelogMode.insert_only(), ()))
            table = replace(found, resolved_schema=replace(found.resolved_schema, primary_key=UniqueConstraint("pk", key) if key else None))
            return replace(node, source=Source(mode), table=replace(node.table, table=table))

        context = RuleContext(self._session)
        plan = transform_up(subquery_to_join(operation, context), QueryOperation, prepare)
        for rule in RULES:
            plan = rule(plan, context)
        return plan

    def infer(self, *operations: ModifyOperation) -> StreamPlan:
        """Returns the streaming plan of some operations."""
        return infer_changes(operations, self._session.configuration)

    def collected(self, sql: str, sources: Sources | None = None) -> list[str]:
        """Returns the lines of the plan of a query whose result is collected: each node with its changes."""
        return self.lines(self.infer(CollectModifyOperation(self.query(sql, sources))))[1:]

    def sink(self, query: QueryOperation, mode: ChangelogMode, *, key: tuple[str, ...] = ()) -> SinkModifyOperation:
        """Returns the insertion of a query into the table u(id, name), by a sink of a mode."""
        found = self._session.tables.find_table(("u",))
        constraint = UniqueConstraint("pk", key) if key else None
        table = replace(found.table, resolved_schema=replace(found.table.resolved_schema, primary_key=constraint))
        return SinkModifyOperation(query, ContextResolvedTable(found.identifier, table), sink=Sink(mode))

    def written(self, sql: str, mode: ChangelogMode, *, key: tuple[str, ...] = (), sources: Sources | None = None) -> list[str]:
        """Returns the lines of the plan of a query that is written to the table u(id, name) by a sink of a mode."""
        return self.lines(self.infer(self.sink(self.query(sql, sources), mode, key=key)))[1:]

    def lines(self, plan: StreamPlan) -> list[str]:
        """Returns the name and the changes of each node, in the order of EXPLAIN."""

        def shown(node: Operation) -> Iterator[tuple[str, Any]]:
            yield "changes", str(plan.changes_of(node)) if isinstance(node, QueryOperation) else "NONE"

        return [
            line.strip(" +-|:").replace("(changes=[", " ").replace("])", "")
            for operation in plan.operations
            for line in plan_text(operation, shown).splitlines()
        ]


@pytest.fixture
def inference(session: Any, monkeypatch: pytest.MonkeyPatch) -> Inference:
    monkeypatch.setattr(session, "is_streaming_mode", True, raising=False)
    monkeypatch.setattr(session, "configuration", Configuration(), raising=False)
    return Inference(session)
