"""Columns that are doubled level by level: each is computed once, and Spark does not inline it."""

from __future__ import annotations

from typing import Any

import pytest

from table_planner_spark.written_out import barrier


def doubled(levels: int, source: str = "(VALUES 0) AS t (a)", item: str = "a + a") -> str:
    return "SELECT a FROM " + f"(SELECT {item} AS a FROM " * levels + source + ")" * levels


@pytest.fixture
def zeros(env: Any, tmp_path: Any) -> str:
    """A table of a file with two rows of 0."""
    env.execute_sql(
        f"CREATE TEMPORARY TABLE zeros (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/z', 'format' = 'parquet')"
    )
    env.execute_sql("INSERT INTO zeros VALUES 0, 0").wait()
    return "zeros"


def test_a_doubled_constant_is_computed(run: Any) -> None:
    assert run.rows(doubled(40)) == [(0,)]


def test_a_doubled_column_is_compared(run: Any, zeros: str) -> None:
    assert run.rows(doubled(40, zeros) + " WHERE a < 1") == [(0,), (0,)]


def test_a_doubled_column_of_chosen_rows_is_computed(run: Any, zeros: str) -> None:
    assert run.rows(doubled(40, f"(SELECT * FROM {zeros} WHERE a > -1)")) == [(0,), (0,)]


def test_the_current_date_doubled_is_compared(run: Any) -> None:
    query = doubled(27, "(SELECT CURRENT_DATE AS a)", "GREATEST(a, a)")
    assert run.rows(f"SELECT COUNT(*) FROM ({query} WHERE a > DATE '2000-01-01')") == [(1,)]


def test_the_current_time_doubled_is_compared(run: Any) -> None:
    query = doubled(27, "(SELECT CURRENT_TIMESTAMP AS a)", "GREATEST(a, a)")
    assert run.rows(f"SELECT COUNT(*) FROM ({query} WHERE a > TO_TIMESTAMP_LTZ(0, 3))") == [(1,)]


def test_rows_without_a_value_keep_it(run: Any) -> None:
    rows = "(VALUES CAST(NULL AS INT), 0) AS t (a)"
    assert sorted(run.rows(doubled(27, rows) + " WHERE a IS NULL OR a < 1"), key=str) == [(0,), (None,)]


def test_a_doubled_column_is_written_to_a_table(env: Any, run: Any, tmp_path: Any) -> None:
    env.execute_sql(
        f"CREATE TEMPORARY TABLE doubled (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/d', 'format' = 'parquet')"
    )
    env.execute_sql(f"INSERT INTO doubled {doubled(40)}").wait()
    assert run.rows("SELECT a FROM doubled") == [(0,)]


def test_a_condition_on_a_small_column_still_moves_to_the_scan(env: Any, zeros: str) -> None:
    plan = env.explain_sql(f"SELECT * FROM ({doubled(3, zeros)}) WHERE a > 4")
    assert "monotonically_increasing_id" not in plan


@pytest.mark.parametrize("nullable", [True, False])
def test_a_barrier_keeps_nullability(spark: Any, nullable: bool) -> None:
    value = "CAST(a AS INT)" if not nullable else "IF(a > 5, a, NULL)"
    frame = spark.sql(f"SELECT {barrier(value, nullable=nullable)} AS b FROM VALUES (1) AS t(a)")
    assert frame.schema["b"].nullable is nullable
