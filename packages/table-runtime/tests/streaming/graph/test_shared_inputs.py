from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.batch.joins.join_output import JoinKind
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Edge, Graph, Node
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.graph.shared_inputs import SharedInputs
from table_runtime.streaming.operators.interval_join import IntervalJoin
from table_runtime.streaming.operators.join import JoinSide
from table_runtime.streaming.operators.over import Over
from table_runtime.streaming.operators.union import Union
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Change

SCHEMA = pa.schema([("k", pa.int64()), ("t", pa.timestamp("us")), ("id", pa.int64())])
BOTH = pa.schema([*SCHEMA, ("k2", pa.int64()), ("t2", pa.timestamp("us")), ("id2", pa.int64())])
DELAY = 3


def assigner(edges: Sequence[Edge]) -> Node:
    def values(rows: pa.RecordBatch) -> pa.Array:
        return pa.array(np.asarray(rows.column(1).cast(pa.int64())) - DELAY * 1000).cast(SCHEMA.field(1).type)

    return Node(WatermarkAssigner(SCHEMA, 1, values, interval=0, table="t"), 1, list(edges))


def join(bounds: tuple[int, int] = (0, 0), kind: JoinKind = JoinKind.INNER) -> IntervalJoin:
    side = JoinSide(SCHEMA, lambda rows: [rows.column(0)], has_retractions=False)
    return IntervalJoin(BOTH, kind, (side, side), [pa.int64()], [False], (1, 1), bounds)


@pytest.fixture
def pushed(context: ExecutionContext, change_batch: Callable[[Sequence[Change], pa.Schema], ChangeBatch]) -> Any:
    def run(graph: Graph, rows: Sequence[tuple[Any, ...]], size: int) -> list[tuple[Any, ...]]:
        given: list[tuple[Any, ...]] = []

        def receive(batch: ChangeBatch) -> None:
            given.extend(zip(batch.rows.column("id").to_pylist(), batch.rows.column("id2").to_pylist(), strict=True))

        runner = GraphRun(graph, context, [receive])
        for start in range(0, len(rows), size):
            changes = [("+I", (key, time * 1000, number)) for key, time, number in rows[start : start + size]]
            runner.push([Edge(0, 0)], change_batch(changes, SCHEMA))
        runner.end([Edge(0, 0)])
        return sorted(given, key=repr)

    return run


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bounds", [(-5, 5), (0, 0), (2, 9), (-9, -2), (-9, 3), (-2, 0)])
@pytest.mark.parametrize("kind", [JoinKind.INNER, JoinKind.FULL])
def test_a_self_join_does_not_depend_on_batches(bounds: tuple[int, int], kind: JoinKind, pushed: Any) -> None:
    for seed in rounds(8):
        chance = random.Random(f"{bounds} {seed}")
        time, rows = 100, []
        for number in range(80):
            time += chance.choice([0, 0, 1, 2, 4])
            rows.append((chance.choice([1, 2]), time - chance.choice([0, 0, 0, 4, 9, 25]), number))
        graph = Graph([], [assigner([Edge(1, 0), Edge(1, 1)]), Node(join(bounds, kind), 2, [Edge(None, 0)])])
        one_by_one = pushed(graph, rows, 1)
        assert pushed(graph, rows, 3) == one_by_one, f"seed {seed}"
        assert pushed(graph, rows, 80) == one_by_one, f"seed {seed}"


def test_rows_in_time_are_one_part_and_each_late_row_begins_another() -> None:
    graph = Graph([], [assigner([Edge(1, 0), Edge(1, 1)]), Node(join((-5, 5)), 2, [Edge(None, 0)])])
    times = np.array([100, 200, 150, 300, 301, 120, 130, 400])
    rows = pa.RecordBatch.from_arrays([pa.array(times), pa.array(times * 1000, SCHEMA.field(1).type), pa.array(times)], schema=SCHEMA)
    before = np.maximum.accumulate(np.append(0, times[:-1] - DELAY))
    parts = SharedInputs(graph.nodes).parts(0, ChangeBatch(rows, None, before))
    assert [part.rows.column(0).to_pylist() for part in parts] == [[100, 200], [150, 300, 301], [120], [130, 400]]


def test_a_late_row_of_a_self_join_does_not_find_itself(pushed: Any) -> None:
    graph = Graph([], [assigner([Edge(1, 0), Edge(1, 1)]), Node(join((-5, 5)), 2, [Edge(None, 0)])])
    assert pushed(graph, [(1, 100, 1), (1, 90, 2), (1, 101, 3)], 3) == [(1, 1), (1, 3), (3, 1), (3, 3)]


def test_inputs_of_other_tables_and_of_delayed_watermarks_bound_the_watermark() -> None:
    own = [assigner([Edge(2, 0), Edge(2, 1)]), assigner([Edge(2, 2)]), Node(Union(SCHEMA), 3, [Edge(None, 0)])]
    assert [list(SharedInputs(own).others(2, index)) for index in range(3)] == [[2], [2], [0, 1]]
    delayed = [
        assigner([Edge(1, 0), Edge(1, 1), Edge(2, 0)]),
        Node(join((-9, 9)), 2, [Edge(2, 1)]),
        Node(Union(SCHEMA), 2, [Edge(None, 0)]),
    ]
    assert [list(SharedInputs(delayed).others(2, index)) for index in range(2)] == [[1], []]
    through = [assigner([Edge(1, 0), Edge(2, 0)]), Node(Over(SCHEMA, SCHEMA, (), 1, ()), 1, [Edge(2, 1)]), Node(Union(SCHEMA), 2, [])]
    assert [list(SharedInputs(through).others(2, index)) for index in range(2)] == [[], []]


def test_batches_are_cut_only_for_operators_that_need_it(change_batch: Any) -> None:
    changes = change_batch([("+I", (1, time * 1000, time)) for time in (100, 101, 90, 110, 111, 112)], SCHEMA)
    changes.before = np.array([90, 97, 98, 98, 107, 108])
    direct = [assigner([Edge(1, 0), Edge(1, 1)]), Node(join((-5, 5)), 2, [Edge(None, 0)])]
    assert [part.num_rows for part in SharedInputs(direct).parts(0, changes)] == [2, 4]
    single = [assigner([Edge(1, 0)]), assigner([Edge(1, 1)]), Node(join((-5, 5)), 2, [])]
    single[0].edges[0], single[1].edges[0] = Edge(2, 0), Edge(2, 1)
    assert [part.num_rows for part in SharedInputs(single).parts(0, changes)] == [6]
