"""The file of a sqlite catalog: transactions, versions and locks."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from table_api.catalog.sqlite_file import SCHEMA_STEPS, SqliteFile
from table_common.exceptions import CatalogException


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.db"


def opened(path: Path, lock_timeout: float = 1.0) -> SqliteFile:
    file = SqliteFile(path, "catalog 'c'", lock_timeout)
    file.open()
    return file


def test_a_new_file_has_the_latest_version(path: Path) -> None:
    with closing(opened(path)) as file:
        assert file.row("PRAGMA user_version") == (len(SCHEMA_STEPS),)


def test_a_change_returns_how_many_rows_it_changed(path: Path) -> None:
    with closing(opened(path)) as file:
        assert file.change("INSERT INTO databases VALUES ('a', '{}'), ('b', '{}')") == 2
        assert file.rows("SELECT name FROM databases ORDER BY name") == [("a",), ("b",)]
        assert file.row("SELECT name FROM databases WHERE name = ?", "c") is None


def test_a_nested_transaction_is_rolled_back_with_the_outermost(path: Path) -> None:
    def fail() -> None:
        with file.transaction():
            with file.transaction():
                file.change("INSERT INTO databases VALUES ('a', '{}')")
            raise ZeroDivisionError

    with closing(opened(path)) as file:
        with pytest.raises(ZeroDivisionError):
            fail()
        assert file.rows("SELECT name FROM databases") == []


def test_a_lock_of_another_connection_ends_in_an_error(path: Path) -> None:
    with closing(opened(path, lock_timeout=0.01)) as file, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CatalogException, match="Another process has locked the catalog 'c'"):
            file.change("INSERT INTO databases VALUES ('a', '{}')")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(CatalogException, match="is a folder, but must be a file"):
        opened(tmp_path)
