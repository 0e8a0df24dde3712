"""Runs a streaming plan in this process: a query, or INSERTs with or without checkpoints."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

from table_common.annotation import override
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.connector import ArrowSinkProvider
from table_common.frozen_dataclass import dataclass
from table_common.job_state import JobState, JobStatus
from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.run.channel import Channel
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.threads import STUCK_SECONDS
from table_runtime.sinks.collect import Collect
from table_runtime.streaming.graph.statement_set import graph_of, sinks_of
from table_runtime.streaming.job.attempts import Attempt, AttemptDriver, Attempts
from table_runtime.streaming.job.in_process.checkpointed_epochs import CheckpointedEpochs
from table_runtime.streaming.job.in_process.compaction import Compaction
from table_runtime.streaming.job.in_process.epochs import Epochs, QueryEpochs, UncheckpointedEpochs
from table_runtime.streaming.job.in_process.job_outputs import CollectOutput, JobOutput, SinkOutput
from table_runtime.streaming.job.in_process.loop import StreamLoop
from table_runtime.streaming.job.in_process.mailbox import Mailbox
from table_runtime.streaming.job.in_process.source_input import BatchingPolicy
from table_runtime.streaming.job.in_process.writer import WriterThread
from table_runtime.streaming.job.job_layout import layout_of
from table_runtime.streaming.job.job_requests import JobRequests
from table_runtime.streaming.job.options import Checkpointing
from table_runtime.streaming.job.restarts import Restarts
from table_runtime.streaming.job.sink_epochs import SinkEpochs

_POLICY = BatchingPolicy(BATCH_ROWS, 0.005)


@dataclass(frozen=True, slots=True)
class _Target:
    """A sink as a job writes to it."""

    provider: ArrowSinkProvider
    table: str
    name: str


class JobDriver(AttemptDriver):
    """Runs the graph on the thread that calls it; ``state`` is told what the job does, and ``requests`` are those of its client."""

    def __init__(
        self,
        root: Operator,
        configuration: ReadableConfig,
        name: str,
        context: ExecutionContext,
        channel: Channel,
        state: JobState,
        requests: JobRequests,
    ) -> None:
        """Checks the plan and its options.

        Raises:
            TableException: a sink has no epochs, or the job cannot have checkpoints.
            ValidationException: an option is wrong.
        """
        sinks = sinks_of(root)
        self._root = root
        self._graph = graph_of(root)
        self._name = name
        self._context = context
        self._channel = channel
        self._state = state
        self._requests = requests
        self._checkpointing = Checkpointing.of(configuration)
        if sinks:
            self._checkpointing.check(self._graph)
        requests.has_checkpoints = bool(sinks) and self._checkpointing.directory is not None
        requests.savepoints = self._checkpointing.savepoints
        self._layout = layout_of(self._graph, [sink.table for sink in sinks])
        self._targets = [_Target(sink.epoch_provider(), sink.table, name) for sink, name in zip(sinks, self._layout.sinks, strict=True)]
        self._attempts = Attempts(name, "arrow", self._layout, self._checkpointing, Restarts(configuration), requests, context)
        latency = configuration.get(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ALLOW_LATENCY) / timedelta(seconds=1)
        rows = self._graph.batch_rows
        self._policy = _POLICY if rows is None else BatchingPolicy(rows, latency, waits_when_caught_up=True)
        self._writer: WriterThread | None = None
        """The writer of the last attempt."""

    @property
    def sinks_thread(self) -> threading.Thread | None:
        """The thread that writes to the sinks; None until it begins."""
        return self._writer.thread if self._writer is not None else None

    def run_query(self, root: Collect) -> None:
        """Runs a query, whose rows go to the channel, until it ends.

        Raises:
            TableError: it has failed.
        """
        self._loop(QueryEpochs(), [CollectOutput(root, self._channel)], Mailbox(), None)

    def run_inserts(self) -> Sequence[int]:
        """Runs the INSERTs until they end; returns how many rows each sink has got.

        Raises:
            TableError: they have failed.
        """
        directory = self._checkpointing.directory
        if directory is not None:
            self._attempts.run(self, directory)
            return self._attempts.rows
        mailbox, job_id = Mailbox(), self._context.job_id
        sinks = [self.create_sink(number, job_id) for number in range(len(self._targets))]
        writer = self._new_writer(sinks, mailbox, 0)
        self._loop(UncheckpointedEpochs(self._checkpointing.settings.interval, writer, sinks), self._outputs(writer), mailbox, writer)
        return [sink.rows for sink in sinks]

    @override
    def create_sink(self, number: int, job_id: str) -> SinkEpochs:
        target = self._targets[number]
        return SinkEpochs.of(target.provider, target.table, job_id, target.name, self._context)

    @override
    def run(self, attempt: Attempt) -> None:
        mailbox, checkpoints = Mailbox(), attempt.checkpoints
        writer = self._new_writer(attempt.sinks, mailbox, checkpoints.next_epoch)
        nodes = dict(zip(self._layout.operators, self._graph.nodes, strict=True))
        epochs = CheckpointedEpochs(
            self._checkpointing.settings,
            writer,
            attempt.sinks,
            checkpoints,
            self._requests,
            Compaction(checkpoints.folder, checkpoints.run, nodes, self._context),
            attempt.committed,
        )
        self._loop(epochs, self._outputs(writer), mailbox, writer, attempt)

    @override
    def restarting(self) -> None:
        self._state.change(JobStatus.RESTARTING)

    @property
    @override
    def is_writing(self) -> bool:
        return self._writer is not None and self._writer.is_running

    @override
    def when_written(self, callback: Callable[[], None]) -> None:
        if self._writer is None:
            callback()
        else:
            self._writer.when_ended(callback)

    def _new_writer(self, sinks: Sequence[SinkEpochs], mailbox: Mailbox, epoch: int) -> WriterThread:
        self._writer = WriterThread(sinks, mailbox, self._context, epoch=epoch, name=f"table-sinks-{self._name}")
        return self._writer

    def _outputs(self, writer: WriterThread) -> list[JobOutput]:
        return [SinkOutput(sink, number, writer) for number, sink in enumerate(sinks_of(self._root))]

    def _loop(
        self, epochs: Epochs, outputs: Sequence[JobOutput], mailbox: Mailbox, writer: WriterThread | None, attempt: Attempt | None = None
    ) -> None:
        self._context.metrics.clear()
        loop = StreamLoop(self._graph, outputs, epochs, self._policy, mailbox, self._context, name=self._name)
        self._requests.on_end(loop.stop)
        self._state.change(JobStatus.RUNNING)
        if writer is not None:
            writer.start()
        try:
            if attempt is None or attempt.restore_point.manifest is None:
                loop.execute()
            else:
                begin, layout = attempt.restore_point, self._layout
                self._graph.clock.set_least(attempt.restore_point.manifest.processing_time)
                loop.execute(begin.positions(layout), begin.state(layout, self._context), begin.counters(layout))
        finally:
            mailbox.close()
            if writer is not None:
                writer.stop(STUCK_SECONDS)
