"""Tests for table_runtime.planner.streaming.lowering.over_aggregate."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_api import TableEnvironment

MakeEnv = Callable[..., TableEnvironment]
Changes = Callable[[TableEnvironment, str], list[str]]

ROWS = [("a", 3, 1), ("b", 1, 2), ("a", 1, 4), ("a", 9, 8), ("b", 2, 16), ("a", 9, 32), (None, 20, 64), ("a", 4, 128)]
"""With a delay of 5 seconds the rows of seconds 2 and 4 come behind the watermark."""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("SUM(v) OVER (ORDER BY ts)", {2: 6, 4: 6, 1: 7, 8: 47, 32: 47, 64: 111}),
        (
            "SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
            {2: 2, 16: 18, 4: 4, 1: 5, 8: 9, 32: 40, 64: 64},
        ),
        ("COUNT(*) OVER (PARTITION BY k ORDER BY ts ROWS UNBOUNDED PRECEDING)", {2: 1, 4: 1, 1: 2, 8: 3, 32: 4, 64: 1}),
        ("SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL '6' SECOND PRECEDING)", {2: 2, 16: 18, 4: 4, 1: 5, 8: 41, 32: 41, 64: 64}),
        ("SUM(DISTINCT MOD(v, 4)) OVER (PARTITION BY k ORDER BY ts)", {2: 2, 4: 0, 1: 1, 8: 1, 32: 1, 64: 0}),
        ("COUNT(*) FILTER (WHERE v > 2) OVER (PARTITION BY k ORDER BY ts)", {2: 0, 4: 1, 1: 1, 8: 3, 32: 3, 64: 1}),
        ("LAG(v) OVER (PARTITION BY k ORDER BY ts)", {2: None, 4: None, 1: 4, 8: 1, 32: 8, 64: None}),
        ("LAG(v, 2, -1) OVER (PARTITION BY k ORDER BY ts)", {2: -1, 4: -1, 1: -1, 8: 4, 32: 1, 64: -1}),
        ("LAG(v, 1, v) OVER (PARTITION BY k ORDER BY ts)", {2: 2, 4: 4, 1: 4, 8: 1, 32: 8, 64: 64}),
        ("RANK() OVER (PARTITION BY k ORDER BY ts)", {2: 1, 4: 1, 1: 2, 8: 3, 32: 3, 64: 1}),
        ("DENSE_RANK() OVER (ORDER BY ts)", {2: 1, 4: 1, 1: 2, 8: 3, 32: 3, 64: 4}),
        ("ROW_NUMBER() OVER (ORDER BY ts)", {2: 1, 4: 2, 1: 3, 8: 4, 32: 5, 64: 6}),
        (
            "FIRST_VALUE(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
            {2: 2, 16: 2, 4: 4, 1: 4, 8: 1, 32: 8, 64: 64},
        ),
    ],
)
def test_each_call_is_that_over_the_rows_in_time_order(
    timed_env: MakeEnv, changes: Changes, call: str, expected: dict[int, int | None]
) -> None:
    found = changes(timed_env(ROWS), f"SELECT v, {call} AS r FROM t")
    assert sorted(found) == sorted(f"+I[{value}, {result}]" for value, result in expected.items())


def test_calls_of_several_frames_are_in_the_order_of_the_query(timed_env: MakeEnv, changes: Changes) -> None:
    sql = (
        "SELECT v, COUNT(*) OVER w, RANK() OVER w, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS 1 PRECEDING), LAG(v) OVER w "
        "FROM t WINDOW w AS (PARTITION BY k ORDER BY ts)"
    )
    assert changes(timed_env([("a", 1, 1), ("a", 3, 2), ("a", 2, 4)]), sql) == [
        "+I[1, 1, 1, 1, None]",
        "+I[4, 2, 2, 5, 1]",
        "+I[2, 3, 3, 6, 4]",
    ]


def test_rows_of_a_number_of_rows_are_late_behind_their_partition_alone(timed_env: MakeEnv, changes: Changes) -> None:
    rows = [("a", 10, 1), ("b", 30, 2), ("b", 12, 4), ("a", 9, 8), ("a", 11, 16)]
    sql = "SELECT v, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN {} PRECEDING AND CURRENT ROW) FROM t"
    assert changes(timed_env(rows), sql.format("1")) == ["+I[1, 1]", "+I[16, 17]", "+I[4, 4]", "+I[2, 6]"]


def test_rows_of_all_rows_before_are_late_behind_the_watermark(timed_env: MakeEnv, changes: Changes) -> None:
    rows = [("a", 10, 1), ("b", 30, 2), ("b", 12, 4), ("a", 11, 16)]
    sql = "SELECT v, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS UNBOUNDED PRECEDING) FROM t"
    assert changes(timed_env(rows), sql) == ["+I[1, 1]", "+I[2, 2]"]


def test_by_processing_time_each_row_is_its_own_peer(timed_env: MakeEnv, changes: Changes) -> None:
    env = timed_env([("a", 1, 1), ("a", 1, 2), ("b", 1, 4)])
    env.execute_sql("CREATE VIEW p AS SELECT k, v, PROCTIME() AS pt FROM t")
    assert changes(env, "SELECT v, SUM(v) OVER (PARTITION BY k ORDER BY pt) FROM p") == ["+I[1, 1]", "+I[2, 3]", "+I[4, 4]"]
