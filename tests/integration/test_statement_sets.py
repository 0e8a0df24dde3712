"""Statement sets of streaming mode on the embedded engine: one job reads each table once."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError


@pytest.fixture
def env(tmp_path: Path) -> TableEnvironment:
    result = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    (tmp_path / "n.csv").write_text("".join(f"{i % 7},{i}\n" for i in range(1000)))
    result.execute_sql(
        f"CREATE TABLE n (k BIGINT, v BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/n.csv', 'format' = 'csv')"
    )
    for name, columns in {
        "big": "k BIGINT, v BIGINT",
        "twice": "v BIGINT",
        "counts": "k BIGINT PRIMARY KEY NOT ENFORCED, c BIGINT",
    }.items():
        result.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'memory', 'name' = '{tmp_path}/{name}')")
    return result


INSERTS = {
    "big": "SELECT k, v FROM n WHERE v > 990",
    "twice": "SELECT v + v FROM n",
    "counts": "SELECT k, COUNT(*) FROM n WHERE v >= 500 GROUP BY k",
}


def rows(env: TableEnvironment, table: str) -> list[tuple[object, ...]]:
    with env.execute_sql(f"SELECT * FROM {table}").collect() as found:
        return sorted(tuple(row) for row in found)


def test_the_tables_equal_those_of_sequential_inserts(env: TableEnvironment) -> None:
    statements = env.create_statement_set()
    for table, query in INSERTS.items():
        statements.add_insert_sql(f"INSERT INTO {table} {query}")
    assert statements.explain().split("== Physical")[1].count("ScanFiles(") - statements.explain().count("Reused(ScanFiles(") == 1
    statements.execute().wait()
    together = {table: rows(env, table) for table in INSERTS}
    assert together["big"] == [(i % 7, i) for i in sorted(range(991, 1000), key=lambda i: (i % 7, i))]
    assert together["twice"] == [(2 * i,) for i in range(1000)]
    assert together["counts"] == [(k, sum(1 for i in range(500, 1000) if i % 7 == k)) for k in range(7)]


def test_two_inserts_into_one_table(env: TableEnvironment) -> None:
    statements = env.create_statement_set()
    statements.add_insert_sql("INSERT INTO twice SELECT v FROM n WHERE v < 3").add_insert_sql(
        "INSERT INTO twice SELECT v FROM n WHERE v < 2"
    )
    statements.execute().wait()
    assert rows(env, "twice") == [(0,), (0,), (1,), (1,), (2,)]


def test_a_failed_insert_changes_no_table(env: TableEnvironment) -> None:
    statements = env.create_statement_set()
    statements.add_insert_sql(f"INSERT INTO big {INSERTS['big']}")
    statements.add_insert_sql("INSERT INTO twice SELECT 1 / (v - 999) FROM n")
    with pytest.raises(TableError, match="zero"):
        statements.execute().wait()
    assert rows(env, "big") == rows(env, "twice") == []


def test_printed_changes_have_their_kinds(env: TableEnvironment, capfd: pytest.CaptureFixture[str]) -> None:
    env.execute_sql("CREATE TABLE shown (k BIGINT, c BIGINT) WITH ('connector' = 'print')")
    env.execute_sql("INSERT INTO shown SELECT k, COUNT(*) FROM n WHERE v IN (0, 1, 7) GROUP BY k").wait()
    assert capfd.readouterr().out.splitlines() == ["+I[0, 1]", "+I[1, 1]", "-U[0, 1]", "+U[0, 2]"]
