"""Tests for table_runtime.planner.streaming.event_time: which rows carry the watermark before them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from table_api import TableEnvironment
from table_api.operations import QueryOperation
from table_common.tree import preorder
from table_runtime.planner.streaming import translate

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
