"""Unbounded INSERTs into the built-in sinks, over several epochs."""

from __future__ import annotations

import io
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from waiting import eventually

from table_api import EnvironmentSettings, JobStatus, TableEnvironment
from table_common.connector import DynamicTableSource, ScanTableSource, SourceFunction, SourceFunctionProvider
from table_common.data import GenericRowData, RowData
from table_common.exceptions import TableException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory
from table_common.module import Module
from table_runtime.connectors.python import register_callable, unregister_callable


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    made = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    made.get_config().set("table.exec.sink.commit-interval", "20 ms")
    made.execute_sql(
        "CREATE TABLE g (id BIGINT, k INT) WITH ('connector' = 'datagen', 'rows-per-second' = '2000', 'fields.k.min' = '0', 'fields.k.max' = '9')"
    )
    yield made
    made.close()


def insert(env: TableEnvironment, statement: str) -> Callable[[], int]:
    """Starts a job; returns what ends it with a last commit and returns the number of rows written."""
    result = env.execute_sql(statement)

    def end() -> int:
        client = result.get_job_client()
        assert client is not None
        client.end()
        result.wait(30_000)
        assert client.get_job_status() is JobStatus.FINISHED
        (row,) = result.collect()
        return int(row[0])

    return end


def test_each_row_is_once_in_a_memory_table(env: TableEnvironment, tmp_path: Path) -> None:
    env.execute_sql(f"CREATE TABLE o (id BIGINT, k INT) WITH ('connector' = 'memory', 'name' = '{tmp_path}')")
    end = insert(env, "INSERT INTO o SELECT id, k FROM g")

    def rows_there() -> int:
        with env.execute_sql("SELECT COUNT(*) FROM o").collect() as rows:
            return [0, *(row[0] for row in rows)][-1]

    seen = [0]
    for _ in range(3):
        eventually(lambda: rows_there() > seen[-1])
        seen.append(rows_there())
    assert end() == rows_there()


def test_a_memory_table_with_a_key_has_the_last_row_of_each(env: TableEnvironment, tmp_path: Path) -> None:
    env.execute_sql(f"CREATE TABLE o (k INT PRIMARY KEY NOT ENFORCED, n BIGINT) WITH ('connector' = 'memory', 'name' = '{tmp_path}')")
    totals = insert(env, "INSERT INTO o SELECT k, COUNT(*) FROM g GROUP BY k")

    def keys() -> list[int]:
        return [row.k for row in env.execute_sql("SELECT k, n FROM o").collect()]

    eventually(lambda: len(keys()) == 10)
    assert totals() > 10
    assert sorted(keys()) == list(range(10))


def test_a_sqlite_table_is_upserted_epoch_by_epoch(env: TableEnvironment, tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE o (k INTEGER PRIMARY KEY, n INTEGER)")
    env.execute_sql(
        f"CREATE TABLE o (k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'sqlite', 'path' = '{path}', 'table-name' = 'o')"
    )
    env.execute_sql(f"CREATE TABLE all_rows (id BIGINT, k INT) WITH ('connector' = 'memory', 'name' = '{tmp_path}')")
    statements = env.create_statement_set()
    statements.add_insert_sql("INSERT INTO o SELECT k, COUNT(*) FROM g GROUP BY k")
    statements.add_insert_sql("INSERT INTO all_rows SELECT id, k FROM g")
    result = statements.execute()

    def stored() -> dict[int, int]:
        # Not by Python's sqlite3, beside another copy of SQLite in this process: closing a file drops the locks of both.
        with env.execute_sql("SELECT k, n FROM o").collect() as rows:
            return {row.k: row.n for row in rows}

    eventually(lambda: len(stored()) == 10)
    first = stored()
    eventually(lambda: sum(stored().values()) > sum(first.values()))
    client = result.get_job_client()
    assert client is not None
    client.end()
    result.wait(30_000)
    with env.execute_sql("SELECT k FROM all_rows").collect() as rows:
        keys = [row.k for row in rows]
    assert stored() == {key: keys.count(key) for key in range(10)}, "both sinks have the same rows"


def test_a_python_sink_gets_rows_as_they_come(env: TableEnvironment) -> None:
    counts: list[int] = []
    register_callable("taker", lambda batch: counts.append(batch.num_rows))
    env.execute_sql("CREATE TABLE o (id BIGINT, k INT) WITH ('connector' = 'python', 'sink.callable' = 'taker')")
    end = insert(env, "INSERT INTO o SELECT id, k FROM g")
    eventually(lambda: len(counts) > 3)
    assert end() == sum(counts)
    unregister_callable("taker")


def test_print_writes_rows_as_they_come(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()  # pytest's capture loses what is written while it reads
    monkeypatch.setattr(sys, "stdout", shown)
    env.execute_sql("CREATE TABLE o (id BIGINT, k INT) WITH ('connector' = 'print')")
    end = insert(env, "INSERT INTO o SELECT id, k FROM g")
    eventually(lambda: shown.getvalue().count("\n") > 20)
    assert end() == sum(line.startswith("+I[") for line in shown.getvalue().splitlines())


class Ticks(SourceFunction):
    def run(self) -> Iterator[RowData]:
        for number in count():
            yield GenericRowData.of(number)
            time.sleep(0.001)


class TicksSource(ScanTableSource):
    def as_summary_string(self) -> str:
        return "ticks"

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        return SourceFunctionProvider(Ticks(), bounded=False)


class TicksFactory(DynamicTableSourceFactory):
    factory_identifier = "ticks"
    required_options = optional_options = ()

    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        return TicksSource()


class TicksModule(Module):
    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        return TicksFactory() if identifier == "ticks" else None


def test_the_rows_of_a_source_function_without_an_end_come_at_once_and_checkpoints_refuse_it(env: TableEnvironment, tmp_path: Path) -> None:
    env.load_module("ticks", TicksModule())
    env.execute_sql("CREATE TABLE ticks (n BIGINT) WITH ('connector' = 'ticks')")
    with env.execute_sql("SELECT n FROM ticks").collect(max_rows=3) as rows:
        assert [row.n for row in rows] == [0, 1, 2]
    env.get_config().set("execution.checkpointing.dir", str(tmp_path))
    env.execute_sql("CREATE TABLE o (n BIGINT) WITH ('connector' = 'blackhole')")
    with pytest.raises(TableException, match="is unbounded and has no offsets") as caught:
        env.execute_sql("INSERT INTO o SELECT n FROM ticks")
    assert "SourceProvider" in (caught.value.hint or "")
