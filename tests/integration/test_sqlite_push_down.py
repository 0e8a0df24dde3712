"""Push-down into SQLite: EXPLAIN and the statements that SQLite receives contain the pushed operations, on both engines."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment, ValidationException

MakeEnv = Callable[[str], TableEnvironment]
Sql = Callable[[str], list[tuple[Any, ...]]]

# query, the statement for SQLite, the pushed operations in EXPLAIN, rows
CASES = {
    "columns and filters": (
        "SELECT name FROM people WHERE age > 30 AND city = 'Bern'",
        """SELECT "name" FROM "people" WHERE ("age" > 30) AND ("city" COLLATE BINARY = 'Bern')""",
        "fields=[name], filters=[(age > 30), (city = 'Bern')])",
        [("Ada",), ("Cy",)],
    ),
    "the part of a condition that SQLite understands": (
        "SELECT id FROM people WHERE age > 30 AND CHAR_LENGTH(name) > 2",
        'SELECT "id", "name" FROM "people" WHERE ("age" > 30)',
        "fields=[id, name], filters=[(age > 30)])",
        [(1,)],
    ),
    "a limit": (
        "SELECT id, name FROM people WHERE id >= 2 LIMIT 2",
        'SELECT "id", "name" FROM "people" WHERE ("id" >= 2) LIMIT 2',
        "fields=[id, name], filters=[(id >= 2)], limit=[2])",
        [(2, "Bob"), (3, "Cy")],
    ),
    "groups": (
        "SELECT city, COUNT(*), SUM(age), MAX(name) FROM people WHERE id < 4 GROUP BY city",
        'SELECT "city", COUNT(*), SUM("age"), MAX("name" COLLATE BINARY) FROM "people" WHERE ("id" < 4) GROUP BY "city" COLLATE BINARY',
        "groupBy=[city], aggregates=[COUNT(*), SUM(age), MAX(name)], filters=[(id < 4)])",
        [("Bern", 2, 86, "Cy"), ("Bonn", 1, 20, "Bob")],
    ),
    "an aggregate of all rows": (
        "SELECT COUNT(*), MIN(age) FROM people",
        'SELECT COUNT(*), MIN("age") FROM "people"',
        "aggregates=[COUNT(*), MIN(age)])",
        [(4, 20)],
    ),
}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "trace.sql"


@pytest.fixture(params=["arrow", "spark"])
def sql(request: pytest.FixtureRequest, make_env: MakeEnv, tmp_path: Path, trace: Path) -> Sql:
    """Runs a statement and returns its rows."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, city TEXT)")
        rows = [(1, "Ada", 36, "Bern"), (2, "Bob", 20, "Bonn"), (3, "Cy", 50, "Bern"), (4, None, 40, None)]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
        connection.commit()
    env = make_env(request.param)

    def run(statement: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in env.execute_sql(statement).collect()]

    run(
        "CREATE TABLE people (id BIGINT, name STRING, age INT, city STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'sqlite', "
        f"'path' = '{tmp_path}/shop.db', 'table-name' = 'people', 'connection.trace-file' = '{trace}')"
    )
    return run


@pytest.mark.parametrize("case", CASES)
def test_pushed_operations_are_in_the_statement_for_sqlite(sql: Sql, trace: Path, case: str) -> None:
    query, asked, taken, expected = CASES[case]
    explained = sql(f"EXPLAIN {query}")[0][0]
    (scan,) = [line for line in explained.split("== Optimized Logical Plan ==")[1].splitlines() if "TableScan" in line]
    assert f"source=[sqlite({asked})]" in scan
    assert scan.endswith(taken)
    assert sorted(sql(query)) == expected
    # The query begins with a row of constants, from which the driver infers the types.
    reads = [line.partition(" UNION ALL SELECT * FROM ")[2] for line in trace.read_text().splitlines() if "UNION ALL" in line]
    assert reads == [f"({asked})"]


def test_a_lookup_sends_a_batch_of_keys_with_filters_and_columns(sql: Sql, trace: Path) -> None:
    sql("CREATE TEMPORARY VIEW orders AS SELECT k, PROCTIME() AS pt FROM (VALUES (1), (2), (3)) AS o(k)")
    query = "SELECT o.k, p.name FROM orders AS o JOIN people FOR SYSTEM_TIME AS OF o.pt AS p ON o.k = p.id AND p.age > 30"
    assert sorted(sql(query)) == [(1, "Ada"), (3, "Cy")]
    (asked,) = {line.partition(" UNION ALL SELECT * FROM ")[2] for line in trace.read_text().splitlines() if "json_each" in line}
    assert 'FROM json_each(?)) AS k CROSS JOIN "people" WHERE "people"."id" = k."$key" COLLATE BINARY' in asked
    assert '("age" > 30)' in asked
    assert '"city"' not in asked


def test_a_deletion_is_executed_by_sqlite(sql: Sql, trace: Path) -> None:
    assert "filters=[(age > 30)])" in sql("EXPLAIN DELETE FROM people WHERE age > 30")[0][0]
    assert sql("DELETE FROM people WHERE age > 30") == [(3,)]
    assert 'DELETE FROM "people" WHERE ("age" > 30)' in trace.read_text().splitlines()


# columns in SQLite, columns here, rows, conditions
KEPT_OTHERWISE = {
    "numbers in a column without a type, read as text": (
        "x",
        "x STRING",
        (5, "5", "05", "a"),
        ("x = '5'", "x > '1'", "x IN ('5')", "x LIKE '05'"),
    ),
    "numbers in a column of numbers, read as text": ("x INTEGER", "x STRING", (5, "a"), ("x = '05'", "x <> '05'", "x = '5'")),
    "booleans that are not 1": (
        "x INTEGER",
        "x BOOLEAN",
        (2, 1, 0, None),
        ("x = TRUE", "x <> FALSE", "x", "x IN (TRUE)", "NOT x", "x > FALSE"),
    ),
    "text that looks like a pattern": (
        "x TEXT",
        "x STRING",
        ("a", "A", "a%", "[a]"),
        ("x LIKE 'a'", "x NOT LIKE 'a'", "x LIKE 'a%'", "x LIKE '[a]'"),
    ),
}


@pytest.mark.parametrize("case", KEPT_OTHERWISE)
def test_values_that_sqlite_stores_differently_are_compared_by_the_engine(make_env: MakeEnv, tmp_path: Path, case: str) -> None:
    stored, declared, values, conditions = KEPT_OTHERWISE[case]
    compare_with_the_engine(make_env("arrow"), tmp_path, stored, declared, values, conditions)


def test_text_of_a_database_in_utf_16_is_ordered_by_code_points(make_env: MakeEnv, tmp_path: Path) -> None:
    conditions = ("x > 'b'", "x < '\U0001f600'", "x BETWEEN 'a' AND 'b'", "x = 'b'")
    values = ("\u0101", "b", "\U0001f600", "\uffee")
    compare_with_the_engine(make_env("arrow"), tmp_path, "x TEXT", "x STRING", values, conditions, "PRAGMA encoding = 'UTF-16le'")


def compare_with_the_engine(
    env: TableEnvironment, folder: Path, stored: str, declared: str, values: Any, conditions: tuple[str, ...], first: str = "SELECT 1"
) -> None:
    with closing(sqlite3.connect(folder / "kept.db")) as connection:
        connection.execute(first)
        connection.execute(f"CREATE TABLE t ({stored})")
        connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        connection.commit()
    env.execute_sql(f"CREATE TABLE t ({declared}) WITH ('connector' = 'sqlite', 'path' = '{folder}/kept.db', 'table-name' = 't')")
    for condition in conditions:
        found = []
        for is_pushed in ("true", "false"):
            env.get_config().set("table.optimizer.source.predicate-pushdown-enabled", is_pushed)
            found.append(sorted(row[0] for row in env.execute_sql(f"SELECT * FROM t WHERE {condition}").collect()))
        assert found[0] == found[1], condition


def test_text_lookups_in_a_numeric_column_are_refused(make_env: MakeEnv, tmp_path: Path) -> None:
    env = make_env("arrow")
    with closing(sqlite3.connect(tmp_path / "kept.db")) as connection:
        connection.execute("CREATE TABLE t (x INTEGER)")
        connection.commit()
    env.execute_sql(f"CREATE TABLE t (x STRING) WITH ('connector' = 'sqlite', 'path' = '{tmp_path}/kept.db', 'table-name' = 't')")
    query = "SELECT * FROM (SELECT '05' AS k, PROCTIME() AS pt) AS o JOIN t FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.x"
    with pytest.raises(ValidationException, match="looked up by column 'x', which is STRING, declared as INTEGER in SQLite"):
        env.execute_sql(query)
