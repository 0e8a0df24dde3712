"""A small table with a sample, and what is estimated of its rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, ExplainDetail, TableEnvironment

ROWS = 1_000


@pytest.fixture
def sampled_env(tmp_path: Path) -> TableEnvironment:
    columns = {"id": range(ROWS), "name": [f"name {i % 50}" for i in range(ROWS)], "v": [None if i % 4 == 0 else i for i in range(ROWS)]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    made = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    made.execute_sql(
        f"CREATE TABLE t (id BIGINT, name STRING, v BIGINT) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}')"
    )
    return made


@pytest.fixture
def estimated(sampled_env: TableEnvironment) -> Callable[[str], float]:
    """Gives a function that returns the estimated number of rows of ``t`` that a condition keeps."""

    def rows(condition: str) -> float:
        plan = sampled_env.sql_query(f"SELECT id, name, v FROM t WHERE {condition}").explain(ExplainDetail.ESTIMATED_COST)
        (line,) = [line for line in plan.splitlines() if "Filter(" in line and "rowcount" in line]
        return float(line.rpartition("rowcount=[")[2].partition("]")[0])

    return rows
