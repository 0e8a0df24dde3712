"""Tests for table_runtime.planner.streaming.rows: chains of nodes with kinds and watermarks in hidden columns."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_api import TableEnvironment

MakeEnv = Callable[..., TableEnvironment]
Changes = Callable[[TableEnvironment, str], list[str]]

ROWS = [("a", 10, 1), ("b", 30, 2), ("a", 11, 3), ("a", 40, None), (None, 29, 5)]
"""With a delay of 5 seconds the watermark after the second row is second 25, after the fourth second 35."""


def test_a_filter_a_projection_and_a_window_function_keep_the_watermark_before_each_row(timed_env: MakeEnv, changes: Changes) -> None:
    sql = "SELECT SECOND(window_start) AS s, SUM(w) AS w FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"
    env = timed_env(ROWS)
    env.execute_sql("CREATE VIEW v AS SELECT ts, v * 10 AS w FROM t WHERE v IS NOT NULL")
    # The third row, of second 11, comes behind second 25, the last one, of second 29, behind second 35.
    assert changes(env, sql) == ["+I[10, 10]", "+I[30, 20]"]


def test_elements_of_an_array_have_the_watermark_of_their_row(timed_env: MakeEnv, changes: Changes) -> None:
    env = timed_env(ROWS)
    env.execute_sql("CREATE VIEW u AS SELECT ts, e FROM t CROSS JOIN UNNEST(ARRAY[v, 100]) AS x(e)")
    sql = "SELECT SECOND(window_start) AS s, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"
    assert changes(env, sql) == ["+I[10, 2]", "+I[30, 2]", "+I[40, 2]"]


def test_late_rows_are_told_by_current_watermark(timed_env: MakeEnv, changes: Changes) -> None:
    env = timed_env(ROWS)
    assert changes(env, "SELECT v, SECOND(CURRENT_WATERMARK(ts)) FROM t") == [
        "+I[1, None]",
        "+I[2, 5]",
        "+I[3, 25]",
        "+I[None, 25]",
        "+I[5, 35]",
    ]
    assert changes(env, "SELECT v FROM t WHERE CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts)") == [
        "+I[1]",
        "+I[2]",
        "+I[None]",
    ]


@pytest.mark.parametrize(
    ("time_type", "expected"),
    [("TIMESTAMP_LTZ(3)", "TIMESTAMP_LTZ(3)"), ("TIMESTAMP(0)", "TIMESTAMP(3)"), ("TIMESTAMP_LTZ(1)", "TIMESTAMP_LTZ(3)")],
)
def test_current_watermark_is_a_timestamp_in_milliseconds(timed_env: MakeEnv, changes: Changes, time_type: str, expected: str) -> None:
    env = timed_env(ROWS, time_type=time_type)
    assert changes(env, "SELECT TYPEOF(CURRENT_WATERMARK(ts)), CAST(CURRENT_WATERMARK(ts) AS STRING) FROM t WHERE v = 2") == [
        f"+I['{expected}', '2024-01-01 00:00:05.000']"
    ]


def test_current_watermark_in_a_window_function_chain_is_read_behind_a_filter(timed_env: MakeEnv, changes: Changes) -> None:
    env = timed_env(ROWS)
    sql = (
        "SELECT v, SECOND(CURRENT_WATERMARK(ts)) AS w, SECOND(window_end) AS e FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
        "WHERE v > 1"
    )
    assert changes(env, sql) == ["+I[2, 5, 40]", "+I[3, 25, 20]", "+I[5, 35, 30]"]


def test_rows_of_changes_keep_kind_and_watermark(timed_env: MakeEnv, changes: Changes) -> None:
    env = timed_env(ROWS)
    env.execute_sql("CREATE VIEW n AS SELECT k, MAX(v) AS m FROM t GROUP BY k")
    assert changes(env, "SELECT k, m + 1 FROM n WHERE m > 1") == ["+I['b', 3]", "+U['a', 4]", "+I[None, 6]"]
