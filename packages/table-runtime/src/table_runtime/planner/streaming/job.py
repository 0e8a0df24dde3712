"""Jobs of streaming plans with a source that does not end: attempts with or without checkpoints."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar

import pyarrow as pa

from table_api.delegation import JobOptions, JobStatus
from table_common.annotation import override
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.connector import ArrowSinkProvider
from table_common.exceptions import JobCancelledException
from table_common.frozen_dataclass import dataclass
from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.operators.collect import Collect
from table_runtime.operators.job_metrics import JobMetrics
from table_runtime.operators.operator import Operator
from table_runtime.operators.threads import STUCK_SECONDS
from table_runtime.planner.executor import ArrowJob, ArrowJobClient
from table_runtime.planner.streaming.client import StreamJobClient
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.job_lock import JobLock
from table_runtime.streaming.checkpoints.manifest import Manifest
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.statement_set import graph_of, sinks_of
from table_runtime.streaming.job.in_process.checkpointed_epochs import CheckpointedEpochs
from table_runtime.streaming.job.in_process.compaction import Compaction
from table_runtime.streaming.job.in_process.epochs import Epochs, QueryEpochs, UncheckpointedEpochs
from table_runtime.streaming.job.in_process.job_outputs import CollectOutput, JobOutput, SinkOutput
from table_runtime.streaming.job.in_process.loop import StreamLoop
from table_runtime.streaming.job.in_process.mailbox import Mailbox
from table_runtime.streaming.job.in_process.source_input import BatchingPolicy
from table_runtime.streaming.job.in_process.writer import WriterThread
from table_runtime.streaming.job.job_layout import layout_of
from table_runtime.streaming.job.options import Checkpointing
from table_runtime.streaming.job.recovery import RecoveryMode, RestorePoint, find_restore_point
from table_runtime.streaming.job.restarts import Restarts, is_lasting
from table_runtime.streaming.job.sink_epochs import SinkEpochs

__all__ = ["StreamJob"]

R = TypeVar("R")
_POLICY = BatchingPolicy(BATCH_ROWS, 0.005)


@dataclass(frozen=True, slots=True)
class _Target:
    """A sink as a job writes to it."""

    provider: ArrowSinkProvider
    table: str
    name: str


def has_unbounded_output(graph: Graph) -> bool:
    """Whether rows of a source that does not end come to an output without an operator that may have enough, as a LIMIT over insertions has."""
    waiting = [edge for source in graph.sources if source.is_unbounded for edge in source.edges]
    seen: set[int] = set()
    while waiting:
        edge = waiting.pop()
        if edge.node is None:
            return True
        node = graph.nodes[edge.node]
        if edge.node not in seen and not node.operator.may_finish:
            seen.add(edge.node)
            waiting += node.edges
    return False


class StreamJob(ArrowJob):
    """One run of a plan with a source that does not end. With checkpoints it consists of attempts, each behind the last epoch of the one before."""

    def __init__(
        self,
        root: Operator,
        configuration: ReadableConfig,
        options: JobOptions,
        *,
        parallelism: int | None,
        memory: int | None,
    ) -> None:
        sinks = sinks_of(root)
        super().__init__(
            options.name, (root,), is_sink=bool(sinks), parallelism=parallelism, memory=memory, spill=None, progress=options.progress
        )
        self._stream_client.writes = bool(sinks)
        self._root = root
        self._graph = graph_of(root)
        # Errors of sinks and options are raised when the job is submitted.
        self._checkpointing = Checkpointing.of(configuration)
        self._stream_client.has_checkpoints = bool(sinks) and self._checkpointing.directory is not None
        if sinks:
            self._checkpointing.check(self._graph)
        self._layout = layout_of(self._graph, [sink.table for sink in sinks])
        self._targets = [_Target(sink.epoch_provider(), sink.table, name) for sink, name in zip(sinks, self._layout.sinks, strict=True)]
        self._restarts = Restarts(configuration)
        latency = configuration.get(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ALLOW_LATENCY) / timedelta(seconds=1)
        rows = self._graph.batch_rows
        self._policy = _POLICY if rows is None else BatchingPolicy(rows, latency, waits_when_caught_up=True)
        self._rows = [0] * len(sinks)
        self._last_counted = -1
        self._begun: Mapping[str, Mapping[str, Any]] = {}
        """Where the sources of the last attempt began."""
        self._writer: WriterThread | None = None
        """That of the last attempt with checkpoints."""

    @property
    @override
    def is_unbounded(self) -> bool:
        return has_unbounded_output(self._graph)

    @override
    def _new_client(self, job_id: str, metrics: JobMetrics) -> ArrowJobClient:
        return StreamJobClient(job_id, self._token, self._channel, metrics)

    @property
    def _stream_client(self) -> StreamJobClient:
        assert isinstance(self._client, StreamJobClient)
        return self._client

    @override
    def _work(self) -> None:
        if not self._targets:
            self._loop(QueryEpochs(), [CollectOutput(self._collect, self._channel)], Mailbox(), (), None)
            return
        if self._checkpointing.directory is None:
            self._run_volatile()
        else:
            self._run_durable(self._checkpointing.directory)
        fields = [pa.field(target.table, pa.int64(), nullable=False) for target in self._targets]
        self._channel.put(pa.RecordBatch.from_arrays([pa.array([rows], pa.int64()) for rows in self._rows], schema=pa.schema(fields)))

    @property
    def _collect(self) -> Collect:
        assert isinstance(self._root, Collect)
        return self._root

    def _run_volatile(self) -> None:
        mailbox, sinks = Mailbox(), self._sinks(self._client.job_id)
        writer = WriterThread(sinks, mailbox, self._context, epoch=0, name=f"table-sinks-{self._name}")
        epochs = UncheckpointedEpochs(self._checkpointing.settings.interval, writer)
        self._loop(epochs, self._outputs(writer), mailbox, sinks, writer)

    def _run_durable(self, directory: str) -> None:
        run, client = uuid.uuid4().hex[:8], self._stream_client
        folder, lock = self._restarted(lambda: self._enter(directory, run), is_beginning=True)
        client.folder = folder
        try:
            self._restarted(lambda: self._attempt(folder, lock, f"{run}-{self._restarts.count}"))
        finally:
            if self._writer is None:
                lock.release()
            else:  # no other process takes the job over while this one commits
                self._writer.when_ended(lock.release)

    def _enter(self, directory: str, run: str) -> tuple[JobFolder, JobLock]:
        """Opens the folder and takes the lock."""
        client = self._stream_client
        folder = JobFolder.open(directory, self._name, "arrow")
        return folder, JobLock.acquire(folder.store, self._name, run, self._context.check, lambda: client.is_ending_or_cancelled)

    def _restarted(self, act: Callable[[], R], *, is_beginning: bool = False) -> R:
        """Does something until it succeeds, as the restart strategy says. ``is_beginning``: an error that says how the folder is set up ends the job at once."""
        while True:
            try:
                return act()
            except BaseException as error:
                is_final = self._token.is_cancelled or self._stream_client.is_ending or (is_beginning and is_lasting(error))
                delay = None if is_final else self._restarts.delay_after(error)
                if delay is None:
                    raise
                self._await_restart(error, delay)

    def _await_restart(self, error: BaseException, delay: float) -> None:
        """Waits for the delay, and until the attempt that failed writes no more: the next one would commit its epoch at the same time.

        If the job is asked to end, the next attempt begins at once: it reads nothing, and ends the job behind its last epoch.
        """
        text = str(error).splitlines()[0]
        logging.getLogger("table.job").warning("Job %s failed and is restarted in %.1f s: %s", self._name, delay, text)
        self._context.report(f"restarted in {delay:.1f} s: {text}")
        self._client.job_state.change(JobStatus.RESTARTING)
        deadline, is_late = time.monotonic() + delay, False
        while time.monotonic() < deadline or (self._writer is not None and self._writer.is_running):
            if not is_late and time.monotonic() >= deadline:
                is_late = True
                logging.getLogger("table.job").warning(
                    "Job %s: the restart waits for a sink that is still in a call of the failed attempt", self._name
                )
            is_writing = self._writer is not None and self._writer.is_running
            if self._token.is_cancelled or (self._stream_client.is_ending and is_writing):
                raise JobCancelledException(f"Job {self._client.job_id} was ended before its restart.") from error
            if self._stream_client.is_ending:
                return
            time.sleep(min(0.05, max(delay, 0.001)))

    def _attempt(self, folder: JobFolder, lock: JobLock, run: str) -> None:
        """Runs from the last epoch on."""
        checkpointing = self._checkpointing
        by_name: Mapping[str, Callable[[], SinkEpochs]] = {
            target.name: lambda target=target: self._sink(target, folder.job_id)  # type: ignore[misc]
            for target in self._targets
        }
        last = folder.latest()
        is_restart = last is not None and last.run.partition("-")[0] == run.partition("-")[0]
        mode = RecoveryMode.RESUME if is_restart else checkpointing.mode
        restore_point = find_restore_point(
            folder, mode, checkpointing.path, by_name, self._layout, ignores_unclaimed=checkpointing.ignores_unclaimed
        )
        if is_restart and last is not None:
            self._count(last)  # if it was decided and not committed by the attempt before, it is committed now
        self._begun = restore_point.manifest.sources if restore_point.manifest is not None else {}
        mailbox, sinks = Mailbox(), self._sinks(folder.job_id)
        writer = WriterThread(sinks, mailbox, self._context, epoch=restore_point.epoch, name=f"table-sinks-{self._name}")
        self._writer = writer
        nodes = dict(zip(self._layout.operators, self._graph.nodes, strict=True))
        epochs = CheckpointedEpochs(
            checkpointing.settings,
            writer,
            sinks,
            folder,
            lock,
            self._layout,
            run,
            restore_point,
            Compaction(folder, run, nodes, self._context),
            self._committed,
        )
        self._stream_client.began(epochs, self._checkpointing.savepoints)
        self._loop(epochs, self._outputs(writer), mailbox, sinks, writer, restore_point)

    def _committed(self, manifest: Manifest) -> None:
        if manifest.sources != self._begun:  # the first epoch of an attempt may have no rows: that is no success
            self._restarts.succeeded()
        self._count(manifest)

    def _count(self, manifest: Manifest) -> None:
        """Counts the rows of an epoch once: the rows of an attempt that failed count only if they are in an epoch that was decided."""
        if manifest.epoch > self._last_counted:
            self._last_counted = manifest.epoch
            self._rows = [rows + manifest.sinks[name].rows for rows, name in zip(self._rows, self._layout.sinks, strict=True)]

    def _sinks(self, job_id: str) -> list[SinkEpochs]:
        return [self._sink(target, job_id) for target in self._targets]

    def _sink(self, target: _Target, job_id: str) -> SinkEpochs:
        name = "".join(char if char.isalnum() or char in "._-" else "-" for char in target.name)
        return SinkEpochs(target.provider, target.table, f"{job_id}-{name}", self._context)

    def _outputs(self, writer: WriterThread) -> list[JobOutput]:
        return [SinkOutput(sink, number, writer) for number, sink in enumerate(sinks_of(self._root))]

    def _loop(
        self,
        epochs: Epochs,
        outputs: Sequence[JobOutput],
        mailbox: Mailbox,
        sinks: Sequence[SinkEpochs],
        writer: WriterThread | None,
        restore_point: RestorePoint | None = None,
    ) -> None:
        self._context.metrics.clear()
        loop = StreamLoop(self._graph, outputs, epochs, self._policy, mailbox, self._context, name=self._name)
        self._stream_client.on_end(loop.stop)
        self._client.job_state.change(JobStatus.RUNNING)
        if writer is not None:
            self._stream_client.sinks_thread = writer.thread
            writer.start()
        try:
            if restore_point is None or restore_point.manifest is None:
                loop.execute()
            else:
                self._graph.clock.set_least(restore_point.manifest.processing_time)
                layout = self._layout
                loop.execute(restore_point.positions(layout), restore_point.state(layout, self._context), restore_point.counters(layout))
        finally:
            mailbox.close()
            if writer is not None:
                writer.stop(STUCK_SECONDS)
            if restore_point is None:  # otherwise the rows of epochs were counted
                self._rows = [sink.rows for sink in sinks]
