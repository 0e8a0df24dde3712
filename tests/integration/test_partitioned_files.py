"""Partitioned file tables: partition pruning, TRUNCATE, CREATE TABLE AS and REPLACE TABLE AS."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment

MakeEnv = Callable[[str], TableEnvironment]
Sql = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(params=["arrow", "spark"])
def sql(request: pytest.FixtureRequest, make_env: MakeEnv, tmp_path: Path) -> Sql:
    """Runs a statement and returns its rows; ``PATH`` stands for a folder."""
    env = make_env(request.param)

    def run(statement: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in env.execute_sql(statement.replace("PATH", str(tmp_path))).collect()]

    run(
        "CREATE TABLE p (id INT, `day` DATE, kind STRING) PARTITIONED BY (`day`, kind) "
        "WITH ('connector' = 'filesystem', 'path' = 'PATH/p', 'format' = 'parquet')"
    )
    run(
        "INSERT INTO p VALUES (1, DATE '2020-01-01', 'a'), (2, DATE '2020-01-01', 'b:c'), (3, DATE '2020-01-02', 'a'), "
        "(4, CAST(NULL AS DATE), 'a')"
    )
    return run


def plan(sql: Sql, query: str) -> str:
    text: str = sql(f"EXPLAIN {query}")[0][0]
    return text.split("== Optimized Logical Plan ==")[1].split("== Physical")[0]


@pytest.mark.parametrize(
    ("condition", "ids", "shown"),
    [
        ("`day` = DATE '2020-01-01'", [1, 2], "partitions=[day=2020-01-01/kind=a, day=2020-01-01/kind=b:c]"),
        ("kind LIKE 'b%' AND id > 0", [2], "partitions=[day=2020-01-01/kind=b:c]"),
        ("`day` IS NULL", [4], "partitions=[day=NULL/kind=a]"),
        ("EXTRACT(DAY FROM `day`) = 2", [3], "partitions=[day=2020-01-02/kind=a]"),
        ("kind = 'nothing'", [], "Values(rows=[0]"),
        ("`day` > DATE '2020-01-01' OR id = 1", [1, 3], "fields=[id, day]"),
    ],
)
def test_only_matching_partitions_are_read(sql: Sql, condition: str, ids: list[int], shown: str) -> None:
    query = f"SELECT id FROM p WHERE {condition}"
    assert shown in plan(sql, query)
    assert sql(f"{query} ORDER BY id") == [(i,) for i in ids]


def test_other_partitions_need_not_be_readable(sql: Sql, tmp_path: Path) -> None:
    (broken,) = (tmp_path / "p" / "day=2020-01-02").rglob("*.parquet")
    broken.write_bytes(b"no parquet")
    assert sql("SELECT id FROM p WHERE `day` = DATE '2020-01-01' ORDER BY id") == [(1,), (2,)]


def test_truncate_removes_the_files(sql: Sql, tmp_path: Path) -> None:
    assert sql("TRUNCATE TABLE p") == [("OK",)]
    assert sql("SELECT COUNT(*) FROM p") == [(0,)]
    assert not list((tmp_path / "p").rglob("*.parquet"))


@pytest.mark.parametrize("atomic", ["true", "false"])
def test_create_table_as_writes_files(sql: Sql, atomic: str, tmp_path: Path) -> None:
    sql(f"SET 'table.rtas-ctas.atomicity-enabled' = '{atomic}'")
    sql("CREATE TABLE q WITH ('connector' = 'filesystem', 'path' = 'PATH/q', 'format' = 'csv') AS SELECT id FROM p")
    assert sql("SELECT id FROM q ORDER BY id") == [(1,), (2,), (3,), (4,)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p", "q"]


@pytest.mark.parametrize("atomic", ["true", "false"])
def test_a_table_is_replaced_by_a_query_over_its_own_files(sql: Sql, atomic: str, tmp_path: Path) -> None:
    sql(f"SET 'table.rtas-ctas.atomicity-enabled' = '{atomic}'")
    sql(
        "REPLACE TABLE p PARTITIONED BY (kind) WITH ('connector' = 'filesystem', 'path' = 'PATH/p', 'format' = 'parquet') "
        "AS SELECT id * 10 AS id, kind FROM p WHERE id < 3"
    )
    assert sql("SELECT * FROM p ORDER BY id") == [(10, "a"), (20, "b:c")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p"]


@pytest.mark.parametrize("atomic", ["true", "false"])
def test_a_failed_create_table_as_leaves_no_files_and_no_table(sql: Sql, atomic: str, tmp_path: Path) -> None:
    sql(f"SET 'table.rtas-ctas.atomicity-enabled' = '{atomic}'")
    with pytest.raises(Exception, match=r"(?i)zero"):
        sql("CREATE TABLE q WITH ('connector' = 'filesystem', 'path' = 'PATH/q', 'format' = 'csv') AS SELECT 1 / (id - id) AS x FROM p")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p"]
    assert ("q",) not in sql("SHOW TABLES")
