"""Runs of the graph of a streaming job, and the run over bounded inputs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch, Times
from table_runtime.streaming.graph.graph import Edge, Graph, batches_of
from table_runtime.streaming.graph.nodes_above import need_no_rows, nodes_above
from table_runtime.streaming.graph.reading_order import ReadingOrder
from table_runtime.streaming.graph.shared_inputs import SharedInputs
from table_runtime.streaming.graph.state_copy import StateCopy
from table_runtime.streaming.graph.state_expiry import StateExpiry
from table_runtime.streaming.graph.state_memory import StateMemory
from table_runtime.streaming.operators.operator import OperatorState, Output
from table_runtime.streaming.operators.watermark_assigner import WatermarkState
from table_runtime.streaming.state.freed_memory import FreedMemory
from table_runtime.streaming.state.snapshots import Snapshot
from table_runtime.streaming.time.input_watermarks import InputWatermarks
from table_runtime.streaming.time.output_watermarks import watermarks_of_outputs
from table_runtime.streaming.time.watermarks import END_OF_TIME

_NO_TIMES: Times = np.zeros(0, np.int64)


class GraphRun:
    """One run of a graph: pushes batches depth-first, so that no batch is in flight when ``push`` returns."""

    def __init__(self, graph: Graph, context: ExecutionContext, outputs: Sequence[Output]) -> None:
        self._graph = graph
        self._context = context
        self._outputs = outputs
        self._states: list[OperatorState] = [node.operator.create_state(context) for node in graph.nodes]
        for number, (node, state) in enumerate(zip(graph.nodes, self._states, strict=True), 1):
            context.metrics.add(f"{node.operator.name}[{number}]", node.operator.__str__, state.metrics)
        self._expiry = [StateExpiry(node.operator, node.retentions, context) for node in graph.nodes]
        self._operators = [node.operator for node in graph.nodes]
        self._memory = StateMemory(graph.state_memory)
        self._open_inputs = [node.inputs for node in graph.nodes]
        self._watermarks = [InputWatermarks(range(node.inputs)) for node in graph.nodes]
        self._is_idle = [False] * len(graph.nodes)
        self._passed = _NO_TIMES  # the watermarks between the rows of the batch that is pushed
        self._collects_passed = any(node.fires_at_each_watermark for node in graph.nodes)
        self._assigners_of: dict[tuple[Edge, ...], Sequence[int]] = {}
        self._forwarded = [NO_WATERMARK] * len(graph.nodes)
        self._shared = SharedInputs(graph.nodes, cuts_at_watermarks=graph.cuts_at_watermarks)
        self._others = self._shared.all_others
        self._with_timers = [number for number, node in enumerate(graph.nodes) if node.operator.has_timers]
        self._ignores_before = [node.follows_clock for node in graph.nodes]
        """For which nodes the watermark is that of their input, not the one in force before each row."""
        self._by_clock = [number for number, node in enumerate(graph.nodes) if node.follows_clock]
        self._emitters: list[Output] = [
            partial(self._send_parts, number) if node.operator.assigns_watermarks else partial(self._send, node.edges)
            for number, node in enumerate(graph.nodes)
        ]

    def start(self) -> None:
        """Starts the operators, readers before their inputs: what an operator gives at its start reaches readers that have started."""
        for node, state, emit in reversed(list(zip(self._graph.nodes, self._states, self._emitters, strict=True))):
            node.operator.start(state, emit)

    def push(self, edges: Sequence[Edge], batch: ChangeBatch, split: str = "") -> None:
        """Sends a batch of a source, the rows of one split, through the graph."""
        self.advance_clock()
        for assigner in self._assigners(edges):
            self._state_of_assigner(assigner).split = split
        self._send(edges, batch)
        self._passed = _NO_TIMES

    def next_timer(self) -> int | None:
        """Returns a time of the clock, in milliseconds, before which operators emit no rows unless new ones come; None: time has no effect."""
        due = min((self._operators[number].next_due(self._states[number]) for number in self._by_clock), default=END_OF_TIME)
        timer = min((self._operators[number].next_timer(self._states[number]) for number in self._with_timers), default=END_OF_TIME)
        return None if due == timer == END_OF_TIME else min(due + 1, timer)

    def end(self, edges: Sequence[Edge]) -> None:
        """Tells the readers of a source or operator that it has ended, and event time with it."""
        if self._by_clock:
            self.advance_clock()
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

    def reopen(self, edges: Sequence[Edge]) -> None:
        """Reopens a source after a restore from a savepoint that was drained, where event time has ended; its rows may be late."""
        waiting = deque(edges)
        while waiting:
            edge = waiting.popleft()
            if edge.node is None or edge.input_index not in self._states[edge.node].ended_inputs:
                continue
            node, inputs = self._graph.nodes[edge.node], self._watermarks[edge.node]
            self._states[edge.node].ended_inputs.discard(edge.input_index)
            if not self._open_inputs[edge.node]:
                waiting.extend(node.edges)
            self._open_inputs[edge.node] += 1
            if node.follows_clock:  # processing time has not ended
                inputs.restore(NO_WATERMARK, {**inputs.values(), edge.input_index: NO_WATERMARK})
                self._forwarded[edge.node] = NO_WATERMARK

    def set_idle(self, edges: Sequence[Edge], split: str, is_idle: bool) -> None:
        """Says whether a split of a source is idle: then no operator waits for its watermark. What it gives later may be late."""
        for number in self._assigners(edges):
            self._state_of_assigner(number).splits.set_idle(split, is_idle)
            self._splits_changed(number)

    def add_split(self, edges: Sequence[Edge], split: str) -> None:
        """Says that a source has a split, whose rows operators wait for; otherwise a split is known from its first rows on."""
        for number in self._assigners(edges):
            self._state_of_assigner(number).add_split(split)

    def splits_of(self, edges: Sequence[Edge]) -> list[str]:
        """Returns the splits of a source with these edges whose watermarks are known, as after ``restore``."""
        return sorted({split for number in self._assigners(edges) for split in self._state_of_assigner(number).progress})

    def split_watermarks(self, edges: Sequence[Edge]) -> dict[str, int]:
        """Returns the watermark of each split of a source with these edges that has one. From any thread."""
        result: dict[str, int] = {}
        for number in self._assigners(edges):
            for split, watermark in list(self._state_of_assigner(number).splits.values().items()):
                if NO_WATERMARK < watermark < END_OF_TIME:
                    result[split] = min(watermark, result.get(split, watermark))
        return result

    def end_split(self, edges: Sequence[Edge], split: str) -> None:
        """Marks a split as finished, while its source continues: no operator waits for its watermark."""
        for number in self._assigners(edges):
            self._state_of_assigner(number).end_split(split)
            self._splits_changed(number)

    def snapshot(self, *, changes_only: bool = False) -> list[Snapshot]:
        """Returns the state of each operator, between two pushes."""
        snapshots = [state.snapshot(changes_only=changes_only) for state in self._states]
        return [snapshot._replace(watermarks=watermarks) for snapshot, watermarks in zip(snapshots, self.watermarks(), strict=True)]

    def copy_state(self, *, changes_only: bool = False) -> StateCopy:
        """Begins a snapshot that is taken in pieces, between several pushes."""
        return StateCopy(self._states, changes_only=changes_only)

    def watermarks(self) -> list[tuple[int, ...]]:
        """Returns the watermarks of each operator as they are in its snapshot."""
        return [
            (forwarded, inputs.least, *inputs.values().values())
            for forwarded, inputs in zip(self._forwarded, self._watermarks, strict=True)
        ]

    def counters(self) -> list[Mapping[str, int]]:
        """Returns what each operator has counted."""
        return [state.metrics.counters() for state in self._states]

    def restore(self, snapshots: Sequence[Sequence[Snapshot]]) -> None:
        """Replaces the state of each operator by that of snapshots: a whole one and later ones of changes, the newest first.

        A run that is restored is not started.
        """
        for number, (node, old) in enumerate(zip(self._graph.nodes, self._states, strict=True)):
            state: OperatorState = node.operator.create_state(self._context)
            state.set_time(self._graph.clock.advance(), node.retentions)
            state.restore([snapshot[number] for snapshot in snapshots])
            state.count_on(old)
            if counters := snapshots[0][number].counters:  # of a checkpoint
                state.metrics.count_on(counters)
            newest = snapshots[0][number].watermarks
            if newest:
                self._forwarded[number], least, *inputs = newest
                self._watermarks[number].restore(least, dict(enumerate(inputs)))
                self._open_inputs[number] = sum(watermark != END_OF_TIME for watermark in inputs)
                state.ended_inputs = {index for index, watermark in enumerate(inputs) if watermark == END_OF_TIME}
                if not node.follows_clock:  # the clock may have moved on
                    state.watermark = least
            self._states[number] = state

    def output_watermarks(self) -> list[int | None]:
        """Returns the event time up to which each output has its rows: None without event time, ``END_OF_TIME`` after the last row."""
        return watermarks_of_outputs(self._graph.nodes, self._forwarded, len(self._outputs))

    def is_finished(self, edges: Sequence[Edge]) -> bool:
        """Whether all readers of a source ignore what may still come."""
        return need_no_rows(self._graph.nodes, edges, self._is_finished)

    def _is_finished(self, number: int) -> bool:
        return self._graph.nodes[number].operator.is_finished(self._states[number])

    def advance_clock(self) -> None:
        """Sets the time of the next batch: operators that follow the clock come to the last millisecond before it."""
        now = self._graph.clock.advance()
        for number, expiry in enumerate(self._expiry):
            self._states[number] = expiry.before_batch(self._states[number], now)
        self._memory.look(self._operators, self._states)
        for number in self._with_timers:
            self._operators[number].on_clock(now, self._states[number], self._emitters[number])
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
            if watermark == END_OF_TIME:
                self._states[edge.node].ended_inputs.add(edge.input_index)
            self._watermarks[edge.node].advance(edge.input_index, watermark)
            self._inputs_changed(edge.node)

    def _set_idle(self, edges: Sequence[Edge], is_idle: bool) -> None:
        for edge in edges:
            if edge.node is not None:
                self._watermarks[edge.node].set_idle(edge.input_index, is_idle)
                self._inputs_changed(edge.node)

    def _inputs_changed(self, number: int) -> None:
        """Tells an operator the least watermark of its inputs if it has risen, and its readers whether all its inputs are idle."""
        inputs, node, state = self._watermarks[number], self._graph.nodes[number], self._states[number]
        least = inputs.least
        if NO_WATERMARK < least < END_OF_TIME:
            state.metrics.watermark = least
        if node.follows_clock:
            # Differs from Flink: at the end of the input the windows of processing time that have not ended yet are emitted. Flink drops them.
            if least == END_OF_TIME:
                self._reach(number, END_OF_TIME)
            self._forward(number)
        else:
            passed = (
                self._passed[(self._passed > state.watermark) & (self._passed < least)].tolist() if node.fires_at_each_watermark else ()
            )
            for watermark in (*passed, least):
                if self._reach(number, watermark):
                    self._forward(number)
        self._tell_idle(number, inputs.is_idle)

    def _splits_changed(self, assigner: int) -> None:
        self._forward(assigner)
        self._tell_idle(assigner, self._state_of_assigner(assigner).splits.is_idle)

    def _tell_idle(self, number: int, is_idle: bool) -> None:
        if is_idle != self._is_idle[number]:
            self._is_idle[number] = is_idle
            self._set_idle(self._graph.nodes[number].edges, is_idle)

    def _forward(self, number: int, watermark: int | None = None) -> None:
        """Sends the watermark of an operator's output, or the one given, to its readers if it has risen."""
        node = self._graph.nodes[number]
        if watermark is None:
            watermark = self._watermarks[number].least if node.follows_clock else node.operator.output_watermark(self._states[number])
        if watermark > self._forwarded[number]:
            self._forwarded[number] = watermark
            self._advance(node.edges, watermark)

    def _send_parts(self, assigner: int, batch: ChangeBatch) -> None:
        if self._collects_passed and batch.before is not None:
            self._passed = np.unique(batch.before)
        for part in self._shared.parts(assigner, batch):
            if self._graph.cuts_at_watermarks and part.before is not None:
                self._forward(assigner, int(part.before[0]))
            self._send(self._graph.nodes[assigner].edges, part)

    def _send(self, edges: Sequence[Edge], batch: ChangeBatch) -> None:
        for edge in edges:
            if edge.node is None:
                self._outputs[edge.input_index](batch)
                continue
            self._context.check()
            node = self._graph.nodes[edge.node]
            state = self._states[edge.node]
            received = ChangeBatch(batch.rows, batch.kinds) if self._ignores_before[edge.node] else batch
            if received.before is not None and (others := self._others[edge.node][edge.input_index]):
                inputs = self._watermarks[edge.node]
                before = np.minimum(received.before, inputs.least_of(others))
                if inputs.has_been_idle:
                    before = np.maximum(before, state.watermark)
                received = ChangeBatch(batch.rows, batch.kinds, before)
            state.metrics.rows_in += received.num_rows
            node.operator.process(received, edge.input_index, state, self._emitters[edge.node])
            if node.operator.assigns_watermarks:
                self._forward(edge.node)

    def meets_by_clock(self, edges: Sequence[Edge]) -> bool:
        """Whether rows of a source with these edges meet rows of other inputs at an operator that follows the clock."""
        return any(node.follows_clock and node.inputs > 1 for _, node, _ in nodes_above(self._graph.nodes, edges))

    def is_read_first(self, edges: Sequence[Edge]) -> bool:
        """Whether an operator wants the end of a source with these edges before its other inputs."""
        return any(
            node.operator.input_to_read_first == input_index and node.operator.waits_for_first_input
            for _, node, input_index in nodes_above(self._graph.nodes, edges)
        )

    def watermark_of(self, edges: Sequence[Edge]) -> int | None:
        """Returns the watermark of a source with these edges; None if none is assigned to its rows."""
        return min((self._forwarded[number] for number in self._assigners(edges)), default=None)

    def _assigners(self, edges: Sequence[Edge]) -> Sequence[int]:
        """Returns the operators that make the watermarks of a source with these edges."""
        key = tuple(edges)
        if key not in self._assigners_of:
            above = nodes_above(self._graph.nodes, edges)
            self._assigners_of[key] = sorted({number for number, node, _ in above if node.operator.assigns_watermarks})
        return self._assigners_of[key]

    def _state_of_assigner(self, number: int) -> WatermarkState:
        state = self._states[number]
        assert isinstance(state, WatermarkState)
        return state


def run_graph(graph: Graph, context: ExecutionContext, outputs: Sequence[Output]) -> Iterator[None]:
    """Reads the sources and pushes their batches; stops after each batch, so that a reader can take what it emitted.

    Sources are read one after the other. If an operator waits for the watermarks of several inputs, sources with event time are read together,
    always the one whose watermark is least. ``ReadingOrder`` says which others are read in turn, or before all others.
    """
    run = GraphRun(graph, context, outputs)
    run.start()
    order = ReadingOrder.of(graph.sources, graph.nodes, run)
    reading: dict[int, Iterator[pa.RecordBatch]] = {}
    memory = FreedMemory(shares_heaps=False)
    try:
        while (number := order.next()) is not None:
            source = graph.sources[number]
            if number not in reading:
                reading[number] = batches_of(source, graph.batch_rows, context)
            batch = None if run.is_finished(source.edges) else next(reading[number], None)
            if batch is None:
                close_iterator(reading.pop(number))
                order.ended(number)
                run.end(source.edges)
            elif batch.num_rows:
                order.has_rows(number)
                run.push(source.edges, ChangeBatch.of_numbered(batch, source.schema) if source.has_kinds else ChangeBatch(batch))
                context.report_losses()
            memory.look()
            yield
    finally:
        for batches in reading.values():
            close_iterator(batches)
    context.log_warnings()


class GraphOutput(Operator):
    """An output of a graph as batches; with ``has_kinds`` the kind of each row is the last column. Reading the only output runs the graph.

    With ``before_is_deletion``, rows before updates have the kind of deletions. ``key`` are the columns by which updated rows are identified; None: that is not known.
    """

    def __init__(
        self, graph: Graph, schema: pa.Schema, *, has_kinds: bool, before_is_deletion: bool = False, key: Sequence[int] | None = None
    ) -> None:
        super().__init__(schema)
        self.key = None if key is None else tuple(key)
        self.graph = graph
        self.has_kinds = has_kinds
        self.before_is_deletion = before_is_deletion

    def _rows_of(self, changes: ChangeBatch) -> pa.RecordBatch:
        return changes.as_rows(has_kinds=self.has_kinds, before_is_deletion=self.before_is_deletion)

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        ready: deque[pa.RecordBatch] = deque()
        for _ in run_graph(self.graph, context, [lambda changes: ready.append(self._rows_of(changes))]):
            while ready:
                yield ready.popleft()
