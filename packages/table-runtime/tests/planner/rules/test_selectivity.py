"""The share of rows that predicates keep, with and without a sample of the table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, ExplainDetail, TableEnvironment
from table_runtime.connectors import filesystem

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


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("name LIKE '%7'", 100),
        ("name = 'name 7' AND id < 500", 10),
        ("id * 2 > 1900", 49),
        ("v IS NULL", 250),
        ("CHAR_LENGTH(name) = 6 OR id = 999", 201),
    ],
)
def test_rows_of_a_small_table_are_counted(env: TableEnvironment, condition: str, rows: int) -> None:
    assert estimated(env, condition) == rows


@pytest.mark.parametrize(
    ("condition", "low", "high"),
    [
        ("id BETWEEN 100 AND 299", 190, 210),
        ("id < 100", 90, 110),
        ("100 > id", 90, 110),
        ("id = 5", 0.4, 2.5),
        ("v IS NULL", 240, 260),
        ("id IN (1, 2, 3)", 2, 4),
        ("id >= 5000", 1, 2.5),
    ],
)
def test_without_a_sample_statistics_count(env: TableEnvironment, condition: str, low: float, high: float) -> None:
    # RAND() may not be evaluated while planning, and so the condition as a whole is not.
    assert low <= estimated(env, f"{condition} AND RAND() <= 1") / 0.4 <= high


def test_a_condition_that_fails_on_a_row_is_planned(env: TableEnvironment) -> None:
    assert 1 <= estimated(env, "1 / (id - 5) > 0") <= ROWS


def test_the_files_of_a_scan_are_listed_once_per_plan(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = []
    visible_files = filesystem.visible_files
    monkeypatch.setattr(filesystem, "visible_files", lambda path: listed.append(1) or visible_files(path))
    for count in (1, 2):
        env.sql_query("SELECT id FROM t WHERE v > 5").explain(ExplainDetail.ESTIMATED_COST)
        assert len(listed) == count
