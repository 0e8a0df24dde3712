"""Statements about materialized tables change the workflows of the scheduler that the session names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from event_sinks import Connectors, OverwritingSink

from table_api import TableEnvironment
from table_common.catalog import CatalogMaterializedTable, CreateRefreshWorkflow, ObjectIdentifier, ObjectPath, WorkflowScheduler
from table_common.exceptions import TableException, ValidationException
from table_common.factories import WorkflowSchedulerFactory

if TYPE_CHECKING:
    from conftest import FakePlanner

CREATE = "CREATE MATERIALIZED TABLE m WITH ('connector' = 'some') FRESHNESS = INTERVAL '1' HOUR REFRESH_MODE = FULL AS SELECT a FROM s"
EVENTS: list[str] = []


class Noting(WorkflowScheduler):
    def __init__(self, refuses: str | None) -> None:
        self.refuses = refuses

    def open(self) -> None:
        EVENTS.append("open")

    def close(self) -> None:
        EVENTS.append("close")

    def create_refresh_workflow(self, workflow: CreateRefreshWorkflow) -> str:
        self._note("create", f"every {workflow.freshness}")
        return f"id of {workflow.identifier.object_name}"

    def suspend_refresh_workflow(self, identifier: ObjectIdentifier, handler: str) -> None:
        self._note("suspend", handler)

    def resume_refresh_workflow(self, identifier: ObjectIdentifier, handler: str) -> None:
        self._note("resume", handler)

    def delete_refresh_workflow(self, identifier: ObjectIdentifier, handler: str) -> None:
        self._note("delete", handler)

    def _note(self, method: str, what: str) -> None:
        if method == self.refuses:
            raise TableException("the scheduler is down")
        EVENTS.append(f"{method} {what}")


class NotingFactory(WorkflowSchedulerFactory):
    factory_identifier = "noting"

    def create_workflow_scheduler(self, context: WorkflowSchedulerFactory.Context) -> WorkflowScheduler:
        return Noting(context.options.get("refuses"))


@pytest.fixture
def scheduled(env: TableEnvironment, planner: FakePlanner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    folder = tmp_path / "noting-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: noting\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[table.workflow-schedulers]\nnoting = {__name__}:NotingFactory\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    EVENTS.clear()
    env.execute_sql("CREATE VIEW s AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v (a, b)")
    env.load_module("connectors", Connectors(OverwritingSink))
    env.execute_sql("SET 'workflow-scheduler.type' = 'noting'")
    return env


def changes() -> list[str]:
    found = [event for event in EVENTS if event not in ("open", "close")]
    assert EVENTS.count("open") == EVENTS.count("close")
    EVENTS.clear()
    return found


def table(env: TableEnvironment) -> CatalogMaterializedTable:
    catalog = env.get_catalog("default_catalog")
    assert catalog is not None
    found = catalog.get_table(ObjectPath("default_database", "m"))
    assert isinstance(found, CatalogMaterializedTable)
    return found


def test_a_workflow_lives_as_long_as_its_table(scheduled: TableEnvironment) -> None:
    scheduled.execute_sql(CREATE)
    assert changes() == ["create every INTERVAL '1' HOUR"]
    assert table(scheduled).refresh_status.value == "ACTIVATED"
    assert {key: table(scheduled).refresh_handler[key] for key in ("scheduler", "workflow")} == {
        "scheduler": "noting",
        "workflow": "id of m",
    }
    scheduled.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
    scheduled.execute_sql("ALTER MATERIALIZED TABLE m RESUME")
    scheduled.execute_sql("DROP MATERIALIZED TABLE m")
    assert changes() == ["suspend id of m", "resume id of m", "delete id of m"]


def test_another_session_finds_the_scheduler_in_the_table(scheduled: TableEnvironment) -> None:
    scheduled.execute_sql(CREATE)
    scheduled.execute_sql("RESET 'workflow-scheduler.type'")
    changes()
    scheduled.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
    assert changes() == ["suspend id of m"]


def test_resume_creates_the_workflow_of_a_table_without_one(scheduled: TableEnvironment) -> None:
    scheduled.execute_sql("RESET 'workflow-scheduler.type'")
    scheduled.execute_sql(CREATE)
    scheduled.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
    scheduled.execute_sql("SET 'workflow-scheduler.type' = 'noting'")
    assert changes() == []
    scheduled.execute_sql("ALTER MATERIALIZED TABLE m RESUME")
    assert changes() == ["create every INTERVAL '1' HOUR"]
    assert table(scheduled).refresh_handler["workflow"] == "id of m"


def test_another_freshness_is_another_workflow(scheduled: TableEnvironment) -> None:
    scheduled.execute_sql(CREATE)
    scheduled.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
    changes()
    scheduled.execute_sql(CREATE.replace("CREATE", "CREATE OR ALTER").replace("'1' HOUR", "'2' HOUR"))
    assert changes() == ["delete id of m", "create every INTERVAL '2' HOUR", "suspend id of m"]
    assert str(table(scheduled).freshness) == "INTERVAL '2' HOUR"


def test_a_workflow_that_cannot_be_created_leaves_no_table(scheduled: TableEnvironment) -> None:
    scheduled.execute_sql("SET 'workflow-scheduler.noting.refuses' = 'create'")
    with pytest.raises(TableException, match="the scheduler is down"):
        scheduled.execute_sql(CREATE)
    assert scheduled.list_materialized_tables() == []
    assert EVENTS == ["open", "close"]


@pytest.mark.parametrize("statement", ["ALTER MATERIALIZED TABLE m SUSPEND", "DROP MATERIALIZED TABLE m"])
def test_a_scheduler_that_is_down_leaves_the_table(scheduled: TableEnvironment, statement: str) -> None:
    scheduled.execute_sql(CREATE)
    scheduled.execute_sql(f"SET 'workflow-scheduler.noting.refuses' = '{'delete' if 'DROP' in statement else 'suspend'}'")
    with pytest.raises(TableException, match="the scheduler is down"):
        scheduled.execute_sql(statement)
    assert table(scheduled).refresh_status.value == "ACTIVATED"


def test_a_scheduler_that_is_not_installed_is_named(scheduled: TableEnvironment) -> None:
    scheduled.execute_sql("SET 'workflow-scheduler.type' = 'notinng'")
    with pytest.raises(ValidationException, match=r"No workflow scheduler 'notinng' is installed\. Did you mean 'noting'"):
        scheduled.execute_sql(CREATE)
    assert scheduled.list_materialized_tables() == []


def test_the_embedded_scheduler_has_no_options(scheduled: TableEnvironment) -> None:
    scheduled.execute_sql("SET 'workflow-scheduler.type' = 'embedded'")
    scheduled.execute_sql(CREATE)
    assert table(scheduled).refresh_handler["workflow"] == "`default_catalog`.`default_database`.`m`"
    scheduled.execute_sql("SET 'workflow-scheduler.embedded.threads' = '3'")
    with pytest.raises(ValidationException, match="threads"):
        scheduled.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
