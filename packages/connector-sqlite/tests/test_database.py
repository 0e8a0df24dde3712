"""Sessions of a database: retries while it is locked, and statements that SQLite rejects."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from connector_sqlite import Database, SqliteTableFactory
from table_common.exceptions import TableRuntimeException
from table_testing import ConnectorCase


class Case(ConnectorCase):
    factory = SqliteTableFactory
    schema = "id BIGINT, name STRING"


@pytest.fixture
def locked(options: dict[str, str]) -> Iterator[Database]:
    """A database that another connection has locked, with a busy timeout of zero."""
    with Database(options["path"]).session(writable=True) as other:
        other.rows("BEGIN EXCLUSIVE")
        yield Database(options["path"], 2, timedelta(seconds=1), timedelta(0))


def test_a_locked_database_is_retried_as_often_as_configured(locked: Database, waits: list[float]) -> None:
    with pytest.raises(TableRuntimeException) as caught, locked.session(writable=True) as session:
        session.rows("BEGIN IMMEDIATE")
    assert caught.value.message == (
        f"The SQLite database '{locked.path}' is locked by another connection, tried 3 times for up to 0 s each: database is locked."
    )
    assert "connection.max-retries" in (caught.value.hint or "")
    assert waits == [1.0, 2.0]


def test_a_lock_that_is_released_during_the_retries_is_no_error(options: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    impatient = Database(options["path"], 1, timedelta(seconds=1), timedelta(0))
    with Database(options["path"]).session(writable=True) as other, impatient.session() as session:
        other.rows("BEGIN EXCLUSIVE")
        monkeypatch.setattr("connector_sqlite.database.time.sleep", lambda _: other.rows("ROLLBACK"))
        assert session.rows("SELECT name FROM t ORDER BY name") == [("one",), ("two",)]


def test_the_error_of_a_locked_database_names_the_table(locked: Database, options: dict[str, str], waits: list[float]) -> None:
    with pytest.raises(TableRuntimeException, match="is locked by another connection, tried 2 times"):
        Case().source({**options, "connection.max-retries": "1", "connection.busy-timeout": "0 s"})
    assert waits == [0.001]


def test_a_statement_that_sqlite_rejects_is_an_error_without_retries(options: dict[str, str], waits: list[float]) -> None:
    with pytest.raises(TableRuntimeException) as caught, Database(options["path"]).session() as session:
        session.rows("SELECT * FROM t WHERE locked = 1")
    assert caught.value.message == (
        f"The SQLite database '{options['path']}' rejects SELECT * FROM t WHERE locked = 1: no such column: locked."
    )
    assert not waits
