"""Batch jobs on Spark write tables of remote file systems: workers stage the files, and one journal publishes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableRuntimeException


@pytest.fixture
def env(make_env: Callable[[str], TableEnvironment]) -> TableEnvironment:
    return make_env("spark")


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A URL of fsspec's for files of this machine: workers see them, and they are written as on any other file system."""
    return f"local://{tmp_path}/tables/t"


@pytest.fixture
def table(env: TableEnvironment, url: str) -> TableEnvironment:
    env.execute_sql(
        f"CREATE TEMPORARY TABLE t (id BIGINT, d STRING) PARTITIONED BY (d) WITH ('connector' = 'filesystem', 'path' = '{url}', 'format' = 'csv')"
    )
    return env


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(query).collect() as found:
        return [tuple(row) for row in found]


def names_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_rows_are_added_and_replaced(table: TableEnvironment, tmp_path: Path) -> None:
    table.execute_sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')").wait()
    table.execute_sql("INSERT INTO t VALUES (3, 'a')").wait()
    assert rows(table, "SELECT * FROM t ORDER BY id") == [(1, "a"), (2, "b"), (3, "a")]
    table.execute_sql("INSERT OVERWRITE t SELECT id + 10, d FROM t WHERE d = 'a'").wait()
    assert rows(table, "SELECT * FROM t ORDER BY id") == [(2, "b"), (11, "a"), (13, "a")]
    assert not [name for name in names_below(tmp_path / "tables" / "t") if name.startswith(".")]


@pytest.mark.parametrize("format_", ["parquet", "json"])
def test_a_table_is_made_of_a_query_in_each_format(env: TableEnvironment, tmp_path: Path, format_: str) -> None:
    env.execute_sql(
        f"CREATE TABLE made WITH ('connector' = 'filesystem', 'path' = 'local://{tmp_path}/made', 'format' = '{format_}')"
        " AS SELECT * FROM (VALUES (1, 'x'), (2, CAST(NULL AS STRING))) AS v (a, b)"
    ).wait()
    assert rows(env, "SELECT * FROM made ORDER BY a") == [(1, "x"), (2, None)]
    assert not [name for name in names_below(tmp_path / "made") if name.startswith(".")]


def test_no_rows_make_an_empty_table(table: TableEnvironment) -> None:
    table.execute_sql("INSERT OVERWRITE t SELECT * FROM (VALUES (1, 'a')) AS v (id, d) WHERE id > 5").wait()
    assert rows(table, "SELECT * FROM t") == []


def test_a_failure_in_a_worker_leaves_the_table_as_it_was(table: TableEnvironment, tmp_path: Path) -> None:
    table.execute_sql("INSERT INTO t VALUES (1, 'a')").wait()
    before = names_below(tmp_path / "tables" / "t")
    with pytest.raises(TableRuntimeException, match="malformed"):
        table.execute_sql("INSERT INTO t SELECT CAST(d AS BIGINT), d FROM (VALUES ('1'), ('x')) AS v (d)").wait()
    assert names_below(tmp_path / "tables" / "t") == before


def test_a_file_is_no_table_to_write(table: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "t").touch()
    with pytest.raises(TableRuntimeException, match="A table that is written must be a folder"):
        table.execute_sql("INSERT INTO t VALUES (1, 'a')").wait()
