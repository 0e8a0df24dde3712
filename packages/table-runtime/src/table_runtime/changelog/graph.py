"""The graph of a streaming job, and its run over inputs that end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass, field
from table_runtime.batches import coalesce_batches, rechunk
from table_runtime.changelog.batch import DELETE, UPDATE_BEFORE, ChangeBatch
from table_runtime.changelog.operator import AnyOperator, OperatorState, Output
from table_runtime.changelog.state.snapshots import Snapshot
from table_runtime.changelog.upkeep import StateUpkeep
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator

__all__ = ["Edge", "Graph", "GraphOutput", "GraphRun", "Node", "Source", "processing_time", "run_graph"]


def processing_time() -> int:
    """Returns the milliseconds since 1970."""
    return time.time_ns() // 1_000_000


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
    retention: int = 0
    """Minimum time in milliseconds for which untouched state is kept; 0: forever."""


@dataclass(slots=True)
class Graph:
    """A directed acyclic graph: sources in the order in which they are read, operators behind their inputs, and edges to outputs."""

    sources: list[Source] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    batch_rows: int | None = None
    """How many rows of a source are pushed at once, whole batches of the source taken together; None: each batch as it comes."""


class GraphRun:
    """One run of a graph: pushes batches depth-first, so that no batch is in flight when ``push`` returns."""

    def __init__(self, graph: Graph, context: ExecutionContext, outputs: Sequence[Output]) -> None:
        self._graph = graph
        self._context = context
        self._outputs = outputs
        self._states: list[OperatorState] = [node.operator.create_state(context) for node in graph.nodes]
        self._upkeep = [StateUpkeep(node.operator, node.retention, context) for node in graph.nodes]
        self._open_inputs = [node.inputs for node in graph.nodes]
        self._emitters: list[Output] = [partial(self._send, node.edges) for node in graph.nodes]

    def start(self) -> None:
        """Starts the operators, readers before their inputs: what an operator gives at its start reaches readers that have started."""
        for node, state, emit in reversed(list(zip(self._graph.nodes, self._states, self._emitters, strict=True))):
            node.operator.start(state, emit)

    def push(self, edges: Sequence[Edge], batch: ChangeBatch) -> None:
        """Sends a batch of a source through the graph."""
        now = processing_time()
        for number, upkeep in enumerate(self._upkeep):
            self._states[number] = upkeep.before_batch(self._states[number], now)
        self._send(edges, batch)

    def end(self, edges: Sequence[Edge]) -> None:
        """Tells the readers of a source or operator that it has ended."""
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
        return [state.snapshot(changes_only=changes_only) for state in self._states]

    def restore(self, snapshots: Sequence[Sequence[Snapshot]]) -> None:
        """Replaces the state of each operator by that of snapshots: a whole one and later ones of changes, the newest first.

        A run that is restored is not started.
        """
        for number, (node, old) in enumerate(zip(self._graph.nodes, self._states, strict=True)):
            state: OperatorState = node.operator.create_state(self._context)
            state.set_time(processing_time(), retention=node.retention)
            state.restore([snapshot[number] for snapshot in snapshots])
            state.ignored_retractions, state.has_told_of_ignored = old.ignored_retractions, old.has_told_of_ignored
            self._states[number] = state

    def is_finished(self, edges: Sequence[Edge]) -> bool:
        """Whether all readers of a source ignore what may still come."""
        return all(edge.node is not None and self._is_finished(edge.node) for edge in edges)

    def _is_finished(self, number: int) -> bool:
        node = self._graph.nodes[number]
        return node.operator.is_finished(self._states[number]) or (
            bool(node.edges) and all(edge.node is not None and self._is_finished(edge.node) for edge in node.edges)
        )

    def _send(self, edges: Sequence[Edge], batch: ChangeBatch) -> None:
        for edge in edges:
            if edge.node is None:
                self._outputs[edge.input_index](batch)
                continue
            self._context.check()
            node = self._graph.nodes[edge.node]
            state = self._states[edge.node]
            node.operator.process(batch, edge.input_index, state, self._emitters[edge.node])
            if state.ignored_retractions and not state.has_told_of_ignored:
                state.has_told_of_ignored = True
                _log_ignored(node.operator)


def run_graph(graph: Graph, context: ExecutionContext, outputs: Sequence[Output]) -> Iterator[None]:
    """Reads the sources one after the other and pushes their batches; stops after each batch, so that a reader can take what it gave."""
    run = GraphRun(graph, context, outputs)
    run.start()
    for source in graph.sources:
        batches = _batches(source, graph.batch_rows, context)
        try:
            while not run.is_finished(source.edges) and (batch := next(batches, None)) is not None:
                if batch.num_rows:
                    run.push(source.edges, _changes(source, batch))
                yield
        finally:
            close_iterator(batches)
        run.end(source.edges)
        yield


def _log_ignored(operator: AnyOperator) -> None:
    import logging  # few runs have something to log

    logging.getLogger("table_runtime.changelog").warning(
        "%s ignores the retraction of a row or value that is not there. Further ones of this operator are only counted.", operator
    )


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
