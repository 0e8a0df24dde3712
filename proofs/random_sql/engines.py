"""Runs queries: on our engines, and on DuckDB."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import duckdb

from random_sql.tables import Table
from random_sql.tree import Query, text
from table_api import EnvironmentSettings, TableEnvironment
from table_common.arrow import apply_changes


@dataclass(frozen=True)
class Outcome:
    """Rows, or the error: its class and message."""

    rows: tuple[tuple[Any, ...], ...] = ()
    error: str | None = None
    kind: str = ""


class Engine(Protocol):
    """What runs queries."""

    dialect: str

    def load(self, tables: Sequence[Table]) -> None:
        """Makes the tables, in place of those before."""

    def run(self, query: Query) -> Outcome:
        """Runs a query."""


class Ours:
    """One of our engines. Tables in files are written by the embedded engine."""

    dialect = "flink"

    def __init__(self, planner: str, external: dict[str, Any] | None = None, *, streaming: bool = False, threads: int = -1) -> None:
        builder = EnvironmentSettings.new_instance().with_planner(planner)
        settings = (builder.in_streaming_mode() if streaming else builder.in_batch_mode()).build()
        self.name = "streaming" if streaming else planner
        self._streaming = streaming
        self._env = TableEnvironment.create(settings, external=external or {})
        self._env.get_config().set("table.local-time-zone", "UTC").set("table.dml-sync", "true")
        self._env.get_config().set("table.exec.resource.default-parallelism", str(threads))
        self._loaded: list[Table] = []
        self._files: tempfile.TemporaryDirectory[str] | None = None

    def load(self, tables: Sequence[Table], written: Path | None = None) -> None:
        """Makes the tables; files that are there already, in the folder ``written``, are read."""
        for table in self._loaded:
            self._env.execute_sql(f"DROP TEMPORARY {'VIEW' if table.format is None else 'TABLE'} IF EXISTS {table.name}")
        self._loaded = list(tables)
        if self._files is not None:
            self._files.cleanup()
        self._files = tempfile.TemporaryDirectory()
        for table in tables:
            source = self._env.from_arrow(table.to_arrow())
            if table.format is None:
                self._env.create_temporary_view(table.name, source)
                continue
            columns = ", ".join(f"{c.name} {c.type.name}{'' if c.is_nullable else ' NOT NULL'}" for c in table.columns)
            path = (written or self.folder) / table.name
            options = f"'connector' = 'filesystem', 'format' = '{table.format}', 'path' = '{path}'"
            self._env.execute_sql(f"CREATE TEMPORARY TABLE {table.name} ({columns}) WITH ({options})")
            if written is None:
                source.execute_insert(table.name).wait()

    @property
    def folder(self) -> Path:
        """The folder of the tables in files."""
        assert self._files is not None
        return Path(self._files.name)

    def run(self, query: Query) -> Outcome:
        return self.run_text(text(query, self.dialect))

    def run_text(self, sql: str) -> Outcome:
        """Runs the text of a query."""
        try:
            outcome = self._env.execute_sql(sql)
            result = outcome.to_arrow()
            if self._streaming:  # the rows that remain after all changes
                result = apply_changes(result, len(outcome.get_resolved_schema().columns))
        except Exception as error:  # whatever it is: a raw exception is a difference, too
            return Outcome(error=str(error), kind=type(error).__name__)
        return Outcome(tuple(zip(*(column.to_pylist() for column in result.columns), strict=True)) if result.num_columns else ())

    def close(self) -> None:
        """Ends the environment."""
        self._env.close()
        if self._files is not None:
            self._files.cleanup()


class DuckDB:
    """DuckDB, in this process."""

    dialect = "duck"
    name = "duckdb"

    def __init__(self) -> None:
        self._connection = duckdb.connect()
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute("SET threads = 1")
        self._loaded: list[str] = []

    def load(self, tables: Sequence[Table]) -> None:
        for name in self._loaded:
            self._connection.execute(f"DROP TABLE {name}")
        self._loaded = [table.name for table in tables]
        for table in tables:
            columns = ", ".join(f"CAST({c.name} AS {c.type.duck}) AS {c.name}" for c in table.columns)
            self._connection.register("given", table.to_arrow())
            self._connection.execute(f"CREATE TABLE {table.name} AS SELECT {columns} FROM given")
            self._connection.unregister("given")

    def run(self, query: Query) -> Outcome:
        try:
            return Outcome(tuple(self._connection.execute(text(query, self.dialect)).fetchall()))
        except duckdb.Error as error:
            return Outcome(error=str(error), kind=type(error).__name__)

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()
