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


def test_group_windows_emit_early_and_late_results_if_options_say_so(timed_env: Callable[..., TableEnvironment]) -> None:
    env = timed_env([("a", 61, 1), ("a", 67, 4), ("b", 72, 2), ("b", 90, 8), ("a", 64, 5)])
    query = "SELECT k, SUM(v), COUNT(*) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '10' SECOND)"
    emit = "table.exec.emit."

    def changes() -> list[str]:
        with env.execute_sql(query).collect() as rows:
            return [f"{row.get_row_kind().short_string}{list(row)}" for row in rows]

    assert changes() == ["+I['a', 5, 2]", "+I['b', 2, 1]", "+I['b', 8, 1]"]
    env.get_config().set(f"{emit}early-fire.enabled", "true").set(f"{emit}early-fire.delay", "0 s")
    early = ["+I['a', 1, 1]", "-U['a', 1, 1]", "+U['a', 5, 2]", "+I['b', 2, 1]", "+I['b', 8, 1]"]
    assert changes() == early
    assert "emit=[early no delay]" in env.explain_sql(query)
    env.get_config().set(f"{emit}late-fire.enabled", "true").set(f"{emit}late-fire.delay", "0 s").set(f"{emit}allow-lateness", "1 min")
    assert changes() == [*early, "-U['a', 5, 2]", "+U['a', 10, 3]"]
