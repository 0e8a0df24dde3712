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
from table_common.exceptions import TableRuntimeException, ValidationException
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


def refusal(options: dict[str, str]) -> ValidationException:
    with pytest.raises(ValidationException) as caught:
        Case().source(options)
    return caught.value


def test_a_file_that_is_not_there_is_an_error_at_once(tmp_path: Path, options: dict[str, str], waits: list[float]) -> None:
    error = refusal({**options, "path": str(tmp_path / "shopp.db")})
    assert error.message == (f"The SQLite database '{tmp_path}/shopp.db' does not exist. Did you mean 'shop.db'?")
    assert "it is not created" in (error.hint or "")
    assert not waits
    assert not (tmp_path / "shopp.db").exists()


def test_a_relative_path_is_shown_with_where_it_leads(options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert f"'nix.db' ({tmp_path}/nix.db) does not exist" in refusal({**options, "path": "nix.db"}).message


def test_a_folder_that_is_not_there_is_named(tmp_path: Path, options: dict[str, str]) -> None:
    assert f"nor does the folder '{tmp_path}/nix'" in refusal({**options, "path": f"{tmp_path}/nix/shop.db"}).message


def test_a_folder_is_no_database(tmp_path: Path, options: dict[str, str]) -> None:
    assert "is a folder." in refusal({**options, "path": str(tmp_path)}).message


def test_a_file_of_another_kind_is_an_error_at_once(tmp_path: Path, options: dict[str, str], waits: list[float]) -> None:
    (tmp_path / "notes.txt").write_text("not a database at all" * 100)
    error = refusal({**options, "path": str(tmp_path / "notes.txt")})
    assert error.message == f"The file '{tmp_path}/notes.txt' is not a SQLite database."
    assert not waits


def test_a_table_that_is_not_there_comes_with_those_that_are(options: dict[str, str], waits: list[float]) -> None:
    error = refusal({**options, "table-name": "tt"})
    assert error.message == f"The SQLite table 'tt' does not exist in the database '{options['path']}'. Did you mean 't'? Available: t."
    assert not waits


def test_a_table_that_is_not_there_comes_with_the_statement_that_makes_it(options: dict[str, str]) -> None:
    assert 'CREATE TABLE "u" ("id" INTEGER, "name" TEXT)' in (refusal({**options, "table-name": "u"}).hint or "")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("table-nam", "t", "unknown: 'table-nam' (did you mean 'table-name'?)"),
        ("connection.max-retries", "often", "connection.max-retries"),
        ("connection.max-retries", "-1", "'connection.max-retries' of table compliance.suite.tested must be at least 0, but is -1"),
        ("connection.retry-delay", "soon", "connection.retry-delay"),
        ("scan.partition.num", "0", "'scan.partition.num' of table compliance.suite.tested must be at least 1, but is 0"),
    ],
)
def test_an_option_that_cannot_be_read_is_named(options: dict[str, str], key: str, value: str, message: str) -> None:
    assert message in refusal({**options, key: value}).message


def test_a_missing_option_is_named(options: dict[str, str]) -> None:
    del options["path"]
    assert "missing: path" in refusal(options).message


def test_columns_that_are_not_there_are_shown_beside_those_that_are(options: dict[str, str]) -> None:
    class Wider(Case):
        schema = "id BIGINT, price DECIMAL(10, 2)"

    with pytest.raises(ValidationException, match="has no column price") as caught:
        Wider().source(options)
    lines = [line.split() for line in str(caught.value).splitlines()[1:]]
    assert ["price", "DECIMAL(10,", "2)", "-"] in lines
    assert ["-", "name", "TEXT"] in lines


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


def test_a_type_that_sqlite_has_no_column_for_is_refused(options: dict[str, str]) -> None:
    class Nested(Case):
        schema = "id BIGINT, name ARRAY<INT>"

    with pytest.raises(ValidationException, match=r"Column 'name' .* which SQLite cannot store"):
        Nested().source(options)


def test_a_url_is_a_path(options: dict[str, str]) -> None:
    path = options.pop("path")
    source: Any = Case().source({**options, "url": f"sqlite:///{path}"})
    assert source.database.path == path


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
