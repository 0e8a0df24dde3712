"""Streaming environments with sources that do not end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.delegation import JobClient
from table_common.connector import DynamicTableSource
from table_common.factories import DynamicTableFactory
from table_common.testing.line_log import LineLog, LineLogSource, append_lines
from table_runtime.connectors.values import ValuesTableFactory

LIMIT_SECONDS = 20.0


@pytest.fixture(autouse=True)
def line_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of the connector ``values`` whose ``data-id`` is a folder are line logs; ``changes:`` and ``bounded:`` before it say which."""

    def create(_: object, context: DynamicTableFactory.Context) -> DynamicTableSource:
        *kinds, folder = context.catalog_table.options["data-id"].split(":")
        row_type = context.catalog_table.resolved_schema.to_physical_row_type()
        return LineLogSource(LineLog(folder, row_type, with_kinds="changes" in kinds, bounded="bounded" in kinds))

    monkeypatch.setattr(ValuesTableFactory, "create_dynamic_table_source", create)


@pytest.fixture
def is_away(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether line logs do not answer, as one item that tests change."""
    away = [False]
    latest = LineLog.latest_offset

    def flaky(self: LineLog, *arguments: Any) -> Any:
        if away[0]:
            raise ConnectionResetError("the source is away")
        return latest(self, *arguments)

    monkeypatch.setattr(LineLog, "latest_offset", flaky)
    return away


@pytest.fixture
def new_env() -> Iterator[Callable[[], TableEnvironment]]:
    """Makes streaming environments, which are closed after the test."""
    made: list[TableEnvironment] = []

    def make() -> TableEnvironment:
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
        env = TableEnvironment.create(settings)
        env.get_config().set("table.local-time-zone", "UTC").set("table.exec.sink.commit-interval", "50 ms")
        made.append(env)
        return env

    yield make
    for env in made:
        env.close()


@pytest.fixture
def env(new_env: Callable[[], TableEnvironment]) -> TableEnvironment:
    """A streaming environment."""
    return new_env()


@pytest.fixture
def log_table(tmp_path: Path) -> Callable[..., Path]:
    """Creates a table over a line log; returns the folder of its partitions."""

    def create(env: TableEnvironment, name: str, columns: str, kinds: str = "") -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'values', 'data-id' = '{kinds}{folder}')")
        return folder

    return create


@pytest.fixture
def copy_job(env: TableEnvironment, log_table: Callable[..., Path], tmp_path: Path) -> Callable[[], JobClient]:
    """Starts a job that copies rows; it has one row to copy."""
    append_lines(log_table(env, "t", "k INT"), "0", [[1]])
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "copy")
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")

    def start() -> JobClient:
        job = env.execute_sql("INSERT INTO o SELECT k FROM t").get_job_client()
        assert job is not None
        return job

    return start


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Waits until a condition holds."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + LIMIT_SECONDS
        while not condition():
            assert time.monotonic() < deadline, "the condition did not come true"
            time.sleep(0.005)

    return wait
