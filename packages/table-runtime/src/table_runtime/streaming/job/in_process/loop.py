"""The loop of an unbounded job: takes rows of its sources, pushes them through the graph, and ends epochs between two pushes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import pyarrow as pa

from table_runtime.columns.batches import rechunk
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.graph.reading_order import ReadingOrder
from table_runtime.streaming.job.in_process.clock_jumps import ClockJumps
from table_runtime.streaming.job.in_process.epochs import Epochs
from table_runtime.streaming.job.in_process.job_outputs import JobOutput
from table_runtime.streaming.job.in_process.mailbox import Mailbox
from table_runtime.streaming.job.in_process.reader import ReaderThread
from table_runtime.streaming.job.in_process.source_input import BatchingPolicy, SourceInput
from table_runtime.streaming.job.in_process.stalled_operators import WaitingOperators
from table_runtime.streaming.state.freed_memory import FreedMemory
from table_runtime.streaming.state.snapshots import Snapshot

_T = TypeVar("_T")
SMALL_BATCH = 8192
"""The most rows of a batch while state is copied: with more, keys would change as fast as they are copied."""
_TICK_SECONDS = 0.02
"""How often operators that follow the clock are called at most while no source has rows."""
_UPKEEP_SECONDS = 1.0
"""How often state expires while no source has rows."""
_LONGEST_WAIT = 0.2
"""Seconds after which a waiting loop looks whether the job was cancelled or stopped."""


class StreamLoop:
    """One run of a graph; ``outputs`` take its results on this thread. Readers and sinks have threads of their own.

    ``positions`` is where each source begins; ``{}`` is its beginning.
    """

    def __init__(
        self,
        graph: Graph,
        outputs: Sequence[JobOutput],
        epochs: Epochs,
        policy: BatchingPolicy,
        mailbox: Mailbox,
        context: ExecutionContext,
        *,
        name: str,
    ) -> None:
        self._graph = graph
        self._epochs = epochs
        self._policy = policy
        self._mailbox = mailbox
        self._context = context
        self._outputs = outputs
        self._ready: dict[JobOutput, list[pa.RecordBatch]] = {}
        self._stop = threading.Event()
        self._drains = False
        self._name = name
        self.run = GraphRun(graph, context, [self._receiver(output) for output in outputs])
        self.order = ReadingOrder.of(graph.sources, graph.nodes, self.run)
        self.inputs: list[SourceInput] = []
        self._ticked = time.monotonic()
        self._timer: int | None = None
        self._is_timer_known = False
        self._waiting = WaitingOperators(graph, self.run)
        self._clock_jumps = ClockJumps(graph.clock, name)
        self._freed_memory = FreedMemory(shares_heaps=True)

    def stop(self, drains: bool = False) -> None:
        """Asks the loop to take no more rows and to end with an epoch; with ``drains`` event time comes to its end before."""
        self._drains = drains
        self._stop.set()
        self._mailbox.wake()

    @property
    def processing_time(self) -> int:
        """The clock of the run, in milliseconds since 1970."""
        return self._graph.clock.now

    def wait(self, seconds: float) -> None:
        """Waits for other threads of the job.

        Raises:
            TableError: one has failed, or the job was cancelled.
        """
        self._check()
        self._mailbox.wait(seconds)

    def execute(
        self,
        positions: Sequence[Mapping[str, Any]] | None = None,
        state: Sequence[Sequence[Snapshot]] = (),
        counters: Sequence[Mapping[str, int]] | None = None,
    ) -> None:
        """Runs until all sources have ended, or no output takes more rows, or ``stop`` was called; begins with the state of an earlier run, if it is given.

        ``counters`` is what each source has counted before.

        Raises:
            TableError: a source, an operator or a sink failed.
            JobCancelledException: the job was cancelled.
        """
        try:
            if state:
                self._computed(lambda: self.run.restore(state))
            else:
                self._computed(self.run.start)
            self._open(positions, counters)
            while self.order.has_open and not (self._stop.is_set() and not any(source.must_finish_range for source in self.inputs)):
                self._check()
                if self._epochs.is_due:
                    self._epochs.end(self)
                self._step()
                self._freed_memory.look()
                for text in filter(None, (*self._waiting.look(), self._clock_jumps.look())):
                    self._context.report(text)
            for source in self.inputs:
                source.reader.finish()
            if self._drains:
                self._drain()
            self._epochs.finish(self)
        finally:
            for source in self.inputs:
                source.reader.stop()
        self._context.log_warnings()

    def _open(self, positions: Sequence[Mapping[str, Any]] | None, counters: Sequence[Mapping[str, int]] | None) -> None:
        for number, source in enumerate(self._graph.sources):
            position = positions[number] if positions is not None else {}
            splits = [split for split in self.run.splits_of(source.edges) if split]
            reader = ReaderThread(source.scan, position, self._mailbox, self._context, f"table-source-{number}-{self._name}", splits)
            opened = SourceInput(number, source, reader, position, self.order, splits, partial(self.run.split_watermarks, source.edges))
            if counters is not None:
                opened.metrics.count_on(counters[number])
            self._context.metrics.add(f"Source[{number + 1}]", source.scan.details, opened.metrics)
            self.inputs.append(opened)
        for opened in self.inputs:
            if opened.position.get("ended"):
                self.order.ended(opened.number)
            else:
                self.run.reopen(opened.source.edges)
                if self._stop.is_set():  # nothing is read, and a failure of the source does not matter
                    opened.reader.finish()
                opened.reader.start()

    def _step(self) -> None:
        """Takes rows of one source, or waits."""
        policy = self._policy
        if self._epochs.is_copying and not policy.waits_when_caught_up:
            policy = BatchingPolicy(min(policy.max_rows, SMALL_BATCH), policy.max_delay)
        ready = {source.number: source.ready_in(policy) for source in self.inputs}
        number = self.order.next_readable([number for number, seconds in ready.items() if seconds == 0.0])
        if number is None:
            self._wait(min((seconds for seconds in ready.values() if seconds), default=_LONGEST_WAIT))
            self._tick()
            return
        self._take(self.inputs[number], policy)

    def _take(self, source: SourceInput, policy: BatchingPolicy) -> None:
        """Takes rows of a source and pushes them through the graph."""
        number, edges = source.number, source.source.edges
        taken = source.take(policy)
        if taken.changes is not None:
            changes = taken.changes
            self._computed(lambda: self.run.push(edges, changes, taken.split))
            self._epochs.rows += changes.num_rows
            self._waiting.has_rows(number)
            self._ticked = time.monotonic()
        self._context.report_losses()
        if taken.has_ended or self.run.is_finished(edges):
            source.reader.stop()
            self.order.ended(number)
            source.end()
            self._computed(lambda: self.run.end(edges))

    def _drain(self) -> None:
        """Takes the rows that were read and wait, as for the rest of a mini-batch: in the next run they would be late. Then lets event time end.

        The sources have not ended: the next run continues with their rows.
        """
        policy = BatchingPolicy(self._policy.max_rows, 0.0, self._policy.waits_when_caught_up)
        while (number := self.order.next_left([source.number for source in self.inputs if source.reader.queue.first()])) is not None:
            self._check()
            self._take(self.inputs[number], policy)
        for source in self.inputs:
            if not source.position.get("ended"):
                self._computed(partial(self.run.end, source.source.edges))

    def _wait(self, seconds: float) -> None:
        due = self.order.wait()
        limits = [seconds, self._epochs.seconds_left, _LONGEST_WAIT, _LONGEST_WAIT if due is None else due / 1000]
        self._mailbox.wait(max(0.0, min(*limits, self._seconds_to_tick())))

    def _tick(self) -> None:
        """Lets time pass in operators if no rows came."""
        if self._seconds_to_tick() <= 0.0:
            self._ticked = time.monotonic()
            self._computed(self.run.advance_clock)

    def _seconds_to_tick(self) -> float:
        """Returns in how many seconds operators that follow the clock have something to do, or state expires."""
        if not self._is_timer_known:
            self._timer, self._is_timer_known = self.run.next_timer(), True
        passed = time.monotonic() - self._ticked
        if self._timer is None:
            return _UPKEEP_SECONDS - passed
        timer = self._graph.clock.milliseconds_until(self._timer) / 1000
        return min(_UPKEEP_SECONDS - passed, max(_TICK_SECONDS - passed, timer))

    def _computed(self, call: Callable[[], _T]) -> _T:
        """Calls the graph, which cancellation interrupts, and then gives its results to the outputs."""
        self._is_timer_known = False
        result = self._context.token.run(call)
        ready, self._ready = self._ready, {}
        for output, batches in ready.items():  # of one push a reader sees all changes or none
            output.write(batches[0] if len(batches) == 1 else rechunk(batches, batches[0].schema))
        return result

    def _receiver(self, output: JobOutput) -> Callable[[ChangeBatch], None]:
        def receive(changes: ChangeBatch) -> None:
            for batch in output.batches_of(changes, self._context.check):
                if batch.num_rows:
                    self._ready.setdefault(output, []).append(batch)

        return receive

    def _check(self) -> None:
        self._context.check()
        if self._mailbox.failure is not None:
            raise self._mailbox.failure
