"""Sessions and environments without an engine: the tables t, u, p and e, and a planner that records plans and returns prepared rows."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from typing_extensions import override

from table_api import EnvironmentSettings, TableEnvironment
from table_api.catalog import ModuleManager
from table_api.delegation import (
    ExecutablePlan,
    ExplainDetail,
    FoundTable,
    FoundView,
    JobClient,
    JobExecution,
    JobOptions,
    JobStatus,
    Planner,
    PlannerContext,
    PlannerFactory,
)
from table_api.operations import CollectModifyOperation, ModifyOperation, QueryOperation
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import Configuration
from table_common.connector import SupportsArrowArray
from table_common.exceptions import JobCancelledException, SourcePosition, ValidationException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import lookup_built_in
from table_common.types import (
    BigIntType,
    DecimalType,
    DoubleType,
    IntType,
    LogicalType,
    RowType,
    TimestampKind,
    TimestampType,
    VarCharType,
)

TABLES: dict[str, list[tuple[str, LogicalType]]] = {
    "t": [("name", VarCharType()), ("age", IntType()), ("pay", DecimalType(10, 2)), ("r", RowType.of([("x", IntType())]))],
    "u": [("id", BigIntType(nullable=False)), ("name", VarCharType())],
    "p": [
        ("id", IntType()),
        ("v", DoubleType()),
        ("r", RowType.of([("a", IntType()), ("b", RowType.of([("c", IntType()), ("d", VarCharType())]))])),
        ("year", IntType()),
        ("kind", VarCharType()),
    ],
    "e": [("k", VarCharType()), ("ts", TimestampType(3, kind=TimestampKind.ROWTIME)), ("v", IntType())],
}
PARTITION_KEYS = {"p": ("year", "kind")}


class FixedTables:
    """Finds the tables above in the current database."""

    def qualify(self, path: tuple[str, ...]) -> ObjectIdentifier:
        return ObjectIdentifier(*("c", "d", "")[: 3 - len(path)], *path)

    def find_table(self, path: tuple[str, ...]) -> FoundTable | FoundView | None:
        if path[-1] not in TABLES:
            return None
        schema = ResolvedSchema.physical(TABLES[path[-1]])
        table = CatalogTable(
            Schema.new_builder().from_resolved_schema(schema).build(), None, {"connector": "none"}, PARTITION_KEYS.get(path[-1], ())
        )
        return FoundTable(self.qualify(path), ResolvedCatalogTable(table, schema), is_temporary=False)

    def table_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> Exception:
        return ValidationException.unknown("Table", path[-1], TABLES, position=position)


class BuiltInFunctions:
    """Finds built-in functions."""

    def find_function(self, path: tuple[str, ...]) -> FunctionDefinition | None:
        return lookup_built_in(path[-1])

    def function_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> Exception:
        return ValidationException(f"No function {path[-1]}.", position=position)


class FixedSession:
    """What the operation builder needs of a session."""

    configuration = Configuration()
    tables = FixedTables()
    functions = BuiltInFunctions()
    modules = ModuleManager()
    is_streaming_mode = False

    def convert_query(self, text: str) -> QueryOperation:
        raise AssertionError("there are no views here")

    def expand_view(self, view: FoundView) -> QueryOperation:
        raise AssertionError("there are no views here")


@pytest.fixture
def session() -> FixedSession:
    return FixedSession()


@dataclass
class FakeJob(JobExecution, JobClient):
    """Yields the batches; then fails, ends, or (``endless``) waits to be cancelled."""

    given: list[Any] = field(default_factory=list)
    failure: Exception | None = None
    endless: bool = False

    def __post_init__(self) -> None:
        self.cancelled = threading.Event()
        self.closed = False
        self.status = JobStatus.RUNNING

    @property
    @override
    def client(self) -> JobClient:
        return self

    @property
    @override
    def job_id(self) -> str:
        return "job-1"

    @override
    def get_job_status(self) -> JobStatus:
        return self.status

    @override
    def request_cancellation(self) -> None:
        self.status = JobStatus.CANCELED
        self.cancelled.set()

    @override
    def batches(self) -> Iterator[SupportsArrowArray]:
        try:
            yield from self.given
            if self.endless:
                self.cancelled.wait()
                raise JobCancelledException("cancelled")
            if self.failure is not None:
                raise self.failure
            self.status = JobStatus.FINISHED
        finally:
            self.closed = True


@dataclass
class FakePlan(ExecutablePlan):
    """Hands out the planner's job."""

    operations: Sequence[ModifyOperation]
    planner: FakePlanner

    @property
    @override
    def schema(self) -> ResolvedSchema:
        first = self.operations[0]
        if isinstance(first, CollectModifyOperation):
            return first.child.resolved_schema
        return ResolvedSchema.physical((f"n{i}", BigIntType()) for i in range(len(self.operations)))

    @override
    def execute(self, options: JobOptions) -> JobExecution:
        self.planner.job_names.append(options.name)
        if options.progress is not None:
            options.progress("started", 0.0)
        return self.planner.job


class FakePlanner(Planner):
    """Keeps the operations."""

    def __init__(self, context: PlannerContext) -> None:
        self.context = context
        self.job = FakeJob()
        self.translated: list[Sequence[ModifyOperation]] = []
        self.job_names: list[str] = []
        self.is_closed = False

    @property
    @override
    def name(self) -> str:
        return "fake"

    @override
    def supports(self, provider: object) -> str | None:
        return None

    @override
    def translate(self, operations: Sequence[ModifyOperation]) -> ExecutablePlan:
        self.translated.append(operations)
        return FakePlan(operations, self)

    @override
    def explain(self, operations: Sequence[ModifyOperation], details: Collection[ExplainDetail]) -> str:
        return f"fake plan of {len(operations)}"

    @override
    def close(self) -> None:
        self.is_closed = True


class FakeFactory(PlannerFactory):
    """Makes the planner; refuses if told so."""

    def __init__(self, identifier: str = "fake", refusal: str | None = None) -> None:
        self._identifier = identifier
        self._refusal = refusal

    @property
    @override
    def factory_identifier(self) -> str:
        return self._identifier

    @override
    def matches(self, settings: EnvironmentSettings) -> str | None:
        return self._refusal

    @override
    def session_options(self, external: Mapping[str, object]) -> Mapping[str, str]:
        return {"table.local-time-zone": str(external["zone"])} if "zone" in external else {}

    @override
    def create(self, context: PlannerContext) -> Planner:
        return FakePlanner(context)


@dataclass
class FakeEntry:
    """An entry point that needs no installed distribution."""

    name: str
    factory: FakeFactory
    dist: None = None
    loaded: int = 0

    @property
    def value(self) -> str:
        return f"fakes:{self.name}"

    def load(self) -> Any:
        self.loaded += 1
        return lambda: self.factory


class Installed:
    """What is installed as far as planners go; tests change it."""

    def __init__(self) -> None:
        self.entries: list[FakeEntry] = []

    def add(self, identifier: str, refusal: str | None = None) -> FakeEntry:
        entry = FakeEntry(identifier, FakeFactory(identifier, refusal))
        self.entries.append(entry)
        return entry


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Installed:
    """No planner is installed but those that the test adds."""
    found = Installed()
    monkeypatch.setattr(PlannerFactory, "_entries", classmethod(lambda cls: found.entries))
    return found


@pytest.fixture
def env(installed: Installed) -> Iterator[TableEnvironment]:
    """An environment in batch mode on the fake planner, with the view ``t`` of the columns a INT and b STRING."""
    installed.add("fake")
    environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    environment.execute_sql("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v (a, b)")
    yield environment
    environment.close()


@pytest.fixture
def planner(env: TableEnvironment) -> FakePlanner:
    """The environment's planner."""
    made = env.session.planner
    assert isinstance(made, FakePlanner)
    return made
