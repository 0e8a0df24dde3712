from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Edge, Graph, Node, Source
from table_runtime.streaming.graph.graph_run import GraphOutput, GraphRun
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.operators.set_operation import SetOperation
from table_runtime.streaming.operators.union import Union
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner
from table_runtime.streaming.state.snapshots import Snapshot
from table_runtime.streaming.time.watermarks import END_OF_TIME

if TYPE_CHECKING:
    from conftest import Change

SCHEMA = pa.schema([("a", pa.int64())])


class Scan(Operator):
    """Yields a batch per value, and records the reads."""

    def __init__(self, *values: int) -> None:
        super().__init__(SCHEMA)
        self.values = values
        self.read: list[int] = []

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for value in self.values:
            self.read.append(value)
            yield pa.RecordBatch.from_arrays([pa.array([value])], schema=SCHEMA)


class First(ChangelogOperator[OperatorState]):
    """Forwards one batch, and emits the value -1 at the end of its inputs."""

    def __init__(self) -> None:
        super().__init__(SCHEMA)
        self.seen = 0

    @override
    def create_state(self, context: ExecutionContext) -> OperatorState:
        return OperatorState(context)

    @override
    def exchange_keys(self, input_index: int) -> None:
        return None

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        self.seen += 1
        out(batch)

    @override
    def end_of_input(self, input_index: int, state: OperatorState, out: Output) -> None:
        out(ChangeBatch(pa.RecordBatch.from_arrays([pa.array([-1])], schema=SCHEMA)))

    @override
    def is_finished(self, state: OperatorState) -> bool:
        return self.seen == 1


def rows(graph: Graph, context: ExecutionContext, **options: bool) -> list[dict[str, int]]:
    output = GraphOutput(graph, SCHEMA, **{"has_kinds": False, **options})
    return [row for batch in output.batches(context) for row in batch.to_pylist()]


def test_sources_are_read_sequentially(context: ExecutionContext) -> None:
    graph = Graph(
        [Source(Scan(1, 2), SCHEMA, False, [Edge(0, 0)]), Source(Scan(3), SCHEMA, False, [Edge(0, 1)])],
        [Node(Union(SCHEMA), 2, [Edge(None, 0)])],
    )
    assert [row["a"] for row in rows(graph, context)] == [1, 2, 3]


def test_a_finished_operator_stops_the_reading_of_its_sources(context: ExecutionContext) -> None:
    scan = Scan(1, 2, 3)
    graph = Graph([Source(scan, SCHEMA, False, [Edge(0, 0)])], [Node(Union(SCHEMA), 1, [Edge(1, 0)]), Node(First(), 1, [Edge(None, 0)])])
    assert [row["a"] for row in rows(graph, context)] == [1, -1]
    assert scan.read == [1]


def test_a_source_with_several_consumers_is_read_once(context: ExecutionContext) -> None:
    scan = Scan(1, 2)
    graph = Graph([Source(scan, SCHEMA, False, [Edge(0, 0), Edge(0, 1)])], [Node(Union(SCHEMA), 2, [Edge(None, 0)])])
    assert [row["a"] for row in rows(graph, context)] == [1, 1, 2, 2]
    assert scan.read == [1, 2]


def test_consumers_are_started_before_their_inputs(context: ExecutionContext) -> None:
    class Starting(First):
        @override
        def start(self, state: OperatorState, out: Output) -> None:
            out(ChangeBatch(pa.RecordBatch.from_arrays([pa.array([self.seen])], schema=SCHEMA)))

        @override
        def end_of_input(self, input_index: int, state: OperatorState, out: Output) -> None:
            return

    graph = Graph([Source(Scan(), SCHEMA, False, [Edge(0, 0)])], [Node(Starting(), 1, [Edge(1, 0)]), Node(Starting(), 1, [Edge(None, 0)])])
    assert [row["a"] for row in rows(graph, context)] == [0, 0]  # the second one emitted its own row before it received that of the first


def test_update_before_becomes_a_deletion_for_upsert_sinks(
    context: ExecutionContext, change_batch: Callable[[list[Change], pa.Schema], ChangeBatch]
) -> None:
    changes = change_batch([("-U", (1,)), ("+U", (2,)), ("+I", (3,))], SCHEMA)

    class Changes(First):
        @override
        def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
            out(changes)

        @override
        def end_of_input(self, input_index: int, state: OperatorState, out: Output) -> None:
            return

    graph = Graph([Source(Scan(0), SCHEMA, False, [Edge(0, 0)])], [Node(Changes(), 1, [Edge(None, 0)])])
    given = rows(graph, context, has_kinds=True, before_is_deletion=True)
    assert [(row["a"], row["$row_kind"]) for row in given] == [(1, 3), (2, 2), (3, 0)]


class Ignoring(First):
    """Forwards all batches, and counts one ignored retraction for each."""

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        state.metrics.ignored_retractions += 1
        out(batch)

    @override
    def details(self) -> str:
        return "by=[a]"


def test_ignored_retractions_are_logged_once_per_operator(context: ExecutionContext, caplog: pytest.LogCaptureFixture) -> None:
    nodes = [Node(Ignoring(), 1, [Edge(1, 0)]), Node(Ignoring(), 1, [Edge(2, 0)]), Node(Union(SCHEMA), 1, [Edge(None, 0)])]
    graph = Graph([Source(Scan(1, 2, 3), SCHEMA, False, [Edge(0, 0)])], nodes)
    caplog.set_level(logging.WARNING, logger="table.job")
    rows(graph, context)
    # The second one also gets the batch that the first one emits at its end.
    assert [record.getMessage() for record in caplog.records] == [
        f"Ignoring(by=[a]) ignored {count} retractions: there was no such row or value to retract." for count in (3, 4)
    ]


def test_another_run_continues_from_a_snapshot(context: ExecutionContext) -> None:
    distinct = Node(SetOperation(SCHEMA, 1, "Union", keeps_duplicates=False), 1, [Edge(None, 0)])
    graph = Graph([], [distinct])
    given: list[int] = []
    outputs = [lambda changes: given.extend(changes.rows.column(0).to_pylist())]
    snapshots: list[list[Snapshot]] = []
    for values in ([3, 1], [1, 2], [2, 3, 4]):
        run = GraphRun(graph, context, outputs)
        if snapshots:
            run.restore(snapshots)
        run.push([Edge(0, 0)], ChangeBatch(pa.RecordBatch.from_arrays([pa.array(values)], schema=SCHEMA)))
        snapshots.insert(0, run.snapshot(changes_only=bool(snapshots)))
    assert given == [3, 1, 2, 4]


class Timed(First):
    """Forwards its input, and records the watermark before each row and each new watermark."""

    def __init__(self) -> None:
        super().__init__()
        self.before: list[int] = []
        self.watermarks: list[int] = []

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        self.before += [state.watermark] * batch.num_rows if batch.before is None else batch.before.tolist()
        out(batch)

    @override
    def on_watermark(self, watermark: int, state: OperatorState, out: Output) -> None:
        self.watermarks.append(watermark)

    @override
    def end_of_input(self, input_index: int, state: OperatorState, out: Output) -> None:
        return


TIMES = pa.schema([("t", pa.timestamp("us"))])


def timed(*milliseconds: int) -> ChangeBatch:
    return ChangeBatch(pa.RecordBatch.from_arrays([pa.array([1000 * time for time in milliseconds], TIMES.field(0).type)], schema=TIMES))


def of_two_inputs() -> tuple[Graph, Timed, Timed]:
    """Returns a graph of two assigners, an operator that reads both, and one that reads it."""
    both, last = Timed(), Timed()
    nodes = [
        Node(WatermarkAssigner(TIMES, 0, lambda rows: rows.column(0), interval=0, table="t"), 1, [Edge(2, number)]) for number in range(2)
    ]
    return Graph([], [*nodes, Node(both, 2, [Edge(3, 0)]), Node(last, 1, [Edge(None, 0)])]), both, last


def test_the_watermark_of_an_operator_is_the_least_of_its_inputs(context: ExecutionContext) -> None:
    graph, both, last = of_two_inputs()
    run = GraphRun(graph, context, [lambda batch: None])
    run.push([Edge(0, 0)], timed(5, 9))
    assert both.watermarks == []
    run.push([Edge(1, 0)], timed(7, 8, 20))
    run.push([Edge(0, 0)], timed(30, 3))
    assert both.watermarks == last.watermarks == [9, 20]
    run.end([Edge(0, 0)])
    assert both.watermarks == [9, 20]
    run.push([Edge(1, 0)], timed(25))
    run.end([Edge(1, 0)])
    assert both.watermarks == last.watermarks == [9, 20, 25, END_OF_TIME]


def test_the_watermark_before_a_row_is_the_least_of_its_own_and_those_of_the_other_inputs(context: ExecutionContext) -> None:
    graph, both, last = of_two_inputs()
    run = GraphRun(graph, context, [lambda batch: None])
    run.push([Edge(0, 0)], timed(5, 9))
    run.push([Edge(1, 0)], timed(7, 8, 20))
    run.push([Edge(0, 0)], timed(30, 40))
    assert both.before == [NO_WATERMARK] * 3 + [7, 8] + [9, 20]
    assert last.before == both.before


def test_a_restored_run_has_the_watermarks_of_the_snapshot(context: ExecutionContext) -> None:
    graph, both, _ = of_two_inputs()
    run = GraphRun(graph, context, [lambda batch: None])
    run.push([Edge(0, 0)], timed(5, 9))
    run.push([Edge(1, 0)], timed(7))
    snapshot = run.snapshot()
    restored = GraphRun(graph, context, [lambda batch: None])
    restored.restore([snapshot])
    restored.push([Edge(1, 0)], timed(6, 8, 50))
    assert both.before[-3:] == [7, 7, 8]
    assert both.watermarks == [7, 9]


def test_an_idle_input_does_not_hold_its_readers_back(context: ExecutionContext) -> None:
    graph, both, last = of_two_inputs()
    run = GraphRun(graph, context, [lambda batch: None])
    run.push([Edge(0, 0)], timed(5, 9))
    run.push([Edge(1, 0)], timed(7))
    run.set_idle([Edge(1, 0)], "", True)
    assert both.watermarks == last.watermarks == [7, 9]
    run.push([Edge(0, 0)], timed(30, 40))
    assert both.before[-2:] == [9, 30]
    assert both.watermarks == last.watermarks == [7, 9, 40]


def test_rows_of_an_input_that_was_idle_come_behind_the_watermark_of_the_others(context: ExecutionContext) -> None:
    graph, both, last = of_two_inputs()
    run = GraphRun(graph, context, [lambda batch: None])
    run.push([Edge(0, 0)], timed(5, 40))
    run.set_idle([Edge(1, 0)], "", True)
    run.set_idle([Edge(1, 0)], "", False)
    run.push([Edge(1, 0)], timed(8, 30, 60))
    assert both.before[-3:] == last.before[-3:] == [40, 40, 40]
    snapshot = run.snapshot()
    restored = GraphRun(graph, context, [lambda batch: None])
    restored.restore([snapshot])
    restored.push([Edge(1, 0)], timed(20))
    assert both.before[-1] == 40
    assert last.watermarks == [40]


def test_an_operator_whose_inputs_are_all_idle_is_idle_for_its_readers(context: ExecutionContext) -> None:
    both, last = Timed(), Timed()
    assigners = [
        Node(WatermarkAssigner(TIMES, 0, lambda rows: rows.column(0), interval=0, table="t"), 1, [edge])
        for edge in (Edge(3, 0), Edge(3, 1), Edge(4, 1))
    ]
    run = GraphRun(Graph([], [*assigners, Node(both, 2, [Edge(4, 0)]), Node(last, 2, [Edge(None, 0)])]), context, [lambda batch: None])
    for number, time in enumerate((5, 6, 50)):
        run.push([Edge(number, 0)], timed(time))
    assert last.watermarks == [5]
    run.set_idle([Edge(0, 0)], "", True)
    assert last.watermarks == [5, 6]
    run.set_idle([Edge(1, 0)], "", True)
    assert last.watermarks == [5, 6, 50]
    run.set_idle([Edge(1, 0)], "", False)
    run.push([Edge(2, 0)], timed(80))
    assert last.watermarks == [5, 6, 50]


def test_the_watermark_of_a_source_is_the_least_of_its_splits(context: ExecutionContext) -> None:
    reader = Timed()
    assigner = Node(WatermarkAssigner(TIMES, 0, lambda rows: rows.column(0), interval=0, table="t"), 1, [Edge(1, 0)])
    graph = Graph([], [assigner, Node(reader, 1, [Edge(None, 0)])])
    edges = [Edge(0, 0)]
    run = GraphRun(graph, context, [lambda batch: None])
    run.add_split(edges, "a")
    run.add_split(edges, "b")
    run.push(edges, timed(5, 9), "a")
    run.push(edges, timed(7, 20), "b")
    run.push(edges, timed(30, 31), "a")
    assert reader.watermarks == [9, 20]
    assert reader.before == [NO_WATERMARK, NO_WATERMARK, NO_WATERMARK, 7, 9, 20]
    restored = GraphRun(graph, context, [lambda batch: None])
    restored.restore([run.snapshot()])
    restored.push(edges, timed(29), "a")
    restored.set_idle(edges, "b", True)
    restored.end_split(edges, "b")
    restored.push(edges, timed(40), "a")
    assert reader.before[-2:] == [20, 31]
    assert reader.watermarks == [9, 20, 31, 40]
    restored.end(edges)
    assert reader.watermarks[-1] == END_OF_TIME


@pytest.mark.parametrize(("fires", "expected"), [(False, [20]), (True, [5, 9, 20])])
def test_an_operator_may_get_each_watermark_between_the_rows_of_a_batch(
    context: ExecutionContext, fires: bool, expected: list[int]
) -> None:
    first, last = Timed(), Timed()
    assigner = Node(WatermarkAssigner(TIMES, 0, lambda rows: rows.column(0), interval=0, table="t"), 1, [Edge(1, 0)])
    nodes = [assigner, Node(first, 1, [Edge(2, 0)], fires_at_each_watermark=fires), Node(last, 1, [Edge(None, 0)])]
    run = GraphRun(Graph([], nodes), context, [lambda batch: None])
    run.push([Edge(0, 0)], timed(5, 9, 3, 20))
    assert first.watermarks == last.watermarks == expected
    run.end([Edge(0, 0)])
    assert first.watermarks == last.watermarks == [*expected, END_OF_TIME]
