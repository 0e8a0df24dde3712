"""GROUP BY on Spark."""

from __future__ import annotations

from typing import Any

ROWS = "(VALUES ('x', 1, 10), ('x', 2, 20), ('y', 1, 40)) AS t(k, n, v)"


def test_groups_without_aggregates_are_the_distinct_keys(run: Any) -> None:
    assert sorted(run.rows(f"SELECT k FROM {ROWS} GROUP BY k")) == [("x",), ("y",)]


def test_a_column_may_be_a_key_and_an_argument_of_grouping_sets(run: Any) -> None:
    rows = run.rows(f"SELECT n, SUM(n), GROUPING_ID(n) FROM {ROWS} GROUP BY GROUPING SETS ((n), ())")
    assert sorted(rows, key=str) == [(1, 2, 0), (2, 2, 0), (None, 4, 1)]


def test_each_aggregate_has_its_own_filter(run: Any) -> None:
    rows = run.rows(f"SELECT k, SUM(v) FILTER (WHERE n = 1), COUNT(*) FROM {ROWS} GROUP BY k")
    assert sorted(rows) == [("x", 10, 2), ("y", 40, 1)]
