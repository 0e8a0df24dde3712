"""Predicates that are counted in a sample of a table are counted once."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, ExplainDetail, TableEnvironment
from table_runtime.planner.rules import sample_counts

ROWS = 1_000


@pytest.fixture
def env(tmp_path: Path) -> TableEnvironment:
    columns = {"id": range(ROWS), "name": [f"name {i % 50}" for i in range(ROWS)], "v": [None if i % 4 == 0 else i for i in range(ROWS)]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    made = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    made.execute_sql(
        f"CREATE TABLE t (id BIGINT, name STRING, v BIGINT) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}')"
    )
    return made


def estimated(env: TableEnvironment, condition: str) -> float:
    plan = env.sql_query(f"SELECT id, name, v FROM t WHERE {condition}").explain(ExplainDetail.ESTIMATED_COST)
    (line,) = [line for line in plan.splitlines() if "Filter(" in line and "rowcount" in line]
    return float(line.rpartition("rowcount=[")[2].partition("]")[0])


def test_a_predicate_is_counted_once_until_its_file_changes(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    counted = []
    evaluated = sample_counts._evaluated
    monkeypatch.setattr(sample_counts, "_evaluated", lambda *arguments: counted.append(1) or evaluated(*arguments))
    condition = "id < 210 AND name LIKE '%3'"
    assert (estimated(env, condition), estimated(env, condition), len(counted)) == (21, 21, 1)
    assert estimated(env, "id < 310 AND name LIKE '%3'") == 31
    pq.write_table(pa.table({"id": range(10), "name": ["3"] * 10, "v": range(10)}), tmp_path / "t.parquet")
    assert (estimated(env, condition), len(counted)) == (10, 3)


def test_a_predicate_with_an_array_is_counted(env: TableEnvironment) -> None:
    assert estimated(env, "ARRAY_CONTAINS(ARRAY[3, 5, 2000], id)") == 2


def test_only_the_counts_used_last_are_kept(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_counts, "MOST_COUNTS", 3)
    assert [estimated(env, f"id < {n} AND v IS NOT NULL") for n in range(4, 44, 4)] == list(range(3, 33, 3))
    assert len(sample_counts._counts) == 3
