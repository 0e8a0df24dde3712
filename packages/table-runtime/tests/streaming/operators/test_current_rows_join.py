from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from table_runtime.batch.joins.join_output import JoinKind
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Edge, Graph, Node
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.operators.current_rows_join import CurrentRowsJoin
from table_runtime.streaming.operators.join import JoinSide

LEFT = pa.schema([("k", pa.int64()), ("a", pa.int64())])
RIGHT = pa.schema([("k2", pa.int64()), ("b", pa.int64())])
EDGES = [Edge(0, 0)], [Edge(0, 1)]


def operator(kind: JoinKind = JoinKind.LEFT, *, has_retractions: bool = True) -> CurrentRowsJoin:
    sides = (
        JoinSide(LEFT, lambda rows: [rows.column(0)], has_retractions=False),
        JoinSide(RIGHT, lambda rows: [rows.column(0)], has_retractions=has_retractions),
    )
    return CurrentRowsJoin(pa.schema([*LEFT, *RIGHT]), kind, sides, [pa.int64()], [False])


def make_run(context: ExecutionContext, given: list[Any]) -> GraphRun:
    def receive(batch: ChangeBatch) -> None:
        given.extend((row["a"], row["b"]) for row in batch.rows.to_pylist())

    return GraphRun(Graph([], [Node(operator(), 2, [Edge(None, 0)])]), context, [receive])


def test_left_rows_wait_for_the_end_of_the_right_input(context: ExecutionContext, change_batch: Callable[..., Any]) -> None:
    given: list[Any] = []
    run = make_run(context, given)
    run.push(EDGES[0], change_batch([("+I", (1, 7)), ("+I", (2, 8))], LEFT))
    run.push(EDGES[1], change_batch([("+I", (1, 70)), ("+I", (1, 71)), ("-D", (1, 70)), ("-D", (5, 5))], RIGHT))
    assert given == []
    run.end(EDGES[1])
    assert given == [(7, 71), (8, None)]
    run.push(EDGES[0], change_batch([("+I", (1, 9))], LEFT))
    assert given[2:] == [(9, 71)]


def test_left_rows_do_not_wait_for_a_right_input_without_end(context: ExecutionContext, change_batch: Callable[..., Any]) -> None:
    given: list[Any] = []
    run = make_run(context, given)
    run._graph.nodes[0].operator.waits_for_first_input = False
    run.push(EDGES[0], change_batch([("+I", (1, 7))], LEFT))
    run.push(EDGES[1], change_batch([("+I", (1, 70))], RIGHT))
    run.push(EDGES[0], change_batch([("+I", (1, 8))], LEFT))
    run.push(EDGES[1], change_batch([("-D", (1, 70))], RIGHT))
    run.push(EDGES[0], change_batch([("+I", (1, 9))], LEFT))
    assert given == [(7, None), (8, 70), (9, None)]


def test_a_row_that_is_there_twice_is_joined_twice(context: ExecutionContext, change_batch: Callable[..., Any]) -> None:
    given: list[Any] = []
    run = make_run(context, given)
    run.push(EDGES[1], change_batch([("+I", (1, 70)), ("+I", (1, 70))], RIGHT))
    run.end(EDGES[1])
    run.push(EDGES[0], change_batch([("+I", (1, 9))], LEFT))
    assert given == [(9, 70), (9, 70)]


def test_waiting_rows_and_ended_inputs_are_restored(context: ExecutionContext, change_batch: Callable[..., Any]) -> None:
    given: list[Any] = []
    run = make_run(context, given)
    run.push(EDGES[0], change_batch([("+I", (1, 7))], LEFT))
    run.push(EDGES[1], change_batch([("+I", (1, 70))], RIGHT))
    for is_over in (False, True):
        if is_over:
            run.end(EDGES[1])
            run.push(EDGES[0], change_batch([("+I", (1, 8))], LEFT))
        snapshot = run.snapshot()
        run = make_run(context, given)
        run.restore([snapshot])
    run.push(EDGES[0], change_batch([("+I", (1, 9)), ("+I", (2, 9))], LEFT))
    assert given == [(7, 70), (8, 70), (9, 70), (9, None)]
