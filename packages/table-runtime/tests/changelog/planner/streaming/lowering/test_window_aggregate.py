"""Aggregates of windows, from slices and from rows that are repeated for each window."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_api import TableEnvironment

ROWS = [("a", 61, 1), ("b", 72, 2), ("a", 67, 4), ("a", 59, 3), ("b", 90, 8), ("a", 64, 5), ("b", 130, 7)]
WINDOWS = ("TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)",)
WINDOWS += ("HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '20' SECOND)",)
WINDOWS += ("CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '20' SECOND)",)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/New_York"])
@pytest.mark.parametrize("time_type", ["TIMESTAMP(3)", "TIMESTAMP_LTZ(3)", "TIMESTAMP(0)"])
@pytest.mark.parametrize("window", WINDOWS)
def test_both_ways_have_the_same_results(timed_env: Callable[..., TableEnvironment], window: str, time_type: str, zone: str) -> None:
    env = timed_env(ROWS, time_type=time_type)
    env.get_config().set("table.local-time-zone", zone)
    found = []
    for last in ("", ", COUNT(DISTINCT v)"):
        query = f"SELECT window_time, window_end, k, window_start, SUM(v), COUNT(*){last} FROM TABLE({window}) GROUP BY window_start, window_end, window_time, k"
        assert ("WindowTableFunction" in env.explain_sql(query).split("== Physical Plan")[1]) is bool(last)
        with env.execute_sql(query).collect() as rows:
            found.append([tuple(row)[:6] for row in rows])
    assert found[0] == found[1]
    assert found[0]
