"""What users read when something is wrong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from connector_sqlite import Database, SqliteTableFactory
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.testing import ConnectorCase, read_rows


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


def test_a_file_that_is_not_there_is_one_error_after_all_tries(tmp_path: Path, options: dict[str, str]) -> None:
    with pytest.raises(TableRuntimeException, match=r"nix.db' cannot be opened, tried 3 times: .*no such file"):
        Case().source({**options, "path": str(tmp_path / "nix.db"), "connection.max-retries": "2"})
    assert not (tmp_path / "nix.db").exists()


def test_a_table_that_is_not_there_comes_with_the_statement_that_makes_it(options: dict[str, str]) -> None:
    with pytest.raises(ValidationException, match="has no table 'u'") as caught:
        Case().source({**options, "table-name": "u"})
    assert 'CREATE TABLE "u" ("id" INTEGER, "name" TEXT)' in str(caught.value)


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
        TableRuntimeException, match="Column 'id' of SQLite's table 't' is declared as BIGINT, kept as INTEGER, but holds texts"
    ):
        read_rows(Case().source(options), Case().row_type)


def test_a_type_that_sqlite_has_no_column_for_is_refused(options: dict[str, str]) -> None:
    class Nested(Case):
        schema = "id BIGINT, name ARRAY<INT>"

    with pytest.raises(ValidationException, match=r"Column 'name' .* which SQLite has no column for"):
        Nested().source(options)


def test_a_url_is_a_path(options: dict[str, str]) -> None:
    path = options.pop("path")
    source: Any = Case().source({**options, "url": f"sqlite:///{path}"})
    assert source.database.path == path


def test_a_lock_that_is_held_too_long_is_one_error(tmp_path: Path, options: dict[str, str]) -> None:
    from datetime import timedelta

    database = Database(options["path"], 1, timedelta(milliseconds=1), timedelta(0))
    with database.session(writable=True) as other, database.session(writable=True) as session:
        other.rows("BEGIN IMMEDIATE")
        with pytest.raises(TableRuntimeException, match=r"tried 2 times: .*locked"):
            database.retried(lambda: session.rows("BEGIN IMMEDIATE"), "cannot be locked for writing")
