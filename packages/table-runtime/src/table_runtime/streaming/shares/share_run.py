"""The run of one level of a graph: rows and watermarks come from other tasks, and leave for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Edge
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.operators.exchange_keys import Division
from table_runtime.streaming.operators.operator import OperatorState
from table_runtime.streaming.operators.operator_metrics import OperatorMetrics
from table_runtime.streaming.shares.cut import Level
from table_runtime.streaming.shares.wire import OUTPUT, Mark, Target
from table_runtime.streaming.time.watermarks import END_OF_TIME

LevelReceiver = Callable[[int, ChangeBatch], None]
"""Gets the rows that leave a level, with the place of their exit."""


class ShareRun(GraphRun):
    """A run of one level. Rows enter by ``enter``, watermarks by ``advance``; rows that leave go to ``receive``, and ``mark_of`` says which watermarks leave."""

    def __init__(self, level: Level, context: ExecutionContext, receive: LevelReceiver) -> None:
        self._level = level
        self._receive = receive
        self._left: list[list[int]] = [[] for _ in level.exits]
        self.passed: set[int] = set()
        """The watermarks before rows of a source, if nodes above depend on them."""
        super().__init__(level.graph, context, [self._leave(place) for place in range(len(level.exits))])
        self._others = level.others
        if level.number:
            # The rows of an epoch come input by input: a row must find those of the other inputs that came before it.
            for place, node in enumerate(level.graph.nodes):
                self._ignores_before[place] |= node.operator.order_slack is not None

    def _leave(self, place: int) -> Callable[[ChangeBatch], None]:
        node = self._level.exits[place].node
        notes = self._level.notes_watermarks

        def leave(batch: ChangeBatch) -> None:
            if notes and batch.before is None and node is not None and self._forwarded[node] > NO_WATERMARK:
                # A reader in this process would know the watermark in force.
                batch = ChangeBatch(batch.rows, batch.kinds, np.full(batch.num_rows, self._forwarded[node]))
            self._receive(place, batch)

        return leave

    @property
    def states(self) -> list[OperatorState]:
        """The states of the nodes, by their places."""
        return self._states

    def set_states(self, states: Sequence[OperatorState]) -> None:
        """Takes the states of a run that this one continues; they start their counters at zero."""
        for state in states:
            state.metrics = OperatorMetrics()
            state.context = self._context
        self._states[:] = states

    def set_watermarks(self, place: int, watermarks: Sequence[int], idle_inputs: Sequence[int] = ()) -> None:
        """Sets the watermarks of a node, as ``watermarks`` returns them, and which of its inputs are idle."""
        if not watermarks:
            return
        node, state = self._graph.nodes[place], self._states[place]
        self._forwarded[place], least, *inputs = watermarks
        self._watermarks[place].restore(least, dict(enumerate(inputs)))
        self._open_inputs[place] = sum(watermark != END_OF_TIME for watermark in inputs)
        state.ended_inputs = {index for index, watermark in enumerate(inputs) if watermark == END_OF_TIME}
        if not node.follows_clock:
            state.watermark = least
        for index in idle_inputs:
            self._watermarks[place].set_idle(index, True)
        self._is_idle[place] = self._watermarks[place].is_idle

    def idle_inputs(self) -> list[list[int]]:
        """Returns which inputs of each node are idle."""
        return [inputs.idle for inputs in self._watermarks]

    def note_checks(self, last: int) -> None:
        """Says when the run that this one continues looked for expired state."""
        for expiry in self._expiry:
            expiry.note_check(last)

    def start_share(self, share: int) -> None:
        """Starts the operators; those over all rows, which may emit a row before their first input, in the share 0 only."""
        for node, state, emit in reversed(list(zip(self._graph.nodes, self._states, self._emitters, strict=True))):
            if not share or any(node.operator.exchange_keys(index) is not Division.GLOBAL for index in range(node.inputs)):
                node.operator.start(state, emit)

    def entry(self, target: Target) -> Sequence[Edge]:
        """Returns the edges of a target: none if it is an output."""
        return () if target.node == OUTPUT else (Edge(self._level.place_of(target.node), target.input_index),)

    def enter(self, edges: Sequence[Edge], batch: ChangeBatch) -> None:
        """Takes rows of an edge from a lower level. Unlike ``push`` it leaves the clock alone."""
        if not self._level.cuts_at_watermarks or batch.before is None:
            self._send(edges, batch)
            return
        changes = np.flatnonzero(batch.before[1:] != batch.before[:-1]) + 1
        for start, end in zip([0, *changes.tolist()], [*changes.tolist(), batch.num_rows], strict=True):
            if batch.before[start] > NO_WATERMARK:
                self._advance(edges, int(batch.before[start]))
            self._send(edges, batch.slice(start, end - start))

    def advance(self, edges: Sequence[Edge], mark: Mark) -> None:
        """Takes the watermark of an edge from lower levels: the last one of a mark."""
        if mark.is_idle:
            self._set_idle(edges, True)
            return
        (watermark,) = mark.watermarks[-1:] or (NO_WATERMARK,)
        if watermark == END_OF_TIME:
            open_edges = [edge for edge in edges if edge.node is not None and edge.input_index not in self._states[edge.node].ended_inputs]
            if open_edges:
                self.end(open_edges)
        elif watermark > NO_WATERMARK:
            self._advance(edges, watermark)

    @property
    def fires_at_each_watermark(self) -> bool:
        """Whether nodes of the level get all watermarks of a mark, one by one."""
        return self._level.notes_watermarks

    def mark_of(self, exit_place: int) -> Mark | None:
        """Returns the watermark after the rows that left by an exit; None if there is no event time."""
        node = self._level.exits[exit_place].node
        if node is None or self._forwarded[node] == NO_WATERMARK:
            return None
        passed = sorted(set(self._left[exit_place])) if self._level.notes_watermarks else []
        return Mark([*(each for each in passed if each < self._forwarded[node]), self._forwarded[node]], self._is_idle[node])

    @override
    def _advance(self, edges: Sequence[Edge], watermark: int) -> None:
        for edge in edges:
            if edge.node is None:
                self._left[edge.input_index].append(watermark)
        super()._advance(edges, watermark)

    @override
    def _send_parts(self, assigner: int, batch: ChangeBatch) -> None:
        if self._level.notes_watermarks and batch.before is not None:
            self.passed.update(np.unique(batch.before).tolist())
        super()._send_parts(assigner, batch)
