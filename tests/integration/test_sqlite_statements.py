"""UPDATE and DELETE of SQLite tables, on both engines."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from connector_sqlite import SqliteTableFactory
from table_api import TableEnvironment, ValidationException
from table_common.connector import DynamicTableSink
from table_common.connector.sink.abilities import SupportsDeletePushDown

MakeEnv = Callable[[str], TableEnvironment]
Sql = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "shop.db"
    with closing(sqlite3.connect(found)) as connection:
        connection.execute("CREATE TABLE people (id INTEGER, name TEXT COLLATE NOCASE, age INTEGER, secret TEXT DEFAULT 'kept')")
        connection.execute("CREATE TABLE pairs (a TEXT COLLATE NOCASE, b INTEGER, v REAL)")
        connection.executemany("INSERT INTO people (id, name, age) VALUES (?, ?, ?)", [(1, "Ada", 36), (2, "Bob", 20), (3, None, 50)])
        connection.executemany("INSERT INTO pairs VALUES (?, ?, ?)", [("x", 1, 0.5), ("X", 1, 1.5), ("x", 2, 2.5)])
        connection.commit()
    return found


@pytest.fixture(params=["arrow", "spark"])
def sql(request: pytest.FixtureRequest, make_env: MakeEnv, path: Path) -> Sql:
    """Runs a statement and returns its rows."""
    env = make_env(request.param)

    def run(statement: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in env.execute_sql(statement).collect()]

    for name, table, columns in [
        ("people", "people", "id BIGINT, name STRING, age INT, PRIMARY KEY (id) NOT ENFORCED"),
        ("pairs", "pairs", "a STRING, b INT, v DOUBLE, PRIMARY KEY (a, b) NOT ENFORCED"),
        ("keyless", "people", "id BIGINT, name STRING, age INT"),
        ("fuzzy", "pairs", "a STRING, v DOUBLE, PRIMARY KEY (v) NOT ENFORCED"),
    ]:
        run(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'sqlite', 'path' = '{path}', 'table-name' = '{table}')")
    return run


def stored(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_an_update_changes_the_rows_that_match_and_their_columns_alone(sql: Sql, path: Path) -> None:
    sql("UPDATE people SET age = age + 1, name = UPPER(name) WHERE age < 40")
    expected = [(1, "ADA", 37, "kept"), (2, "BOB", 21, "kept"), (3, None, 50, "kept")]
    assert stored(path, "SELECT * FROM people ORDER BY id") == expected


def test_an_update_by_a_query_and_to_null(sql: Sql, path: Path) -> None:
    sql("UPDATE people SET name = CAST(NULL AS STRING) WHERE age IN (SELECT MAX(age) - 14 FROM people)")
    assert stored(path, "SELECT name FROM people ORDER BY id") == [(None,), ("Bob",), (None,)]


def test_an_update_finds_rows_by_all_columns_of_the_key_whatever_their_collation(sql: Sql, path: Path) -> None:
    sql("UPDATE pairs SET v = v * 10 WHERE a = 'x' AND b = 1")
    assert stored(path, "SELECT v FROM pairs ORDER BY rowid") == [(5.0,), (1.5,), (2.5,)]


def test_a_deletion_that_sqlite_cannot_compute_is_of_the_rows_that_the_engine_finds(sql: Sql, path: Path) -> None:
    sql("DELETE FROM pairs WHERE CHAR_LENGTH(a) = 1 AND LOWER(a) = 'x' AND v < 1")
    assert stored(path, "SELECT a, b FROM pairs ORDER BY rowid") == [("X", 1), ("x", 2)]


def test_a_deletion_by_a_query(sql: Sql, path: Path) -> None:
    sql("DELETE FROM people WHERE id IN (SELECT b FROM pairs)")
    assert stored(path, "SELECT id FROM people") == [(3,)]


def test_a_deletion_that_sqlite_can_compute_is_its_own(sql: Sql, path: Path) -> None:
    assert sql("DELETE FROM keyless WHERE name LIKE 'B%' OR age > 40") == [(2,)]
    assert stored(path, "SELECT id FROM people") == [(1,)]


@pytest.mark.parametrize(
    ("statement", "message", "hint"),
    [
        ("UPDATE keyless SET age = 1", "UPDATE needs a primary key, .* 'people'", "declare PRIMARY KEY"),
        ("DELETE FROM keyless WHERE UPPER(name) = 'ADA'", "DELETE with a condition that SQLite cannot compute", "comparisons of columns with constants"),
        ("UPDATE people SET id = id + 1", "cannot set id of SQLite's table 'people'", "INSERT the rows under their new keys"),
        ("UPDATE fuzzy SET a = 'y'", "column 'v' is DOUBLE", "declare the column as it is kept"),
    ],
)  # fmt: skip
def test_what_is_not_done_says_why_and_what_to_do(sql: Sql, path: Path, statement: str, message: str, hint: str) -> None:
    before = stored(path, "SELECT * FROM people"), stored(path, "SELECT * FROM pairs")
    with pytest.raises(ValidationException, match=message) as caught:
        sql(statement)
    assert hint in (caught.value.hint or "")
    assert (stored(path, "SELECT * FROM people"), stored(path, "SELECT * FROM pairs")) == before


class OnlyDeletesByFewConditions(DynamicTableSink, SupportsDeletePushDown):
    """What a sink without row-level abilities is."""

    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> DynamicTableSink.SinkRuntimeProvider:
        raise AssertionError("nothing is written")

    def apply_delete_filters(self, filters: object) -> bool:
        return False

    def execute_deletion(self) -> int | None:
        raise AssertionError("nothing is deleted")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE people SET age = 1 WHERE id = 1", "UPDATE is not supported by the connector 'sqlite'"),
        ("DELETE FROM people WHERE id = 1", "DELETE with this condition is not supported by the connector 'sqlite'"),
    ],
)
def test_a_sink_that_deletes_by_conditions_alone_is_blamed_for_what_it_lacks(
    make_env: MakeEnv, path: Path, monkeypatch: pytest.MonkeyPatch, statement: str, message: str
) -> None:
    env = make_env("arrow")
    monkeypatch.setattr(SqliteTableFactory, "create_dynamic_table_sink", lambda self, context: OnlyDeletesByFewConditions())
    env.execute_sql(f"CREATE TABLE people (id BIGINT, age INT) WITH ('connector' = 'sqlite', 'path' = '{path}', 'table-name' = 'people')")
    with pytest.raises(ValidationException, match=message):
        env.execute_sql(statement)
