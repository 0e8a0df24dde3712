"""Where graphs are cut, and what tasks carry to workers."""

from __future__ import annotations

import base64
import os
import pickle
import pickletools
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from all_graphs import SECRET, STATEMENTS, Graphs, operator_classes

from table_common.exceptions import TableException
from table_common.gate import Gate
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints.state_files import StateFile
from table_runtime.streaming.graph.graph import Edge, Graph, Node, Source
from table_runtime.streaming.operators.changelog_normalize import LastRowByKey
from table_runtime.streaming.operators.exchange_keys import GLOBAL, KeyColumns
from table_runtime.streaming.operators.keep_first_row import KeepFirstRow
from table_runtime.streaming.operators.stateless import BatchInput, StatelessChain
from table_runtime.streaming.operators.union import Union
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner
from table_runtime.streaming.shares.cut import OutputKey, cut
from table_runtime.streaming.shares.shared_job import SharedJob, SharedJobState
from table_runtime.streaming.shares.wire import OUTPUT, Target

MOST_BYTES = 64 << 10
SCHEMA = pa.schema([("k", pa.int64())])


def test_every_operator_is_in_a_graph_and_says_how_its_inputs_are_divided(graphs: Graphs) -> None:
    seen = set()
    for statement in STATEMENTS.values():
        for node in graphs.of(statement).nodes:
            seen.add(type(node.operator))
            for index in range(node.inputs):
                keys = node.operator.exchange_keys(index)
                assert keys is None or keys is GLOBAL or callable(keys)
    assert not set(operator_classes()) - seen


WORKER = """
import base64, builtins, pickle, sys
sys.modules["table_api"] = None  # workers do not have it
for line in sys.stdin:
    pickle.loads(base64.b64decode(line))
assert not [name for name in sys.modules if name.startswith("table_runtime.planner.")]
"""


def test_workers_read_all_graphs_without_the_planner(graphs: Graphs) -> None:
    levels = [level for statement in STATEMENTS.values() for level in cut(graphs.of(statement), 3).levels]
    lines = b"\n".join(base64.b64encode(pickle.dumps(level)) for level in levels)
    functions = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", WORKER], input=lines, capture_output=True, check=False, env={**os.environ, **functions})
    assert not done.stderr.decode()


def texts_of(content: bytes) -> set[str]:
    return {argument for _, argument, _ in pickletools.genops(content) if isinstance(argument, str)}


@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_sent_to_workers_names_neither_the_plan_nor_options_of_tables(name: str, graphs: Graphs) -> None:
    for level in cut(graphs.of(STATEMENTS[name]), 3).levels:
        content = pickle.dumps(level)
        assert not {text for text in texts_of(content) if text.startswith("table_api") or "table_runtime.planner" in text or SECRET in text}
        assert SECRET.encode() not in content
        for node in pickle.loads(content).nodes:
            state = node.operator.create_state(ExecutionContext())
            state.context = None
            assert not {text for text in texts_of(pickle.dumps(state, protocol=5)) if text.startswith("table_api")}


def test_the_closure_of_a_task_of_a_plan_of_20_nodes_is_small(graphs: Graphs) -> None:
    parts = [f"SELECT k, SUM(v) AS v, MAX(s) AS s FROM t WHERE v > {number} GROUP BY k" for number in range(6)]
    graph = graphs.of("SELECT s, COUNT(*) FROM (" + " UNION ALL ".join(f"SELECT * FROM ({part})" for part in parts) + ") GROUP BY s")
    assert len(graph.nodes) >= 20
    job = SharedJob(
        cut(graph, 8),
        Gate.location_of_program("/checkpoints/job"),
        [f"Operator#{number}" for number in range(len(graph.nodes))],
        "0123456789abcdef",
    )
    files = [
        StateFile(f"states/Operator%230/{1000 + n}-0123456789abcdef-s{n % 8}-12345-delta.arrow", False, 99999, 999999, 4294967295, n % 8, 8)
        for n in range(24)
    ]
    state = SharedJobState(job.begin().sources, {number: tuple(files) for number in range(len(graph.nodes))}, is_first=False)
    tasks = [job.source_task(7, 0), *job.share_tasks(state, 7, 1000, ())]
    assert max(len(pickle.dumps(task)) for task in tasks) <= MOST_BYTES


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("union", 3),
        ("aggregate of aggregate", 3),
        ("groups", 2),
        ("window join", 2),
        ("join of other types", 2),
        ("sessions", 3),
        ("changes as rows", 2),
        ("join of aggregates", 2),
        ("join of aggregates by another column", 3),
        ("aggregate of a join of aggregates", 3),
        ("distinct of an aggregate", 2),
        ("total of a total", 2),
        ("join of computed keys", 3),
    ],
)
def test_levels_are_exchanges_above_the_sources(name: str, levels: int, graphs: Graphs) -> None:
    found = cut(graphs.of(STATEMENTS[name]), 3)
    assert len(found.levels) == levels
    targets = [entry.target for level in found.levels for entry in level.entries]
    assert sorted(targets) == sorted(leaving.target for level in found.levels for leaving in level.exits if leaving.target.node != OUTPUT)
    for level in found.levels:
        for leaving in level.exits:
            if leaving.target.node != OUTPUT:
                assert found.level_of[leaving.target.node] > level.number


def test_an_output_that_is_divided_by_its_key_is_one_level_higher(graphs: Graphs) -> None:
    graph = graphs.of(STATEMENTS["groups"])
    assert cut(graph, 3).levels[-1].outputs == (0,)
    levels = cut(graph, 3, [OutputKey((1,))]).levels
    assert (len(levels), levels[-1].nodes, levels[-1].outputs) == (3, (), (0,))
    assert levels[-1].entries[0].target == Target(OUTPUT, 0)
    assert levels[1].outputs == ()


def grouped(*columns: int | None) -> Graph:
    """Returns a graph that keeps the last row of each value of its first column, and gives these columns of it."""
    schema = pa.schema([("k", pa.int64()), ("n", pa.int64())])
    last = LastRowByKey(schema, [0], name="Last", gives_before=True)
    leaf = BatchInput(schema)
    rows = StatelessChain(leaf, leaf, schema, has_kinds=False, origins=columns)
    return Graph(
        [Source(None, schema, has_kinds=False, edges=[Edge(0, 0)])],  # type: ignore[arg-type]
        [Node(last, 1, [Edge(1, 0)]), Node(rows, 1, [Edge(None, 0)])],
    )


@pytest.mark.parametrize(
    ("columns", "key", "shares", "levels"),
    [
        ((1, 0), OutputKey((1,)), 3, 2),  # the rows are divided by the second column
        ((1, 0), OutputKey((0, 1)), 3, 2),
        ((1, 0), OutputKey((0,)), 3, 3),
        ((1, 0), OutputKey((0,)), 1, 2),  # there is one share
        ((1, 0), OutputKey((1,), is_changed=True), 3, 3),
        ((1, None), OutputKey((1,)), 3, 3),
        ((1, 0), None, 3, 2),
    ],
)
def test_rows_that_are_divided_by_the_key_of_a_sink_are_not_divided_again(
    columns: tuple[int | None, ...], key: OutputKey | None, shares: int, levels: int
) -> None:
    assert len(cut(grouped(*columns), shares, [key]).levels) == levels


def test_rows_of_a_lower_level_come_to_a_union_of_a_higher_one() -> None:
    graph = Graph(
        [Source(None, SCHEMA, has_kinds=False, edges=[Edge(0, 0), Edge(1, 1)])],  # type: ignore[arg-type]
        [Node(KeepFirstRow(SCHEMA, [0]), 1, [Edge(1, 0)]), Node(Union(SCHEMA), 2, [Edge(None, 0)])],
    )
    first, second = cut(graph, 2).levels
    assert (first.nodes, second.numbers) == ((), (0, 1))
    assert [(leaving.target, leaving.keys) for leaving in first.exits] == [(Target(0, 0), KeyColumns((0,))), (Target(1, 1), None)]


def test_watermarks_of_rows_of_shares_are_refused() -> None:
    assigner = WatermarkAssigner(SCHEMA, 0, lambda rows: rows.column(0), interval=0, table="t", text="k")
    graph = Graph(
        [Source(None, SCHEMA, has_kinds=False, edges=[Edge(0, 0)])],  # type: ignore[arg-type]
        [Node(KeepFirstRow(SCHEMA, [0]), 1, [Edge(1, 0)]), Node(assigner, 1, [Edge(None, 0)])],
    )
    with pytest.raises(TableException, match=r"WatermarkAssigner\(k\) makes watermarks of rows that come from shares"):
        cut(graph, 2)


@pytest.mark.parametrize(
    ("statement", "levels", "divided"),
    [
        ("SELECT a.k, MAX(b.v) FROM t AS a JOIN u AS b ON a.k = b.k GROUP BY a.k", 2, (0,)),
        ("SELECT a.k, MAX(b.v) FROM t AS a LEFT JOIN u AS b ON a.k = b.k GROUP BY a.k", 2, (0,)),
        ("SELECT a.k, MAX(b.v) FROM t AS a FULL JOIN u AS b ON a.k = b.k GROUP BY a.k", 3, (0,)),
        (
            "SELECT k, COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v, s) AS r FROM t) WHERE r < 3 GROUP BY k",
            2,
            (0,),
        ),
        ("SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v, s) AS r FROM t) WHERE r < 3", 2, (0,)),
    ],
)
def test_rows_stay_in_the_share_of_a_key_that_operators_keep(statement: str, levels: int, divided: tuple[int, ...], graphs: Graphs) -> None:
    found = cut(graphs.of(statement), 4)
    assert (len(found.levels), found.divided[0]) == (levels, divided)
