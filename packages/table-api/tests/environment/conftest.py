"""A planner that runs nothing: it keeps what it was given and hands out what a test says."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from typing_extensions import override

from table_api import EnvironmentSettings, TableEnvironment
from table_api.delegation import (
    ExecutablePlan,
    ExplainDetail,
    JobClient,
    JobExecution,
    JobOptions,
    JobStatus,
    Planner,
    PlannerContext,
    PlannerFactory,
)
from table_api.operations import CollectModifyOperation, ModifyOperation
from table_common.catalog import ResolvedSchema
from table_common.connector import SupportsArrowArray
from table_common.exceptions import JobCancelledException
from table_common.types import BigIntType


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
    def cancel(self) -> None:
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
