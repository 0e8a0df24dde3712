"""Errors of a failing connector are the same on both engines, and nothing else is written to standard error."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableError

MakeEnv = Callable[[str], TableEnvironment]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "shop.db"
    with closing(sqlite3.connect(found)) as connection:
        connection.execute("CREATE TABLE people (id INTEGER, age ANY)")
        connection.execute("INSERT INTO people VALUES (1, 5), (2, 'xyz')")
        connection.execute("CREATE TABLE few (id INTEGER UNIQUE CHECK (id < 100))")
        connection.commit()
    return found


def failure(env: TableEnvironment, path: Path, statement: str) -> TableError:
    for table, columns in (("people", "id BIGINT, age INT"), ("few", "id BIGINT")):
        env.execute_sql(f"CREATE TABLE {table} ({columns}) WITH ('connector' = 'sqlite', 'path' = '{path}', 'table-name' = '{table}')")
    with pytest.raises(TableError) as raised:
        list(env.execute_sql(statement).collect())
    return raised.value


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("SELECT * FROM people", "Column 'age' of SQLite's table 'people' is declared as INT"),
        ("INSERT INTO few VALUES (1), (1)", "UNIQUE constraint failed: few.id"),
        ("INSERT INTO few VALUES (1000)", "CHECK constraint failed: id < 100"),
    ],
)
def test_an_error_of_a_connector_has_the_same_type_text_and_hint_on_both_engines(
    make_env: MakeEnv, path: Path, statement: str, text: str
) -> None:
    embedded, spark = (failure(make_env(planner), path, statement) for planner in ("arrow", "spark"))
    assert text in spark.message
    assert (type(spark), spark.message, spark.hint) == (type(embedded), embedded.message, embedded.hint)


def test_a_failing_program_on_spark_writes_nothing_else_to_standard_error(tmp_path: Path) -> None:
    program = f"""
from table_api import EnvironmentSettings, TableEnvironment
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").build())
env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path}/none')")
for statement in ("SELECT 1 / (a - 1) FROM (VALUES (1), (2)) AS v (a)", "SELECT * FROM t", "SELECT nothing", "SELECT CAST(a AS INT) FROM (VALUES 'x') AS v (a)"):
    try:
        list(env.execute_sql(statement).collect())
    except Exception as error:
        print(type(error).__name__)
env.close()
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert finished.stderr == ""
    assert finished.stdout.split() == ["TableRuntimeException", "TableRuntimeException", "ValidationException", "TableRuntimeException"]
