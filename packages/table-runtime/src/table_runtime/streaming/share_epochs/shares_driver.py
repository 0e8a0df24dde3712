"""A streaming job in shares in its client: its checks, its attempts, and where each begins. An engine says who runs the tasks."""

from __future__ import annotations

import uuid
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.connector import ArrowSinkProvider
from table_common.gate import Gate
from table_common.job_state import JobState, JobStatus
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sinks.sink import write_to
from table_runtime.streaming.graph.graph import Graph, Source
from table_runtime.streaming.graph.statement_set import OutputRows, graph_of, has_unbounded_output, sinks_of
from table_runtime.streaming.job.attempts import Attempt, AttemptDriver, Attempts
from table_runtime.streaming.job.job_layout import layout_of
from table_runtime.streaming.job.job_requests import JobRequests
from table_runtime.streaming.job.options import Checkpointing
from table_runtime.streaming.job.recovery import RestorePoint
from table_runtime.streaming.job.restarts import Restarts
from table_runtime.streaming.job.sink_epochs import SinkEpochs
from table_runtime.streaming.share_epochs.epoch_loop import InsertEpochLoop, QueryEpochLoop
from table_runtime.streaming.share_epochs.epoch_progress import EpochProgress
from table_runtime.streaming.share_epochs.job_spec import JobSpec, levels_of
from table_runtime.streaming.share_epochs.metrics import StreamMetrics
from table_runtime.streaming.share_epochs.restore import restored
from table_runtime.streaming.share_epochs.task_engine import TaskEngine
from table_runtime.streaming.shares.cut import Levels, OutputKey
from table_runtime.streaming.shares.shared_job import SharedJob
from table_runtime.streaming.shares.task_output import WriterFactory


class SharesDriver(AttemptDriver):
    """Runs a streaming plan in shares, on the thread that calls it; ``state`` is told what the job does, and ``requests`` are those of its client."""

    def __init__(
        self,
        root: Operator,
        configuration: ReadableConfig,
        name: str,
        context: ExecutionContext,
        state: JobState,
        requests: JobRequests,
        emit: Callable[[int, Any], None],
        *,
        engine: str,
        shares: int,
        is_once: bool = False,
    ) -> None:
        """Checks the plan and its options; ``emit`` gives rows of a query to its reader, ``engine`` is that of the folder of the job.

        Raises:
            TableException: a sink has no epochs, or the job cannot have checkpoints.
            ValidationException: an option is wrong, or missing.
        """
        sinks = self._sinks = sinks_of(root)
        graph = graph_of(root)
        self._is_bounded = not any(source.is_unbounded for source in graph.sources)
        for source in graph.sources:
            self._check_source(source)
        self._check_graph(graph)
        self._emit = emit
        self._job_state = state
        checkpointing = Checkpointing.of(configuration)
        has_checkpoints = bool(sinks) and not self._is_bounded
        if has_checkpoints:
            checkpointing.check(graph)
            if not checkpointing.directory:
                raise self._missing_folder()
        requests.has_checkpoints = has_checkpoints
        requests.savepoints = checkpointing.savepoints
        self._checkpointing = checkpointing
        layout = layout_of(graph, [sink.table for sink in sinks])
        self._providers = (
            [(sink.epoch_provider(), sink.table, own) for sink, own in zip(sinks, layout.sinks, strict=True)] if has_checkpoints else []
        )
        self._attempts = Attempts(name, engine, layout, checkpointing, Restarts(configuration), requests, context)
        outputs = [OutputRows(sink) for sink in sinks] if sinks else [OutputRows(root)]
        keys = [OutputKey.of(sink, output) for sink, output in zip(sinks, outputs, strict=False)]
        for (provider, table, _), output in zip(self._providers, outputs, strict=False):
            self._check_sink(provider, table, output)
        levels = self._levels(root, graph, shares)
        self._parts = JobSpec(graph, levels, layout, _output_schemas(graph), outputs, keys, configuration, context, requests, name, is_once)

    def _levels(self, root: Operator, graph: Graph, shares: int) -> Levels:
        """Returns the levels of the plan.

        Raises:
            TableException: the graph cannot be cut, or a sink has no epochs.
        """
        return levels_of(root, graph, shares)

    @abstractmethod
    def _check_source(self, source: Source) -> None:
        """Checks that the engine reads a source.

        Raises:
            TableException: it does not.
        """

    @abstractmethod
    def _check_graph(self, graph: Graph) -> None:
        """Checks that operators can be sent to workers.

        Raises:
            TableException: one cannot.
        """

    @abstractmethod
    def _check_sink(self, provider: ArrowSinkProvider, table: str, output: OutputRows) -> None:
        """Checks that workers can get what writes a sink.

        Raises:
            TableException: it cannot be pickled.
        """

    @abstractmethod
    def _missing_folder(self) -> Exception:
        """Returns the error of an unbounded INSERT without a folder for its checkpoints."""

    @abstractmethod
    def _tasks(self, job: SharedJob) -> AbstractContextManager[TaskEngine]:
        """Gives what runs the tasks of an attempt."""

    @abstractmethod
    def _temporary_folder(self) -> AbstractContextManager[str]:
        """Gives a folder for the state of a query, and deletes it."""

    def _check_folder(self, job: SharedJob, use: str) -> None:  # workers on this machine reach its folders
        """Checks once that workers reach the folder of the job, which is for ``use``.

        Raises:
            TableException: they do not.
        """

    @property
    def is_unbounded(self) -> bool:
        """Whether the job is unbounded."""
        return not self._parts.is_once and has_unbounded_output(self._parts.graph)

    def run_query(self) -> None:
        """Runs a query until it ends.

        Raises:
            TableError: it has failed.
        """
        self._run_epochs(self._emit)

    def run_inserts(self) -> Sequence[int]:
        """Runs the INSERTs until they end; returns how many rows each sink has got.

        Raises:
            TableError: they have failed.
        """
        if self._is_bounded:
            return self._run_bounded_inserts()
        directory = self._checkpointing.directory
        assert directory is not None
        self._attempts.run(self, directory)
        return self._attempts.rows

    def _run_bounded_inserts(self) -> Sequence[int]:
        """Writes the rows of all epochs, and commits them when the sources have ended: partial results are never visible, and a restart begins from the start."""
        context = self._parts.context
        with write_to(self._sinks, context) as writes:
            self._run_epochs(lambda output, batch: writes[output].write(batch))
        context.check()
        self._job_state.begin_commit()
        context.commit()
        return [write.rows for write in writes]

    def _run_epochs(self, emit: Callable[[int, Any], None], writers: Mapping[int, WriterFactory] | None = None) -> None:
        """Runs epochs whose state is in a temporary folder, if it is in files; ``writers`` are those of tasks."""
        self._begin()
        with self._temporary_folder() as folder:
            job = self._shared_job(folder, uuid.uuid4().hex[:8], writers)
            self._check_folder(job, "the folder of the state of a statement")
            metrics = self._metrics(self._parts.context.job_id, job.run)
            with self._tasks(job) as tasks:
                loop = self._query_loop()
                loop(self._parts, job, job.begin(), self._interval, metrics, tasks, emit, is_written=bool(self._sinks)).execute()
                self._written(tasks)

    def _written(self, tasks: TaskEngine) -> None:  # few engines write where inputs end
        """Follows the last epoch of a query, or of INSERTs whose inputs have ended."""

    def _query_loop(self) -> type[QueryEpochLoop]:
        return QueryEpochLoop

    def _insert_loop(self) -> type[InsertEpochLoop]:
        return InsertEpochLoop

    @property
    def _interval(self) -> float:
        """Returns after how many seconds an epoch follows another one."""
        return 0 if self._is_bounded or self._parts.is_once else self._checkpointing.settings.interval

    @override
    def create_sink(self, number: int, job_id: str) -> SinkEpochs:
        provider, table, own = self._providers[number]
        return SinkEpochs.of(provider, table, job_id, own, self._parts.context)

    @override
    def run(self, attempt: Attempt) -> None:
        self._begin()
        point, checkpoints = attempt.restore_point, attempt.checkpoints
        parts, manifest = self._parts, point.manifest
        writers = {
            number: writers
            for number, (sink, output) in enumerate(zip(attempt.sinks, parts.outputs, strict=True))
            if (writers := sink.writers_of(output)) is not None
        }
        job = self._shared_job(checkpoints.folder.store.url, checkpoints.run, writers)
        self._check_folder(job, "the checkpoint folder")
        state = job.begin() if manifest is None else restored(parts, job, attempt)
        positions = point.positions(parts.layout)
        now = 0 if manifest is None else manifest.processing_time
        metrics = self._metrics(checkpoints.folder.job, checkpoints.run, [sink.table for sink in attempt.sinks], point)
        with self._tasks(job) as tasks:
            self._insert_loop()(parts, job, state, positions, self._interval, now, metrics, tasks, attempt).execute()
        for sink in attempt.sinks:
            sink.discard_staged(checkpoints.next_epoch)  # by tasks that were repeated

    @override
    def restarting(self) -> None:
        self._job_state.change(JobStatus.RESTARTING)

    @property
    @override
    def is_writing(self) -> bool:
        return False

    @override
    def when_written(self, callback: Callable[[], None]) -> None:
        callback()

    def _metrics(self, job_id: str, run: str, sinks: Sequence[str] = (), point: RestorePoint | None = None) -> StreamMetrics:
        parts, counters = self._parts, dict[str, Mapping[str, int]]()
        if point is not None and point.manifest is not None:
            counters.update(point.manifest.counters)
            counters.update(zip(parts.layout.sources, point.counters(parts.layout), strict=True))
            for name in parts.layout.operators:
                claim = point.upgrade.old_name(name)
                counters[name] = {} if claim is None else point.manifest.counters.get(claim.old or "", {})
        progress = EpochProgress(
            job_id,
            run,
            parts.name,
            [source.scan.details() for source in parts.graph.sources],
            [f"{node.operator.name}[{number}]" for number, node in enumerate(parts.graph.nodes, 1)],
            sinks,
        )
        return StreamMetrics(parts.graph, parts.layout, parts.context.metrics, progress, counters)

    def _begin(self) -> None:
        self._parts.context.metrics.clear()
        self._job_state.change(JobStatus.RUNNING)

    def _shared_job(self, folder: str, run: str, writers: Mapping[int, WriterFactory] | None = None) -> SharedJob:
        return SharedJob(self._parts.levels, Gate.location_of_program(folder), self._parts.layout.operators, run, writers or {})


def _output_schemas(graph: Graph) -> Mapping[int, Any]:
    """Returns the schema of the rows of each output."""
    found = {edge.input_index: source.schema for source in graph.sources for edge in source.edges if edge.node is None}
    found.update({edge.input_index: node.operator.schema for node in graph.nodes for edge in node.edges if edge.node is None})
    return found
