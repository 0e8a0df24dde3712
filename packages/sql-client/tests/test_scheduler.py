"""The scheduler refreshes tables when their freshness has passed, by a clock of the test."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sql_client.scheduler import Scheduler
from sql_client.session import ClientSession
from table_api import TableEnvironment
from table_common.catalog import CatalogMaterializedTable, ObjectPath


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **duration: float) -> None:
        self.now += timedelta(**duration)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def env(tmp_path: Path) -> Iterator[TableEnvironment]:
    with ClientSession.open({"table.local-time-zone": "UTC"}) as session:
        session.env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '{tmp_path}/c.db', 'warehouse' = '{tmp_path}/w')")
        session.env.execute_sql("USE CATALOG c")
        session.env.execute_sql("CREATE TABLE s (a INT, ds STRING) WITH ('format' = 'json')")
        insert(session.env, "(1, '2026-03-01')")
        yield session.env


@pytest.fixture
def scheduler(env: TableEnvironment, clock: Clock) -> Scheduler:
    return Scheduler(env, clock)


def insert(env: TableEnvironment, values: str) -> None:
    env.execute_sql(f"INSERT INTO s VALUES {values}").wait()


def create(env: TableEnvironment, name: str, query: str = "SELECT ds, COUNT(*) AS n FROM s GROUP BY ds", more: str = "") -> None:
    env.execute_sql(f"CREATE MATERIALIZED TABLE {name} {more} FRESHNESS = INTERVAL '1' MINUTE REFRESH_MODE = FULL AS {query}")


def rows(env: TableEnvironment, name: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(f"SELECT * FROM {name}").collect() as found:
        return sorted(tuple(row) for row in found)


def last_refresh(env: TableEnvironment, name: str) -> str | None:
    catalog = env.get_catalog("c")
    assert catalog is not None
    table = catalog.get_table(ObjectPath("default", name))
    assert isinstance(table, CatalogMaterializedTable)
    return table.refresh_handler.get("last_refresh")


def test_a_table_is_refreshed_at_once_and_when_its_freshness_has_passed(env: TableEnvironment, scheduler: Scheduler, clock: Clock) -> None:
    create(env, "m")
    assert scheduler.refresh_due_tables() == 60
    assert rows(env, "m") == [("2026-03-01", 1)]
    assert last_refresh(env, "m") == "2026-03-01T12:00:00+00:00"
    insert(env, "(2, '2026-03-01')")
    clock.pass_(seconds=59)
    assert scheduler.refresh_due_tables() == 1
    assert rows(env, "m") == [("2026-03-01", 1)]
    clock.pass_(seconds=1)
    assert scheduler.refresh_due_tables() == 60
    assert rows(env, "m") == [("2026-03-01", 2)]


def test_another_scheduler_goes_on(env: TableEnvironment, scheduler: Scheduler, clock: Clock) -> None:
    create(env, "m")
    scheduler.refresh_due_tables()
    clock.pass_(seconds=40)
    assert Scheduler(env, clock).refresh_due_tables() == 20


def test_partitions_of_the_time_since_the_last_refresh_are_refreshed(
    env: TableEnvironment, scheduler: Scheduler, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    create(env, "m", more="PARTITIONED BY (ds) WITH ('partition.fields.ds.date-formatter' = 'yyyy-MM-dd')")
    scheduler.refresh_due_tables()  # all rows
    assert rows(env, "m") == [("2026-03-01", 1)]
    insert(env, "(2, '2026-03-01'), (2, '2026-03-02'), (2, '2026-02-28')")
    clock.pass_(minutes=1)
    scheduler.refresh_due_tables()
    assert rows(env, "m") == [("2026-03-01", 2)]
    insert(env, "(3, '2026-03-01')")
    clock.pass_(days=1)
    scheduler.refresh_due_tables()
    assert rows(env, "m") == [("2026-03-01", 3), ("2026-03-02", 1)]
    assert "Refreshed `c`.`default`.`m` PARTITION (`ds` = '2026-03-02') in " in capsys.readouterr().out
    assert last_refresh(env, "m") == "2026-03-02T12:01:00+00:00"


def test_an_error_of_a_table_is_said_and_retried_with_its_next_interval(
    env: TableEnvironment, scheduler: Scheduler, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    env.execute_sql("CREATE TABLE gone (a INT) WITH ('format' = 'json')")
    create(env, "a", "SELECT a FROM gone")
    create(env, "m")
    env.execute_sql("DROP TABLE gone")
    assert scheduler.refresh_due_tables() == 60
    assert rows(env, "m") == [("2026-03-01", 1)]
    assert "The materialized table `c`.`default`.`a` was not refreshed: The materialized table" in capsys.readouterr().err
    clock.pass_(seconds=30)
    assert scheduler.refresh_due_tables() == 30
    assert capsys.readouterr().err == ""
    env.execute_sql("CREATE TABLE gone (a INT) WITH ('format' = 'json')")
    env.execute_sql("INSERT INTO gone VALUES (7)").wait()
    clock.pass_(seconds=30)
    scheduler.refresh_due_tables()
    assert rows(env, "a") == [(7,)]


def test_a_suspended_table_waits_until_it_is_resumed(env: TableEnvironment, scheduler: Scheduler, clock: Clock) -> None:
    create(env, "m")
    env.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
    assert scheduler.refresh_due_tables() == 5
    assert last_refresh(env, "m") is None
    env.execute_sql("ALTER MATERIALIZED TABLE m RESUME")
    scheduler.refresh_due_tables()
    assert rows(env, "m") == [("2026-03-01", 1)]


def test_tables_of_another_scheduler_are_left_to_it(env: TableEnvironment, scheduler: Scheduler) -> None:
    create(env, "m")
    catalog = env.get_catalog("c")
    assert catalog is not None
    table = catalog.get_table(ObjectPath("default", "m"))
    assert isinstance(table, CatalogMaterializedTable)
    handler = {**table.refresh_handler, "scheduler": "airflow", "workflow": "x"}
    catalog.alter_table(ObjectPath("default", "m"), table.with_refresh(table.refresh_status, handler), False)
    assert scheduler.refresh_due_tables() == 5
    assert last_refresh(env, "m") is None


def test_a_refresh_by_a_statement_counts(env: TableEnvironment, scheduler: Scheduler, clock: Clock) -> None:
    create(env, "m")
    env.execute_sql("ALTER MATERIALIZED TABLE m REFRESH").wait()
    clock.now = datetime.now(UTC)
    assert 50 < scheduler.refresh_due_tables() <= 60


def test_a_signal_ends_the_scheduler_after_the_current_refresh(env: TableEnvironment, clock: Clock) -> None:
    create(env, "a")
    create(env, "b")
    scheduler = Scheduler(
        env, lambda: (signal.raise_signal(signal.SIGINT) if last_refresh(env, "a") and not scheduler.is_stopped else None) or clock()
    )
    scheduler.run()
    assert rows(env, "a") == [("2026-03-01", 1)]
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler


def test_statements_are_not_run_beside_it(client: Any) -> None:
    outcome = client("--scheduler", "-e", "SELECT 1")
    assert outcome.code == 2
    assert "--scheduler runs no scripts or statements" in outcome.err
