"""Which changes of a statement are refused, since the state would mean something else; without runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_api.operations import CollectModifyOperation, QueryOperation
from table_api.plan.optimizer import optimize_stream
from table_runtime.planner.streaming import translate_stream
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles
from table_runtime.streaming.checkpoints.state_compatibility import Verdict
from table_runtime.streaming.graph.statement_set import graph_of
from table_runtime.streaming.job.job_layout import JobLayout, layout_of
from table_runtime.streaming.job.upgrade_check import describe_upgrade, upgrade_of

LogTable = Callable[..., Path]
EVENTS = "k INT, v INT, w INT, d DECIMAL(10, 2), s VARCHAR(10), ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
OVER = "SELECT v, {} OVER (PARTITION BY k ORDER BY ts {}) AS o FROM t"
ROWS, RANGE = "ROWS BETWEEN {} PRECEDING AND CURRENT ROW", "RANGE BETWEEN INTERVAL '{}' SECOND PRECEDING AND CURRENT ROW"
TUMBLE, HOP = (
    "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '60' SECOND{})",
    "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '20' SECOND, INTERVAL '60' SECOND)",
)
CUMULATE = HOP.replace("HOP", "CUMULATE")
SESSION = "SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '{}' SECOND)"
SELF_JOIN = "SELECT {}, SUM({}) FROM t AS x JOIN t AS y ON x.k = y.k GROUP BY {}"
UNION = "SELECT a, COUNT(*) FROM (SELECT k AS a FROM t UNION ALL SELECT {} FROM u) GROUP BY a"
JOIN = "SELECT x.v, y.w FROM (SELECT k, v FROM t {}) AS x JOIN (SELECT k, w FROM u) AS y ON x.k = y.k"
TOP = "SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {}) AS r FROM t) WHERE r <= {}"
MATCH = "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES {} AS m AFTER MATCH SKIP PAST LAST ROW PATTERN ({}) DEFINE A AS {}, B AS B.v > 1)"
NESTED = "SELECT COUNT(*) FROM (SELECT k, SUM(v) AS a FROM t GROUP BY k) WHERE a > {}"

GROUPED = NESTED.replace("SELECT COUNT(*)", "SELECT a, COUNT(*)") + " GROUP BY a"


def windows(window: str) -> str:
    return f"SELECT k, COUNT(*) FROM TABLE({window}) GROUP BY k, window_start, window_end"


def windows_of_others(window: str) -> str:
    """An aggregate that is none of windows: the window is one of its keys' columns."""
    return f"SELECT window_start, COUNT(*) FROM TABLE({window}) GROUP BY window_start"


REFUSED = {
    # OVER windows
    "fewer rows of a frame": (
        OVER.format("SUM(v)", ROWS.format(4)),
        OVER.format("SUM(v)", ROWS.format(2)),
        "lower=WindowBound(kind=PRECEDING, offset=2",
    ),
    "another function": (OVER.format("SUM(v)", ROWS.format(4)), OVER.format("MAX(v)", ROWS.format(4)), "its calls was [SUM("),
    "RANGE to ROWS": (OVER.format("SUM(v)", RANGE.format(4)), OVER.format("SUM(v)", ROWS.format(4)), "unit=RANGE"),
    "another column": (OVER.format("SUM(v)", ROWS.format(4)), OVER.format("SUM(w)", ROWS.format(4)), "t.w"),
    # windows
    "a shorter window": (
        windows(TUMBLE.format("")),
        windows(TUMBLE.format("").replace("60", "10")),
        "its window was TumbleWindow(size=60000)",
    ),
    "an offset": (windows(TUMBLE.format("")), windows(TUMBLE.format(", INTERVAL '5' SECOND")), "offset=5000"),
    "another slide": (windows(HOP), windows(HOP.replace("'20'", "'30'")), "HopWindow(slide=30000, size=60000)"),
    "another kind of window": (windows(HOP), windows(CUMULATE), "CumulateWindow"),
    "another gap": (windows(SESSION.format(5)), windows(SESSION.format(9)), "SessionWindow(gap=9000)"),
    "windows as columns": (windows_of_others(TUMBLE.format("")), windows_of_others(TUMBLE.format("").replace("60", "10")), "size=10000"),
    # self-joins
    "the other side's key": (
        SELF_JOIN.format("x.v", "x.w", "x.v"),
        SELF_JOIN.format("y.v", "x.w", "y.v"),
        "2/default_catalog.default_database.t.v",
    ),
    "the other side's argument": (
        SELF_JOIN.format("x.v", "x.w", "x.v"),
        SELF_JOIN.format("x.v", "y.w", "x.v"),
        "SUM(2/default_catalog.default_database.t.w)",
    ),
    # UNION
    "a column of the second input": (UNION.format("k"), UNION.format("v"), "t.k | default_catalog.default_database.u.v"),
    "an input less": (UNION.format("k"), "SELECT k, COUNT(*) FROM t GROUP BY k", "u.k"),
    # what is below
    "a join below": (
        "SELECT x.v, COUNT(*) FROM t AS x JOIN u AS y ON x.k = y.k GROUP BY x.v",
        "SELECT x.v, COUNT(*) FROM t AS x JOIN u AS y ON x.k = y.v GROUP BY x.v",
        "the rows of its inputs were",
    ),
    "elements of another array": (
        "SELECT k, COUNT(*) FROM t CROSS JOIN UNNEST(ARRAY[v, w]) AS a (e) GROUP BY k",
        "SELECT k, COUNT(*) FROM t CROSS JOIN UNNEST(ARRAY[v]) AS a (e) GROUP BY k",
        "the rows of its inputs were",
    ),
    "a condition on rows that are updated": (NESTED.format(3), NESTED.format(2), "where GREATER_THAN("),
    # others
    "a higher limit": (TOP.format("v", 2), TOP.format("v", 3), "its end was 2 and is 3"),
    "another order": (TOP.format("v", 2), TOP.format("v DESC", 2), "its order by was"),
    "another pattern": (MATCH.format("A.v", "A B", "A.v < 3"), MATCH.format("A.v", "A+ B", "A.v < 3"), "its pattern was"),
    "another definition": (MATCH.format("A.v", "A B", "A.v < 3"), MATCH.format("A.v", "A B", "A.w < 3"), "its definitions was"),
    "another measure": (MATCH.format("A.v", "A B", "A.v < 3"), MATCH.format("B.v", "A B", "A.v < 3"), "its measures was"),
}
USED = {
    "an alias": (OVER.format("SUM(v)", ROWS.format(4)), OVER.format("SUM(v)", ROWS.format(4)).replace("AS o", "AS total")),
    "a condition on rows that are only inserted": (JOIN.format(""), JOIN.format("WHERE v > 3")),
    "a condition below a window": (
        windows(TUMBLE.format("")),
        windows(TUMBLE.format("").replace("TABLE t", "(SELECT * FROM t WHERE v > 1)")),
    ),
    "a window that begins in the same way": (windows(TUMBLE.format("")), windows(TUMBLE.format(", INTERVAL '0' SECOND"))),
    "a condition above": (GROUPED.format(3), f"SELECT * FROM ({GROUPED.format(3)}) AS q (v, n) WHERE n > 5"),
    "an expression above": (
        SELF_JOIN.format("x.v", "x.w", "x.v"),
        f"SELECT a + 1, b FROM ({SELF_JOIN.format('x.v', 'x.w', 'x.v')}) AS q (a, b)",
    ),
}
WIDER = {
    "a DISTINCT aggregate": "SELECT k, COUNT(DISTINCT d), COUNT(DISTINCT s) FROM t GROUP BY k",
    "a key": "SELECT d, s, COUNT(*) FROM t GROUP BY d, s",
    "a join": "SELECT x.d, y.s FROM t AS x JOIN t AS y ON x.d = y.d",
    "a part of a key": "SELECT UPPER(s), COUNT(*) FROM t GROUP BY UPPER(s)",
}


@pytest.fixture
def layout(env: TableEnvironment, log_table: LogTable) -> Callable[..., JobLayout]:
    """Returns what a job over a query consists of; ``events`` are the columns of the tables."""

    def make(query: str, events: str = EVENTS) -> JobLayout:
        for name in "tu":
            env.execute_sql(f"DROP TABLE IF EXISTS {name}")
            log_table(env, name, events)
        session: Any = env.session
        operation = session.parse(query)
        assert isinstance(operation, QueryOperation)
        plan = optimize_stream([CollectModifyOperation(operation)], session, session.planner)
        assert plan is not None
        (root,) = translate_stream(plan, session.planner._lowering_context()).inputs
        return layout_of(graph_of(root), ["o"])

    return make


def manifest(layout: JobLayout) -> Manifest:
    texts = [str(node.operator) for node in layout.nodes]
    states = {
        name: OperatorFiles((), (), layout.signatures.get(name), text, layout.operator_ids[name])
        for name, text in zip(layout.operators, texts, strict=True)
    }
    return Manifest("job", 3, "run", 0, 0, {}, states, {}, {}, 0, layout.scans)


@pytest.mark.parametrize("change", REFUSED)
def test_state_that_would_mean_something_else_is_not_used(change: str, layout: Callable[..., JobLayout]) -> None:
    before, after, text = REFUSED[change]
    old, new = manifest(layout(before)), layout(after)
    upgrade = upgrade_of(old, new)
    assert not upgrade.is_possible
    assert text in describe_upgrade(old, new, upgrade)


@pytest.mark.parametrize("change", USED)
def test_changes_that_do_not_matter_are_taken(change: str, layout: Callable[..., JobLayout]) -> None:
    before, after = USED[change]
    old, new = manifest(layout(before)), layout(after)
    upgrade = upgrade_of(old, new)
    assert {claim.verdict for claim in upgrade.claims} == {Verdict.EQUAL}, describe_upgrade(old, new, upgrade)


@pytest.mark.parametrize("kept", WIDER)
def test_types_may_be_wider(kept: str, layout: Callable[..., JobLayout]) -> None:
    old, new = (
        manifest(layout(WIDER[kept])),
        layout(WIDER[kept], EVENTS.replace("(10, 2)", "(12, 2)").replace("VARCHAR(10)", "VARCHAR(20)")),
    )
    assert upgrade_of(old, new).is_possible
    assert any(claim.verdict is Verdict.COMPATIBLE for claim in upgrade_of(old, new).claims)


def test_a_type_within_a_key_is_not_wider_if_its_text_is_another(layout: Callable[..., JobLayout]) -> None:
    query = "SELECT CAST(d AS STRING), COUNT(*) FROM t GROUP BY CAST(d AS STRING)"
    old = manifest(layout(query))
    assert upgrade_of(old, layout(query, EVENTS.replace("(10, 2)", "(12, 2)"))).is_possible
    assert not upgrade_of(old, layout(query, EVENTS.replace("(10, 2)", "(12, 3)"))).is_possible


def test_windows_of_another_time_zone_are_others(env: TableEnvironment, layout: Callable[..., JobLayout]) -> None:
    events = EVENTS.replace("TIMESTAMP(3)", "TIMESTAMP_LTZ(3)")
    old = manifest(layout(windows(TUMBLE.format("")), events))
    env.get_config().set("table.local-time-zone", "Asia/Kolkata")
    new = layout(windows(TUMBLE.format("")), events)
    assert "its timeZone was UTC and is Asia/Kolkata" in describe_upgrade(old, new, upgrade_of(old, new))


def test_an_older_signature_is_used_if_the_statement_is_the_same(layout: Callable[..., JobLayout]) -> None:
    query = OVER.format("SUM(v)", ROWS.format(4))
    given = layout(query)
    now = manifest(given)
    states = {name: state if state.signature is None else _older(state) for name, state in now.states.items()}
    old = Manifest("job", 3, "run", 0, 0, {}, states, {}, {}, 0, given.scans)
    assert upgrade_of(old, layout(query)).is_possible
    changed = layout(OVER.format("SUM(v)", ROWS.format(2)))
    assert "it is used only if the statement is the same" in describe_upgrade(old, changed, upgrade_of(old, changed))


def _older(state: OperatorFiles) -> OperatorFiles:
    return OperatorFiles((), (), {"operator": "OverAggregate", "details": "", "inputs": []}, state.text, state.operator_id)


def test_a_nested_field_is_no_column_that_has_its_name(env: TableEnvironment, layout: Callable[..., JobLayout], tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    env.execute_sql(
        f"CREATE TABLE f (r ROW<x INT, y INT>, r_x INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'f'}', 'format' = 'parquet')"
    )
    nested, plain = (layout(f"SELECT {column}, COUNT(*) FROM f GROUP BY {column}") for column in ("f.r.x", "r_x"))
    assert not upgrade_of(manifest(nested), plain).is_possible
    (signature,) = nested.signatures.values()
    assert signature["keys"] == [["default_catalog.default_database.f.r.x", "INT"]]
