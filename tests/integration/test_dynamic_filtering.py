"""Partitions without join partners are not read: by runtime filters on the embedded engine, by dynamic partition pruning on Spark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_runtime.connectors.memory import drop_memory_table

MakeEnv = Callable[[str], TableEnvironment]

BY_DIMENSION = "SELECT f.id FROM f JOIN d ON f.k = d.k WHERE d.name = 'a' ORDER BY f.id"


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest, make_env: MakeEnv, tmp_path: Path) -> Any:
    env = make_env(request.param)
    for name, columns, keys in (("f", "id INT, k INT", "PARTITIONED BY (k)"), ("d", "k INT, name STRING", "")):
        with_ = f"'connector' = 'filesystem', 'path' = '{tmp_path / name}', 'format' = 'parquet'"
        env.execute_sql(f"CREATE TABLE {name} ({columns}) {keys} WITH ({with_})")
    env.execute_sql("CREATE TABLE m (id INT, k INT) PARTITIONED BY (k) WITH ('connector' = 'memory', 'name' = 'dynamic')")
    for name in ("f", "m"):
        env.execute_sql(f"INSERT INTO {name} VALUES (1, 1), (2, 1), (3, 2), (4, 3), (5, CAST(NULL AS INT)), (6, 4), (7, 5)")
    env.execute_sql("INSERT INTO d VALUES (1, 'a'), (2, 'b'), (CAST(NULL AS INT), 'a'), (9, 'a')")
    yield env
    drop_memory_table("dynamic")


@pytest.mark.parametrize("table", ["f", "m"])
def test_partitions_without_join_partners_are_not_read(env: TableEnvironment, table: str) -> None:
    assert [
        tuple(row) for row in env.execute_sql(BY_DIMENSION.replace("f.", f"{table}.").replace("FROM f", f"FROM {table}")).collect()
    ] == [(1,), (2,)]


def test_the_plan_shows_the_runtime_filter(env: TableEnvironment) -> None:
    text = env.explain_sql(BY_DIMENSION)
    if "Physical Plan (arrow)" in text:
        assert "dynamicFilters=[k]" in text
    else:
        assert "dynamicFilters" not in text
        assert "dynamicpruning" in text


def test_spark_plans_splits_of_other_sources_before_it_runs(env: TableEnvironment) -> None:
    text = env.explain_sql(BY_DIMENSION.replace("f.", "m.").replace("FROM f", "FROM m"))
    assert ("dynamicFilters=[k]" in text) == ("Physical Plan (arrow)" in text)
    assert "dynamicpruning" not in text
