"""The graph of a streaming job, and its run over inputs that end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass, field
from table_runtime.batches import coalesce_batches, rechunk
from table_runtime.changelog.batch import DELETE, UPDATE_BEFORE, ChangeBatch
from table_runtime.changelog.clock import RunClock
from table_runtime.changelog.operator import AnyOperator, OperatorState, Output
from table_runtime.changelog.shared_inputs import SharedInputs
from table_runtime.changelog.state.snapshots import Snapshot
from table_runtime.changelog.upkeep import StateUpkeep
from table_runtime.changelog.watermarks import END_OF_TIME, NO_WATERMARK
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator

__all__ = ["Edge", "Graph", "GraphOutput", "GraphRun", "Node", "Source", "run_graph"]


@dataclass(frozen=True, slots=True)
class Edge:
    """Where the changes of a source or of an operator go: the input of another operator, or (``node`` None) an output of the graph."""

    node: int | None
    input_index: int


@dataclass(slots=True)
class Source:
    """A scan. With ``has_kinds`` its last column is the number of the change (see ``numbered_changes``); ``schema`` is that of the others."""

    scan: Operator
    schema: pa.Schema
    has_kinds: bool
    edges: list[Edge] = field(default_factory=list)


@dataclass(slots=True)
class Node:
    """An operator, how many inputs it has, and the edges to its readers."""

    operator: AnyOperator
    inputs: int
    edges: list[Edge] = field(default_factory=list)
    retentions: tuple[int, ...] = (0,)
    """How many milliseconds untouched state is kept, 0 for ever: one number, or one per input for an operator that keeps its inputs apart."""
    follows_clock: bool = False
    """Whether the operator's time is processing time: the clock of the run is its watermark, which is 1 ms behind the clock."""


@dataclass(slots=True)
class Graph:
    """A directed acyclic graph: sources in the order in which they are read, operators behind their inputs, and edges to outputs."""

    sources: list[Source] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    batch_rows: int | None = None
    """How many rows of a source are pushed at once, whole batches of the source taken together; None: each batch as it comes."""
    clock: RunClock = field(default_factory=RunClock)
    """Processing time; also that of the expressions of the operators."""


class GraphRun:
    """One run of a graph: pushes batches depth-first, so that no batch is in flight when ``push`` returns."""

    def __init__(self, graph: Graph, context: ExecutionContext, outputs: Sequence[Output]) -> None:
        self._graph = graph
        self._context = context
        self._outputs = outputs
        self._states: list[OperatorState] = [node.operator.create_state(context) for node in graph.nodes]
        for number, (node, state) in enumerate(zip(graph.nodes, self._states, strict=True), 1):
            context.metrics.add(f"{node.operator.name}[{number}]", node.operator.__str__, state.metrics)
        self._upkeep = [StateUpkeep(node.operator, node.retentions, context) for node in graph.nodes]
        self._open_inputs = [node.inputs for node in graph.nodes]
        self._watermarks = [[NO_WATERMARK] * node.inputs for node in graph.nodes]
        self._forwarded = [NO_WATERMARK] * len(graph.nodes)
        self._shared = SharedInputs(graph.nodes)
        self._by_clock = [number for number, node in enumerate(graph.nodes) if node.follows_clock]
        self._emitters: list[Output] = [
            partial(self._send_parts, number) if node.operator.assigns_watermarks else partial(self._send, node.edges)
            for number, node in enumerate(graph.nodes)
        ]

    def start(self) -> None:
        """Starts the operators, readers before their inputs: what an operator gives at its start reaches readers that have started."""
        for node, state, emit in reversed(list(zip(self._graph.nodes, self._states, self._emitters, strict=True))):
            node.operator.start(state, emit)

    def push(self, edges: Sequence[Edge], batch: ChangeBatch) -> None:
        """Sends a batch of a source through the graph."""
        self._advance_clock()
        self._send(edges, batch)

    def end(self, edges: Sequence[Edge]) -> None:
        """Tells the readers of a source or operator that it has ended, and event time with it."""
        if self._by_clock:
            self._advance_clock()
        self._advance(edges, END_OF_TIME)
        waiting = deque(edges)
        while waiting:
            edge = waiting.popleft()
            if edge.node is None:
                continue
            node = self._graph.nodes[edge.node]
            node.operator.end_of_input(edge.input_index, self._states[edge.node], self._emitters[edge.node])
            self._open_inputs[edge.node] -= 1
            if not self._open_inputs[edge.node]:
                waiting.extend(node.edges)

    def snapshot(self, *, changes_only: bool = False) -> list[Snapshot]:
        """Returns the state of each operator, between two pushes."""
        return [
            state.snapshot(changes_only=changes_only)._replace(watermarks=(self._forwarded[number], *self._watermarks[number]))
            for number, state in enumerate(self._states)
        ]

    def restore(self, snapshots: Sequence[Sequence[Snapshot]]) -> None:
        """Replaces the state of each operator by that of snapshots: a whole one and later ones of changes, the newest first.

        A run that is restored is not started.
        """
        for number, (node, old) in enumerate(zip(self._graph.nodes, self._states, strict=True)):
            state: OperatorState = node.operator.create_state(self._context)
            state.set_time(self._graph.clock.advance(), node.retentions)
            state.restore([snapshot[number] for snapshot in snapshots])
            state.count_on(old)
            newest = snapshots[0][number].watermarks
            if newest:
                self._forwarded[number], *self._watermarks[number] = newest
                state.ended_inputs = {index for index, watermark in enumerate(self._watermarks[number]) if watermark == END_OF_TIME}
                if not node.follows_clock:  # the clock may have moved on
                    state.watermark = min(self._watermarks[number])
            self._states[number] = state

    def is_finished(self, edges: Sequence[Edge]) -> bool:
        """Whether all readers of a source ignore what may still come."""
        return all(edge.node is not None and self._is_finished(edge.node) for edge in edges)

    def _is_finished(self, number: int) -> bool:
        node = self._graph.nodes[number]
        return node.operator.is_finished(self._states[number]) or (
            bool(node.edges) and all(edge.node is not None and self._is_finished(edge.node) for edge in node.edges)
        )

    def _advance_clock(self) -> None:
        """Sets the time of the next batch: operators that follow the clock come to the last millisecond before it."""
        now = self._graph.clock.advance()
        for number, upkeep in enumerate(self._upkeep):
            self._states[number] = upkeep.before_batch(self._states[number], now)
        for number in self._by_clock:
            self._reach(number, now - 1)

    def _reach(self, number: int, time: int) -> bool:
        """Tells an operator that its time has come to ``time``; returns whether that is news."""
        state = self._states[number]
        if time <= state.watermark:
            return False
        self._context.check()
        self._graph.nodes[number].operator.on_watermark(time, state, self._emitters[number])
        state.watermark = time
        return True

    def _advance(self, edges: Sequence[Edge], watermark: int) -> None:
        """Sends a watermark to the readers of a source or operator."""
        for edge in edges:
            if edge.node is None:
                continue
            inputs = self._watermarks[edge.node]
            inputs[edge.input_index] = watermark
            least = min(inputs)
            if watermark == END_OF_TIME:
                self._states[edge.node].ended_inputs.add(edge.input_index)
            if NO_WATERMARK < least < END_OF_TIME:
                self._states[edge.node].metrics.watermark = least
            if self._graph.nodes[edge.node].follows_clock:
                # Differs from Flink: at the end of the input the windows of processing time that have not ended yet are emitted. Flink drops them.
                if least == END_OF_TIME:
                    self._reach(edge.node, END_OF_TIME)
                self._forward(edge.node)
            elif self._reach(edge.node, least):
                self._forward(edge.node)

    def _forward(self, number: int) -> None:
        """Sends the watermark of an operator's output to its readers if it has risen."""
        node = self._graph.nodes[number]
        watermark = min(self._watermarks[number]) if node.follows_clock else node.operator.output_watermark(self._states[number])
        if watermark > self._forwarded[number]:
            self._forwarded[number] = watermark
            self._advance(node.edges, watermark)

    def _send_parts(self, assigner: int, batch: ChangeBatch) -> None:
        for part in self._shared.parts(assigner, batch):
            self._send(self._graph.nodes[assigner].edges, part)

    def _send(self, edges: Sequence[Edge], batch: ChangeBatch) -> None:
        for edge in edges:
            if edge.node is None:
                self._outputs[edge.input_index](batch)
                continue
            self._context.check()
            node = self._graph.nodes[edge.node]
            state = self._states[edge.node]
            received = ChangeBatch(batch.rows, batch.kinds) if node.follows_clock else batch
            if received.before is not None and (others := self._shared.others(edge.node, edge.input_index)):
                inputs = self._watermarks[edge.node]
                received = ChangeBatch(batch.rows, batch.kinds, np.minimum(received.before, min(inputs[other] for other in others)))
            state.metrics.rows_in += received.num_rows
            node.operator.process(received, edge.input_index, state, self._emitters[edge.node])
            if node.operator.assigns_watermarks:
                self._forward(edge.node)

    def meets_by_clock(self, edges: Sequence[Edge]) -> bool:
        """Whether rows of a source with these edges meet rows of other inputs at an operator that follows the clock."""
        return any(node.follows_clock and node.inputs > 1 for node, _ in self._above(edges))

    def is_read_first(self, edges: Sequence[Edge]) -> bool:
        """Whether an operator wants the end of a source with these edges before its other inputs."""
        return any(node.operator.input_to_read_first == input_index for node, input_index in self._above(edges))

    def _above(self, edges: Sequence[Edge]) -> Iterator[tuple[Node, int]]:
        """Yields the operators that rows of a source with these edges reach, each with the input by which they do."""
        waiting, seen = deque(edges), set[Edge]()
        while waiting:
            edge = waiting.popleft()
            if edge.node is None or edge in seen:
                continue
            seen.add(edge)
            node = self._graph.nodes[edge.node]
            yield node, edge.input_index
            waiting.extend(node.edges)

    def watermark_of(self, edges: Sequence[Edge]) -> int | None:
        """Returns the watermark of a source with these edges; None if none is assigned to its rows."""
        found: list[int] = []
        waiting, seen = deque(edges), set()
        while waiting:
            edge = waiting.popleft()
            if edge.node is None or edge.node in seen:
                continue
            seen.add(edge.node)
            if self._graph.nodes[edge.node].operator.assigns_watermarks:
                found.append(self._forwarded[edge.node])
            else:
                waiting.extend(self._graph.nodes[edge.node].edges)
        return min(found, default=None)


def run_graph(graph: Graph, context: ExecutionContext, outputs: Sequence[Output]) -> Iterator[None]:
    """Reads the sources and pushes their batches; stops after each batch, so that a reader can take what it emitted.

    Sources are read one after the other. If an operator waits for the watermarks of several inputs, sources with event time are read
    together, always the one whose watermark is least, so that no input runs ahead and state stays small. Sources whose rows meet by processing
    time are read in turn, a batch of each. Sources whose rows an operator wants first are read before all others.
    """
    run = GraphRun(graph, context, outputs)
    run.start()
    waits = any(node.operator.waits_for_watermarks and node.inputs > 1 and not node.follows_clock for node in graph.nodes)
    first = [source for source in graph.sources if run.is_read_first(source.edges)]
    for source in first:
        yield from _read([source], run, graph, context)
    rest = [source for source in graph.sources if all(source is not one for one in first)]
    with_time = [source for source in rest if waits and run.watermark_of(source.edges) is not None]
    others = [source for source in rest if all(source is not one for one in with_time)]
    in_turn = [source for source in others if run.meets_by_clock(source.edges)]
    for source in others:
        if all(source is not one for one in in_turn):
            yield from _read([source], run, graph, context)
    yield from _read(in_turn, run, graph, context, in_turn=True)
    yield from _read(with_time, run, graph, context)
    context.log_warnings()


def _read(sources: Sequence[Source], run: GraphRun, graph: Graph, context: ExecutionContext, *, in_turn: bool = False) -> Iterator[None]:
    """Reads some sources to their ends, in turn or always the one with the least watermark."""
    reading = deque((source, _batches(source, graph.batch_rows, context)) for source in sources)
    try:
        while reading:
            number = 0
            if len(reading) > 1 and not in_turn:
                number = min(range(len(reading)), key=lambda i: run.watermark_of(reading[i][0].edges) or 0)
            source, batches = reading[number]
            batch = None if run.is_finished(source.edges) else next(batches, None)
            if batch is None:
                close_iterator(batches)
                del reading[number]
                run.end(source.edges)
            elif batch.num_rows:
                run.push(source.edges, _changes(source, batch))
                context.report_losses()
            if in_turn and batch is not None:
                reading.rotate(-1)
            yield
    finally:
        for _, batches in reading:
            close_iterator(batches)


class GraphOutput(Operator):
    """An output of a graph as batches; with ``has_kinds`` the kind of each row is the last column. Reading the only output runs the graph.

    With ``before_is_deletion``, rows before updates have the kind of deletions.
    """

    def __init__(self, graph: Graph, schema: pa.Schema, *, has_kinds: bool, before_is_deletion: bool = False) -> None:
        super().__init__(schema)
        self.graph = graph
        self._has_kinds = has_kinds
        self._before_is_deletion = before_is_deletion

    def batch_of(self, changes: ChangeBatch) -> pa.RecordBatch:
        """Returns changes that reach this output as a batch."""
        if not self._has_kinds:
            return changes.rows
        if self._before_is_deletion and changes.kinds is not None:
            changes = ChangeBatch(changes.rows, np.where(changes.kinds == UPDATE_BEFORE, np.int8(DELETE), changes.kinds))
        return changes.with_kind_column()

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        ready: deque[pa.RecordBatch] = deque()
        for _ in run_graph(self.graph, context, [lambda changes: ready.append(self.batch_of(changes))]):
            while ready:
                yield ready.popleft()


def _batches(source: Source, rows: int | None, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
    batches = source.scan.batches(context)
    if rows is None:
        yield from batches
        return
    try:
        for run in coalesce_batches(batches, rows):
            whole = rechunk(run, source.scan.schema)
            for start in range(0, whole.num_rows, rows):
                yield whole.slice(start, rows)
    finally:
        close_iterator(batches)


def _changes(source: Source, batch: pa.RecordBatch) -> ChangeBatch:
    return ChangeBatch.of_numbered(batch, source.schema) if source.has_kinds else ChangeBatch(batch)
