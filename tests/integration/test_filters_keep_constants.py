"""Pushed-down filters keep their constants: ``b < 1.4`` over a BIGINT column does not become ``b < 1``, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import TableEnvironment
from table_runtime.connectors.memory import drop_memory_table

MakeEnv = Callable[[str], TableEnvironment]
KEPT = {
    "b = 1.4": [],
    "b <> 1.4": [1, 2],
    "b < 1.4": [1],
    "1.4 <= b": [2],
    "NOT (b = 1.4)": [1, 2],
    "b NOT IN (1.4, 2)": [1],
    "b IN (1.4, 2.0)": [2],
    "b BETWEEN 0.5 AND 1.4": [1],
    "b IS DISTINCT FROM 1.4": [1, 2],
    "b > CAST('1.0000000000000000000000000001' AS DECIMAL(38, 37))": [2],
}
QUERY = " UNION ALL ".join(f"SELECT {number} AS n, b FROM {{t}} WHERE {condition}" for number, condition in enumerate(KEPT))


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


@pytest.mark.parametrize("engine", ["arrow", "spark"])
@pytest.mark.parametrize("source", ["parquet", "memory", "from_arrow"])
def test_integers_are_compared_with_the_decimal_constant(make_env: MakeEnv, tmp_path: Path, engine: str, source: str) -> None:
    env = make_env(engine)
    data = pa.table({"b": pa.array([1, 2], pa.int64())})
    if source == "from_arrow":
        env.create_temporary_view("t", env.from_arrow(data))
    elif source == "parquet":
        pq.write_table(data, tmp_path / "t.parquet", row_group_size=1)
        env.execute_sql(f"CREATE TABLE t (b BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'parquet')")
    else:
        env.execute_sql("CREATE TABLE t (b BIGINT) WITH ('connector' = 'memory', 'name' = 'whole')")
        env.execute_sql("INSERT INTO t VALUES (1), (2)")
    found = rows(env, QUERY.replace("{t}", "t"))
    for number, (condition, kept) in enumerate(KEPT.items()):
        assert sorted(value for at, value in found if at == number) == kept, condition
    drop_memory_table("whole")


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_a_deletion_with_a_decimal_constant_deletes_the_right_rows(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    env.execute_sql("CREATE TABLE t (b BIGINT) WITH ('connector' = 'memory', 'name' = 'whole')")
    env.execute_sql("INSERT INTO t VALUES (1), (2)")
    for condition in ("b = 1.4", "b IN (1.4, 1.5)", "b BETWEEN 1.1 AND 1.9"):
        env.execute_sql(f"DELETE FROM t WHERE {condition}")
        assert sorted(rows(env, "SELECT b FROM t")) == [(1,), (2,)], condition
    drop_memory_table("whole")
