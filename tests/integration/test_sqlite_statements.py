"""UPDATE and DELETE of SQLite tables, on both engines."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from connector_sqlite import SqliteTableFactory
from connector_sqlite.sink import COMMITS
from table_api import DataTypes, TableEnvironment, TableException, TableRuntimeException, ValidationException
from table_api.udf import udf
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


def test_an_update_changes_only_matching_rows_and_assigned_columns(sql: Sql, path: Path) -> None:
    sql("UPDATE people SET age = age + 1, name = UPPER(name) WHERE age < 40")
    expected = [(1, "ADA", 37, "kept"), (2, "BOB", 21, "kept"), (3, None, 50, "kept")]
    assert stored(path, "SELECT * FROM people ORDER BY id") == expected


def test_an_update_by_a_query_and_to_null(sql: Sql, path: Path) -> None:
    sql("UPDATE people SET name = CAST(NULL AS STRING) WHERE age IN (SELECT MAX(age) - 14 FROM people)")
    assert stored(path, "SELECT name FROM people ORDER BY id") == [(None,), ("Bob",), (None,)]


def test_an_update_identifies_rows_by_the_whole_key_with_any_collation(sql: Sql, path: Path) -> None:
    sql("UPDATE pairs SET v = v * 10 WHERE a = 'x' AND b = 1")
    assert stored(path, "SELECT v FROM pairs ORDER BY rowid") == [(5.0,), (1.5,), (2.5,)]


def test_a_condition_that_sqlite_cannot_evaluate_is_evaluated_by_the_engine(sql: Sql, path: Path) -> None:
    sql("DELETE FROM pairs WHERE CHAR_LENGTH(a) = 1 AND LOWER(a) = 'x' AND v < 1")
    assert stored(path, "SELECT a, b FROM pairs ORDER BY rowid") == [("X", 1), ("x", 2)]


def test_a_deletion_by_a_query(sql: Sql, path: Path) -> None:
    sql("DELETE FROM people WHERE id IN (SELECT b FROM pairs)")
    assert stored(path, "SELECT id FROM people") == [(3,)]


def test_a_condition_that_sqlite_can_evaluate_is_pushed_down(sql: Sql, path: Path) -> None:
    assert sql("DELETE FROM keyless WHERE name LIKE 'B%' OR age > 40") == [(2,)]
    assert stored(path, "SELECT id FROM people") == [(1,)]


@pytest.mark.parametrize(
    ("statement", "message", "hint"),
    [
        ("UPDATE keyless SET age = 1", "UPDATE needs a primary key .* 'people'", "declare PRIMARY KEY"),
        ("DELETE FROM keyless WHERE UPPER(name) = 'ADA'", "DELETE with a condition that SQLite cannot compute", "comparisons of columns with constants"),
        ("UPDATE people SET id = id + 1", "cannot set id of SQLite's table 'people'", "INSERT the rows under their new keys"),
        ("UPDATE fuzzy SET a = 'y'", r"column 'v' \(DOUBLE", "declare the column with the type that SQLite stores"),
    ],
)  # fmt: skip
def test_refused_statements_have_a_reason_and_a_hint(sql: Sql, path: Path, statement: str, message: str, hint: str) -> None:
    before = stored(path, "SELECT * FROM people"), stored(path, "SELECT * FROM pairs")
    with pytest.raises(ValidationException, match=message) as caught:
        sql(statement)
    assert hint in (caught.value.hint or "")
    assert (stored(path, "SELECT * FROM people"), stored(path, "SELECT * FROM pairs")) == before


class OnlyDeletesByFewConditions(DynamicTableSink, SupportsDeletePushDown):
    """A sink without row-level abilities."""

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
def test_the_error_of_a_sink_without_row_level_deletes_names_the_missing_ability(
    make_env: MakeEnv, path: Path, monkeypatch: pytest.MonkeyPatch, statement: str, message: str
) -> None:
    env = make_env("arrow")
    monkeypatch.setattr(SqliteTableFactory, "create_dynamic_table_sink", lambda self, context: OnlyDeletesByFewConditions())
    env.execute_sql(f"CREATE TABLE people (id BIGINT, age INT) WITH ('connector' = 'sqlite', 'path' = '{path}', 'table-name' = 'people')")
    with pytest.raises(ValidationException, match=message):
        env.execute_sql(statement)


@pytest.mark.parametrize("planner", ["arrow", "spark"])
def test_an_update_reads_and_writes_in_one_transaction(make_env: MakeEnv, planner: str, path: Path) -> None:
    env = make_env(planner)
    env.create_temporary_system_function("others_write", udf(_others_write, result_type=DataTypes.STRING()))
    env.execute_sql(
        "CREATE TABLE people (id BIGINT, name STRING, age INT, PRIMARY KEY (id) NOT ENFORCED) "
        f"WITH ('connector' = 'sqlite', 'path' = '{path}', 'table-name' = 'people')"
    )
    env.execute_sql(f"UPDATE people SET age = age + 1, name = others_write('{path}', id) WHERE id = 1")
    assert stored(path, "SELECT name, age FROM people WHERE id = 1") == [("sqlite3.OperationalError: database is locked", 37)]


def _others_write(path: str, number: int) -> str:
    """Changes the table in another process, because the driver's SQLite and Python's do not see each other's locks within one process."""
    program = f"import sqlite3; c = sqlite3.connect({path!r}, timeout=0); c.execute('UPDATE people SET age = 100'); c.commit()"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return finished.stderr.strip().splitlines()[-1] if finished.returncode else "written"


@pytest.mark.parametrize("planner", ["arrow", "spark"])
def test_an_update_that_fails_unlocks_the_database(make_env: MakeEnv, planner: str, path: Path) -> None:
    env = make_env(planner)
    env.execute_sql(
        "CREATE TABLE people (id BIGINT, age INT, PRIMARY KEY (id) NOT ENFORCED) "
        f"WITH ('connector' = 'sqlite', 'path' = '{path}', 'table-name' = 'people')"
    )
    with pytest.raises(TableRuntimeException):
        env.execute_sql("UPDATE people SET age = 1 / (age - 36)")
    assert _others_write(str(path), 0) == "written"


def test_records_of_old_commits_are_deleted(make_env: MakeEnv, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {COMMITS} (job TEXT, epoch INTEGER, task INTEGER, at TEXT DEFAULT CURRENT_TIMESTAMP)")
        connection.execute(f"INSERT INTO {COMMITS} VALUES ('old', 0, 0, datetime('now', '-8 days')), ('recent', 0, 0, datetime('now'))")
        connection.commit()
    env = make_env("arrow")
    env.execute_sql(f"CREATE TABLE people (id BIGINT) WITH ('connector' = 'sqlite', 'path' = '{path}', 'table-name' = 'people')")
    env.execute_sql("INSERT INTO people VALUES (4)")
    jobs = [job for (job,) in stored(path, f"SELECT job FROM {COMMITS}")]
    assert len(jobs) == 2
    assert "recent" in jobs


@pytest.fixture
def shop(make_env: MakeEnv, path: Path) -> Sql:
    """The table ``people`` on the embedded engine."""
    env = make_env("arrow")
    env.execute_sql(f"CREATE TABLE people (id BIGINT, age INT) {OPTIONS.format(path)}")
    return lambda statement: [tuple(row) for row in env.execute_sql(statement.format(OPTIONS.format(path))).collect()]


OPTIONS = "WITH ('connector' = 'sqlite', 'path' = '{}', 'table-name' = 'people')"


def test_a_replaced_table_has_only_the_new_rows(shop: Sql) -> None:
    shop("REPLACE TABLE people {} AS SELECT CAST(7 AS BIGINT) AS id, 70 AS age")
    assert shop("SELECT id, age FROM people") == [(7, 70)]


def test_a_table_cannot_be_replaced_by_its_own_rows_without_staging(shop: Sql) -> None:
    with pytest.raises(ValidationException, match="can only truncate before the query runs"):
        shop("REPLACE TABLE people {} AS SELECT id + 1 AS id, age FROM people")
    assert shop("SELECT COUNT(*) FROM people") == [(3,)]


def test_a_failed_replacement_keeps_the_declaration(shop: Sql) -> None:
    with pytest.raises(TableRuntimeException, match="Division by zero"):
        shop("REPLACE TABLE people {} AS SELECT 1 / (a - 1) AS age FROM (VALUES (1), (2)) AS t (a)")
    assert [row[0] for row in shop("DESCRIBE people")] == ["id", "age"]


def test_a_failed_create_table_as_can_be_repeated(shop: Sql) -> None:
    for divisor, error in ((0, "Division by zero"), (1, None)):
        statement = f"CREATE TABLE made {{}} AS SELECT a, 1 / (a * {divisor}) AS age FROM (VALUES (1), (2)) AS t (a)".replace(
            "a,", "a AS id,"
        )
        if error is None:
            shop(statement)
        else:
            with pytest.raises(TableRuntimeException, match=error):
                shop(statement)
    assert shop("SELECT COUNT(*) FROM made") == [(5,)]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("DELETE FROM people WHERE age > 3", "Delete(table=[default_catalog.default_database.people]"),
        ("EXPLAIN DELETE FROM people WHERE age > 3", "Delete(table=[default_catalog.default_database.people]"),
        ("UPDATE people SET age = 1 WHERE id = 2", "default_catalog.default_database.people"),
        ("CREATE TABLE made WITH ('connector' = 'blackhole') AS SELECT 1 AS a", "default_catalog.default_database.made"),
    ],
)
def test_explain_sql_accepts_the_statements_of_explain(make_env: MakeEnv, path: Path, statement: str, text: str) -> None:
    env = make_env("arrow")
    env.execute_sql(f"CREATE TABLE people (id BIGINT, age INT, PRIMARY KEY (id) NOT ENFORCED) {OPTIONS.format(path)}")
    assert text in env.explain_sql(statement)
    assert stored(path, "SELECT COUNT(*) FROM people WHERE age > 3") == [(3,)]


def test_the_error_of_explain_lists_the_accepted_statements(make_env: MakeEnv) -> None:
    with pytest.raises(TableException, match="a query, an INSERT, UPDATE or DELETE, CREATE or REPLACE TABLE AS, or a statement set"):
        make_env("arrow").explain_sql("SHOW TABLES")
