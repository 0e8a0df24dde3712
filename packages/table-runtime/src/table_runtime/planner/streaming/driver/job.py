"""Jobs of streaming plans: those that end run to their end, others take rows until they are stopped."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pyarrow as pa

from table_api.delegation import ExecutablePlan, JobExecution, JobOptions, refuse_restoring
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.connector import ArrowSinkProvider
from table_common.exceptions import TableInternalError
from table_common.frozen_dataclass import dataclass
from table_runtime.batches import BATCH_ROWS
from table_runtime.cancellation import CancellationToken
from table_runtime.changelog.graph import Graph
from table_runtime.operators.collect import Collect
from table_runtime.operators.job_metrics import JobMetrics
from table_runtime.operators.operator import Operator
from table_runtime.operators.scan_arrow import ScanArrow
from table_runtime.operators.threads import STUCK_SECONDS
from table_runtime.planner.channel import Channel
from table_runtime.planner.executor import ArrowExecutablePlan, ArrowJob, ArrowJobClient, JobRegistry
from table_runtime.planner.streaming.driver.epochs import Epochs, NoEpochs, VolatileEpochs
from table_runtime.planner.streaming.driver.loop import StreamLoop
from table_runtime.planner.streaming.driver.mailbox import Mailbox
from table_runtime.planner.streaming.driver.outputs import CollectOutput, JobOutput, SinkOutput, graph_of, sinks_of
from table_runtime.planner.streaming.driver.sink_epochs import SinkEpochs
from table_runtime.planner.streaming.driver.source_input import Company
from table_runtime.planner.streaming.driver.writer import WriterThread

__all__ = ["StreamExecutablePlan", "StreamJob", "is_endless"]

_COMPANY = Company(BATCH_ROWS, 0.005)


def is_endless(graph: Graph) -> bool:
    """Whether a source of the graph does not end."""
    return any(isinstance(source.scan, ScanArrow) and not source.scan.is_bounded for source in graph.sources)


class StreamExecutablePlan(ExecutablePlan):
    """A streaming plan, lowered once to report errors early."""

    def __init__(
        self,
        lower: Callable[[], Operator],
        schema: ResolvedSchema,
        jobs: JobRegistry,
        configuration: ReadableConfig,
        *,
        parallelism: int | None,
        memory: int | None,
    ) -> None:
        self._lower = lower
        self._root: Operator | None = lower()
        self._schema = schema
        self._jobs = jobs
        self._configuration = configuration
        self._parallelism = parallelism
        self._memory = memory

    @property
    @override
    def schema(self) -> ResolvedSchema:
        return self._schema

    @override
    def execute(self, options: JobOptions) -> JobExecution:
        root = self._root if self._root is not None else self._lower()
        self._root = None
        is_sink = bool(sinks_of(root))
        if not is_endless(graph_of(root)):
            plan = ArrowExecutablePlan(
                lambda: (root,), self._schema, self._jobs, is_sink=is_sink, parallelism=self._parallelism, memory=self._memory
            )
            return plan.execute(options)
        refuse_restoring(options, "arrow")
        job = StreamJob(root, self._configuration, options, is_sink=is_sink, parallelism=self._parallelism, memory=self._memory)
        self._jobs.add(job)
        job.start()
        return job


@dataclass(frozen=True, slots=True)
class _Target:
    """A sink as a job writes to it."""

    provider: ArrowSinkProvider
    table: str
    name: str


class StreamJob(ArrowJob):
    """One run of a plan with a source that does not end."""

    def __init__(
        self,
        root: Operator,
        configuration: ReadableConfig,
        options: JobOptions,
        *,
        is_sink: bool,
        parallelism: int | None,
        memory: int | None,
    ) -> None:
        super().__init__(options.name, (root,), is_sink=is_sink, parallelism=parallelism, memory=memory, progress=options.progress)
        self._root: Operator | None = root
        self._mailbox = Mailbox()
        # Errors of sinks that cannot be written without an end are raised when the job is submitted.
        self._targets = [
            _Target(sink.epoch_provider(), sink.table, f"{self._client.job_id}-{number}") for number, sink in enumerate(sinks_of(root))
        ]
        self._interval = configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_COMMIT_INTERVAL) / timedelta(seconds=1)
        graph = graph_of(root)
        latency = configuration.get(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ALLOW_LATENCY) / timedelta(seconds=1)
        self._company = _COMPANY if graph.batch_rows is None else Company(graph.batch_rows, latency, waits_when_caught_up=True)

    @property
    @override
    def is_endless(self) -> bool:
        return True

    @override
    def _new_client(self, job_id: str, metrics: JobMetrics) -> ArrowJobClient:
        return StreamJobClient(job_id, self._token, self._channel, metrics)

    @override
    def _work(self) -> None:
        root, self._root = self._root, None
        if root is None:
            raise TableInternalError("A job was started twice.")
        sinks = [SinkEpochs(target.provider, target.table, target.name, self._context) for target in self._targets]
        writer = WriterThread(sinks, self._mailbox, self._context, epoch=0, name=f"table-sinks-{self._name}")
        outputs: list[JobOutput]
        epochs: Epochs
        if isinstance(root, Collect):
            outputs, epochs = [CollectOutput(root, self._channel)], NoEpochs()
        else:
            outputs = [SinkOutput(sink, number, writer) for number, sink in enumerate(sinks_of(root))]
            epochs = VolatileEpochs(self._interval, writer)
            writer.start()
        loop = StreamLoop(graph_of(root), outputs, epochs, self._company, self._mailbox, self._context, name=self._name)
        assert isinstance(self._client, StreamJobClient)
        self._client.on_end(loop.stop)
        try:
            loop.execute()
        finally:
            self._mailbox.close()
            writer.stop(STUCK_SECONDS)
        if sinks:
            fields = [pa.field(sink.table, pa.int64(), nullable=False) for sink in sinks]
            self._channel.put(pa.RecordBatch.from_arrays([pa.array([sink.rows], pa.int64()) for sink in sinks], schema=pa.schema(fields)))


class StreamJobClient(ArrowJobClient):
    """The client of a job that does not end."""

    def __init__(self, job_id: str, token: CancellationToken, channel: Channel, metrics: JobMetrics) -> None:
        super().__init__(job_id, token, channel, metrics)
        self._end: Callable[[], None] | None = None
        self._is_ending = False

    def on_end(self, end: Callable[[], None]) -> None:
        """Sets what ``end`` calls; calls it if the end was asked for before."""
        self._end = end
        if self._is_ending:
            end()

    @override
    def end(self) -> None:
        self._is_ending = True
        if self._end is not None:
            self._end()
