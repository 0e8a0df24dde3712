"""What users read when something is wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from connector_sqlite import Database, SqliteTableFactory
from table_common.connector import DynamicTableSink
from table_common.exceptions import TableRuntimeException
from table_common.testing import ConnectorCase, read_rows, write_rows


class Case(ConnectorCase):
    factory = SqliteTableFactory
    schema = "id BIGINT, name STRING"


@pytest.fixture
def options(tmp_path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, name TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, "one"), ("no number", "two")])
        connection.commit()
    return {"path": str(tmp_path / "shop.db"), "table-name": "t", "connection.retry-delay": "1 ms"}


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Returns the waits between tries, which do not happen."""
    waits: list[float] = []
    monkeypatch.setattr("connector_sqlite.database.time.sleep", waits.append)
    return waits


def test_values_of_another_kind_are_told_with_their_column(options: dict[str, str]) -> None:
    with pytest.raises(
        TableRuntimeException, match="Column 'id' of SQLite's table 't' is declared as BIGINT, stored as INTEGER, but has texts"
    ):
        read_rows(Case().source(options), Case().row_type)


def test_values_of_another_kind_come_with_what_finds_them(options: dict[str, str]) -> None:
    with pytest.raises(TableRuntimeException) as caught:
        read_rows(Case().source(options), Case().row_type)
    assert 'typeof("id")' in (caught.value.hint or "")


def test_a_constraint_that_rows_break_is_told_in_sqlites_words(options: dict[str, str]) -> None:
    with closing(sqlite3.connect(options["path"])) as connection:
        connection.execute("CREATE TABLE named (id INTEGER, name TEXT NOT NULL)")
    provider: Any = Case().sink({**options, "table-name": "named"}).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    messages = write_rows(provider, Case().row_type, [[(1, None)]])
    with pytest.raises(TableRuntimeException, match=r"rejects INSERT INTO \"named\" .*: NOT NULL constraint failed: named\.name\.$"):
        provider.create_committer("job").commit(messages)


@pytest.fixture
def locked(options: dict[str, str]) -> Iterator[Database]:
    """A database that somebody else has locked, opened without patience."""
    with Database(options["path"]).session(writable=True) as other:
        other.rows("BEGIN EXCLUSIVE")
        yield Database(options["path"], 2, timedelta(seconds=1), timedelta(0))


def test_a_lock_is_tried_as_often_as_configured_and_one_error(locked: Database, waits: list[float]) -> None:
    with pytest.raises(TableRuntimeException) as caught, locked.session(writable=True) as session:
        session.rows("BEGIN IMMEDIATE")
    assert caught.value.message == (
        f"The SQLite database '{locked.path}' is locked by another connection, tried 3 times for up to 0 s each: database is locked."
    )
    assert "connection.max-retries" in (caught.value.hint or "")
    assert waits == [1.0, 2.0]


def test_a_lock_that_goes_away_is_no_error(options: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    impatient = Database(options["path"], 1, timedelta(seconds=1), timedelta(0))
    with Database(options["path"]).session(writable=True) as other, impatient.session() as session:
        other.rows("BEGIN EXCLUSIVE")
        monkeypatch.setattr("connector_sqlite.database.time.sleep", lambda _: other.rows("ROLLBACK"))
        assert session.rows("SELECT name FROM t ORDER BY name") == [("one",), ("two",)]


def test_a_locked_database_is_one_error_of_the_table(locked: Database, options: dict[str, str], waits: list[float]) -> None:
    with pytest.raises(TableRuntimeException, match="is locked by another connection, tried 2 times"):
        Case().source({**options, "connection.max-retries": "1", "connection.busy-timeout": "0 s"})
    assert waits == [0.001]


def test_what_sqlite_refuses_is_told_at_once_with_the_statement(options: dict[str, str], waits: list[float]) -> None:
    with pytest.raises(TableRuntimeException) as caught, Database(options["path"]).session() as session:
        session.rows("SELECT * FROM t WHERE locked = 1")
    assert caught.value.message == (
        f"The SQLite database '{options['path']}' rejects SELECT * FROM t WHERE locked = 1: no such column: locked."
    )
    assert not waits


def test_a_view_in_several_parts_says_what_to_leave_out(options: dict[str, str]) -> None:
    with closing(sqlite3.connect(options["path"])) as connection:
        connection.execute("CREATE VIEW seen AS SELECT id, name FROM (SELECT DISTINCT id, name FROM t)")
    source = Case().source({**options, "table-name": "seen", "scan.partition.num": "2"})
    with pytest.raises(TableRuntimeException) as caught:
        read_rows(source, Case().row_type)
    assert "remove 'scan.partition.num'" in (caught.value.hint or "")
