"""Which aggregates of windows are computed from slices, and from which rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_api import TableEnvironment

ROWS = [("a", 1, 1), ("b", 12, 2), ("a", 7, 4), ("a", 30, 8)]
WINDOW = "window_start, window_end"
HOP = "TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))"
CASCADE = f"SELECT {WINDOW}, COUNT(*) AS n FROM (SELECT {WINDOW}, k FROM {HOP} GROUP BY {WINDOW}, k) GROUP BY {WINDOW}"


def lines(env: TableEnvironment, sql: str) -> str:
    return env.explain_sql(sql).split("== Physical Plan")[1]


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT {WINDOW}, k, COUNT(*) FROM {HOP} GROUP BY {WINDOW}, k",
        f"SELECT {WINDOW}, k || 'x', SUM(v + 1), AVG(v), MIN(v), MAX(ts) FROM {HOP} GROUP BY {WINDOW}, k || 'x'",
        f"SELECT {WINDOW}, window_time, COUNT(*) FILTER (WHERE v > 1) FROM {HOP} WHERE v > 0 GROUP BY {WINDOW}, window_time",
        f"SELECT {WINDOW}, k, COUNT(*) FROM {HOP} GROUP BY GROUPING SETS (({WINDOW}, k), ({WINDOW}))",
        "SELECT k, HOP_END(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND), SUM(v) FROM t GROUP BY k, HOP(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
    ],
)
def test_these_aggregates_read_each_row_once(timed_env: Callable[..., TableEnvironment], sql: str) -> None:
    assert "WindowTableFunction" not in lines(timed_env(ROWS), sql)


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT {WINDOW}, COUNT(DISTINCT k) FROM {HOP} GROUP BY {WINDOW}",
        f"SELECT {WINDOW}, LISTAGG(k) FROM {HOP} GROUP BY {WINDOW}",
        f"SELECT {WINDOW}, MAX(window_time) FROM {HOP} GROUP BY {WINDOW}",
        f"SELECT {WINDOW}, COUNT(*) FILTER (WHERE window_end > ts + INTERVAL '7' SECOND) FROM {HOP} GROUP BY {WINDOW}",
        f"SELECT {WINDOW}, COUNT(*) FROM {HOP} WHERE window_start < ts GROUP BY {WINDOW}",
        f"SELECT {WINDOW}, window_time, COUNT(*) FROM {HOP} GROUP BY GROUPING SETS (({WINDOW}, window_time), ({WINDOW}))",
        f"SELECT {WINDOW}, d, COUNT(*) FROM (SELECT *, EXTRACT(SECOND FROM window_end) AS d FROM {HOP}) GROUP BY {WINDOW}, d",
    ],
)
def test_these_aggregates_read_each_row_for_each_window(timed_env: Callable[..., TableEnvironment], sql: str) -> None:
    assert "WindowTableFunction" in lines(timed_env(ROWS), sql)


def test_a_window_of_which_another_query_reads_the_rows_too(timed_env: Callable[..., TableEnvironment]) -> None:
    env = timed_env(ROWS, delay=60)
    env.execute_sql(f"CREATE TEMPORARY VIEW w AS SELECT k, v, {WINDOW} FROM {HOP}")
    counts = f"SELECT 0 AS which, k, CAST(COUNT(*) AS INT) AS n FROM w GROUP BY {WINDOW}, k"
    found = [tuple(row) for row in env.execute_sql(f"{counts} UNION ALL SELECT 1, k, v FROM w WHERE v > 4").collect()]
    assert sorted(found) == [(0, "a", 1)] * 4 + [(0, "a", 2)] + [(0, "b", 1)] * 2 + [(1, "a", 8)] * 2


def test_windows_of_windows(timed_env: Callable[..., TableEnvironment]) -> None:
    found: Any = timed_env(ROWS).execute_sql(f"SELECT CAST(window_end AS STRING), n FROM ({CASCADE})").collect()
    ends = ["00:05", "00:10", "00:15", "00:20", "00:35", "00:40"]
    assert [tuple(row) for row in found] == [(f"2024-01-01 00:{end}.000", 2 if end == "00:15" else 1) for end in ends]
