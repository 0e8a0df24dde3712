"""Tests for table_runtime.planner.streaming.event_time: which rows carry the watermark before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from table_api import TableEnvironment
from table_api.operations import QueryOperation
from table_common.tree import preorder
from table_runtime.planner.streaming import translate
from table_runtime.streaming.graph import graph_run

MakeEnv = Callable[..., TableEnvironment]

WINDOW = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
OVER = "SUM(v) OVER (ORDER BY ts)"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT k, v FROM t WHERE v > 1", []),
        ("SELECT k, COUNT(*) FROM t GROUP BY k", []),
        (f"SELECT k, window_start FROM {WINDOW} WHERE v > 1", []),
        (
            f"SELECT COUNT(*) FROM {WINDOW} WHERE v > 1 GROUP BY window_start, window_end",
            ["Filter", "WatermarkAssigner", "WindowTableFunction"],
        ),
        (f"SELECT {OVER} FROM (SELECT ts, v + 1 AS v FROM t)", ["Project", "WatermarkAssigner"]),
        (f"SELECT {OVER} FROM (SELECT ts, v FROM t UNION ALL SELECT ts, v FROM t)", ["Union", "WatermarkAssigner"]),
        ("SELECT k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM t) WHERE n = 1", ["WatermarkAssigner"]),
        ("SELECT k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM t) WHERE n = 1", []),
        ("SELECT CURRENT_WATERMARK(ts) FROM t WHERE v > 1", ["Filter", "WatermarkAssigner"]),
    ],
)
def test_rows_carry_their_watermark_below_operators_that_read_it(
    timed_env: MakeEnv, sql: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    search = translate.nodes_with_watermarks

    def recorded(roots: Sequence[QueryOperation]) -> set[int]:
        ids = search(roots)
        found.extend(sorted({node.summary_name for root in roots for node in preorder(root, QueryOperation) if id(node) in ids}))
        return ids

    monkeypatch.setattr(translate, "nodes_with_watermarks", recorded)
    timed_env([("a", 1, 1)]).explain_sql(sql)
    assert found == expected


MATCHES = "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES MATCH_ROWTIME() AS rt PATTERN (A) DEFINE A AS v > 0)"
LAST_ROWS = "SELECT *, SUM(v) OVER (ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t"
COUNTS = f"SELECT window_time AS ts, COUNT(*) AS v FROM {WINDOW} GROUP BY window_start, window_end, window_time"


NEWEST = "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY s ORDER BY ts DESC) AS r FROM ({})) WHERE r = 1"


@pytest.mark.parametrize(
    ("function", "query", "time", "expected"),
    [
        ("TUMBLE", MATCHES, "rt", ["MatchRecognize"]),
        ("TUMBLE", LAST_ROWS, "ts", ["OverAggregate"]),
        ("TUMBLE", f"SELECT *, {OVER} AS s FROM t", "ts", []),
        ("TUMBLE", COUNTS, "ts", []),
        ("TUMBLE", NEWEST.format(f"SELECT *, {OVER} AS s FROM t"), "ts", ["OverAggregate"]),
        ("TUMBLE", NEWEST.format("SELECT *, v AS s FROM t"), "ts", []),
        ("SESSION", COUNTS, "ts", ["WindowAggregate"]),
        ("SESSION", "SELECT ts, v FROM t", "ts", []),
        ("", LAST_ROWS, "", []),
    ],
)
def test_operators_get_each_watermark_if_a_reader_depends_on_it(
    timed_env: MakeEnv, function: str, query: str, time: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    run_graph = graph_run.run_graph

    def run(plan: graph_run.Graph, context: Any, outputs: Any) -> Iterator[None]:
        found.extend(node.operator.name for node in plan.nodes if node.fires_at_each_watermark)
        return run_graph(plan, context, outputs)

    monkeypatch.setattr(graph_run, "run_graph", run)
    window = f"TABLE({function}(({query}), DESCRIPTOR({time}), INTERVAL '7' SECOND))"
    sql = f"SELECT COUNT(*), MAX(s) FROM {window} GROUP BY window_start, window_end" if function else query
    sql = sql if "AS s" in query else sql.replace(", MAX(s)", "")
    list(timed_env([("a", 1, 1)]).execute_sql(sql).collect())
    assert found == expected


FEW = "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS n FROM t) WHERE n <= 2"
LATE = [("a", 1, 5), ("b", 2, 5), ("a", 30, 9), ("b", 3, 1), ("a", 4, 0)]
"""The last two rows are late by the watermark after the third one."""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * FROM t LIMIT 5", [("+I", 0, 2), ("+I", 30, 1)]),
        # the second row of a is retracted by a late one, when the window is open
        (FEW, [("+I", 0, 2)]),
        (f"SELECT ts, v FROM ({FEW}) WHERE v > 0", [("+I", 0, 2)]),
    ],
)
def test_rows_of_results_are_late_by_the_watermark_before_the_row_that_made_them(
    timed_env: MakeEnv, query: str, expected: list[tuple[str, int, int]]
) -> None:
    env = timed_env(LATE)
    window = f"TABLE(TUMBLE(({query}), DESCRIPTOR(ts), INTERVAL '10' SECOND))"
    sql = f"SELECT SECOND(window_start), COUNT(*) FROM {window} GROUP BY window_start, window_end"
    with env.execute_sql(sql).collect() as rows:
        assert [(str(row.get_row_kind()), row[0], row[1]) for row in rows] == expected


def test_window_time_has_milliseconds_also_over_seconds(timed_env: MakeEnv) -> None:
    env = timed_env([("a", 1, 1)], time_type="TIMESTAMP(0)")
    window = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '0.5' SECOND))"
    (row,) = env.execute_sql(
        f"SELECT CAST(window_time AS STRING), COUNT(*) FROM {window} GROUP BY window_start, window_end, window_time"
    ).collect()
    assert list(row) == ["2024-01-01 00:00:01.499", 1]
