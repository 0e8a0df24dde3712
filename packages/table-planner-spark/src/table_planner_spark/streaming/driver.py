"""A streaming job on Spark: its checks, its attempts, and where each begins."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark import cloudpickle

from table_common.annotation import override
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.connector import ArrowSinkProvider
from table_common.exceptions import JobCancelledException, TableError, TableException, ValidationException
from table_common.gate import Gate
from table_common.job_state import JobState, JobStatus
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.session.workers import require_packages, require_packages_of_server
from table_planner_spark.streaming.choose_source import require_offsets
from table_planner_spark.streaming.epochs import SparkTasks
from table_planner_spark.streaming.shared_folder import is_on_one_machine, require_shared_folder, temporary_folder
from table_runtime.run import ExecutionContext, Operator
from table_runtime.scans import ScanOffsets
from table_runtime.sinks import write_to
from table_runtime.streaming import (
    BUCKETS,
    Attempt,
    AttemptDriver,
    Attempts,
    Checkpointing,
    EpochProgress,
    Graph,
    InsertEpochLoop,
    JobRequests,
    JobSpec,
    OutputKey,
    OutputRows,
    QueryEpochLoop,
    Restarts,
    RestorePoint,
    SharedJob,
    SinkEpochs,
    Source,
    StreamMetrics,
    WriterFactory,
    graph_of,
    has_unbounded_output,
    layout_of,
    levels_of,
    restored,
    sinks_of,
)


class SparkDriver(AttemptDriver):
    """Runs a streaming plan on Spark, on the thread that calls it; ``state`` is told what the job does, and ``requests`` are those of its client."""

    def __init__(
        self,
        root: Operator,
        configuration: ReadableConfig,
        name: str,
        session: EngineSession,
        context: ExecutionContext,
        state: JobState,
        requests: JobRequests,
        emit: Callable[[int, Any], None],
    ) -> None:
        """Checks the plan and its options; ``emit`` gives rows of a query to its reader.

        Raises:
            TableException: a sink has no epochs, or the job cannot have checkpoints.
            ValidationException: an option is wrong, or missing.
        """
        most_rows = configuration.get(ExecutionConfigOptions.TABLE_EXEC_SPARK_MAX_ROWS_PER_EPOCH)
        if most_rows < 1:
            raise ValidationException(f"The option 'table.exec.spark.max-rows-per-epoch' must be at least 1, but is {most_rows}.")
        self._session = session
        sinks = self._sinks = sinks_of(root)
        graph = graph_of(root)
        self._is_bounded = not any(source.is_unbounded for source in graph.sources)
        for source in graph.sources:
            require_offsets(source)
            _require_sendable_source(source)
        _require_picklable(graph)
        self._emit = emit
        self._job_state = state
        self._is_reached = False
        checkpointing = Checkpointing.of(configuration)
        has_checkpoints = bool(sinks) and not self._is_bounded
        if has_checkpoints:
            checkpointing.check(graph)
            if not checkpointing.directory:
                raise ValidationException(
                    "An unbounded INSERT keeps its state in checkpoints on Spark, and there is no folder for them.",
                    hint="SET 'execution.checkpointing.dir' = '…', a folder that all workers reach.",
                )
        requests.has_checkpoints = has_checkpoints
        requests.savepoints = checkpointing.savepoints
        self._checkpointing = checkpointing
        layout = layout_of(graph, [sink.table for sink in sinks])
        self._providers = (
            [(sink.epoch_provider(), sink.table, own) for sink, own in zip(sinks, layout.sinks, strict=True)] if has_checkpoints else []
        )
        self._attempts = Attempts(name, "spark", layout, checkpointing, Restarts(configuration), requests, context)
        is_once = configuration.get(ExecutionConfigOptions.TABLE_EXEC_SPARK_TRIGGER) == "available-now"
        outputs = [OutputRows(sink) for sink in sinks] if sinks else [OutputRows(root)]
        keys = [OutputKey.of(sink, output) for sink, output in zip(sinks, outputs, strict=False)]
        for (provider, table, _), output in zip(self._providers, outputs, strict=False):
            _require_sendable_sink(provider, table, output)
        levels = levels_of(root, graph, self._shares(configuration, session))
        self._parts = JobSpec(graph, levels, layout, _output_schemas(graph), outputs, keys, configuration, context, requests, name, is_once)
        (require_packages if adapter_of(session.spark).has_jvm else require_packages_of_server)(session.spark)

    @staticmethod
    def _shares(configuration: ReadableConfig, session: EngineSession) -> int:
        shares = configuration.get_optional(ExecutionConfigOptions.TABLE_EXEC_SPARK_STATE_SHARES)
        if shares is None:
            return max(1, min(BUCKETS, adapter_of(session.spark).parallelism(session.spark)))
        if not 1 <= shares <= BUCKETS:
            raise ValidationException(f"The option 'table.exec.spark.state-shares' must be between 1 and {BUCKETS}, but is {shares}.")
        return shares

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

    def _run_epochs(self, emit: Callable[[int, Any], None]) -> None:
        """Runs epochs whose state is in a temporary folder."""
        self._begin()
        with temporary_folder(self._session.spark, self._checkpointing.directory or None) as folder:
            job = self._shared_job(folder, uuid.uuid4().hex[:8])
            self._require_reached(job, "the folder of the state of a statement")
            metrics = self._metrics(self._parts.context.job_id, job.run)
            QueryEpochLoop(
                self._parts,
                job,
                job.begin(),
                self._interval,
                metrics,
                SparkTasks(self._parts, self._session),
                emit,
                is_written=bool(self._sinks),
            ).execute()

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
        ended: TableError | None = None
        try:
            self._run_attempt(attempt)
        except JobCancelledException:
            raise
        except Exception as error:
            if (ended := self._session.failure(error)) is None:
                raise
        if ended is not None:  # not raised from a lost connection, after which a job is restarted: no attempt can succeed
            raise ended

    def _run_attempt(self, attempt: Attempt) -> None:
        self._begin()
        point, checkpoints = attempt.restore_point, attempt.checkpoints
        parts, manifest = self._parts, point.manifest
        writers = {
            number: writers
            for number, (sink, output) in enumerate(zip(attempt.sinks, parts.outputs, strict=True))
            if (writers := sink.writers_of(output)) is not None
        }
        job = self._shared_job(checkpoints.folder.store.url, checkpoints.run, writers)
        self._require_reached(job, "the checkpoint folder")
        state = job.begin() if manifest is None else restored(parts, job, attempt)
        positions = point.positions(parts.layout)
        now = 0 if manifest is None else manifest.processing_time
        metrics = self._metrics(checkpoints.folder.job, checkpoints.run, [sink.table for sink in attempt.sinks], point)
        InsertEpochLoop(parts, job, state, positions, self._interval, now, metrics, SparkTasks(parts, self._session), attempt).execute()
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

    def _require_reached(self, job: SharedJob, use: str) -> None:
        """Checks once that workers on other machines reach the folder of the job."""
        spark = self._session.spark
        if not self._is_reached and not is_on_one_machine(spark):
            require_shared_folder(spark, job.location, use)
        self._is_reached = True

    def _shared_job(self, folder: str, run: str, writers: Mapping[int, WriterFactory] | None = None) -> SharedJob:
        return SharedJob(self._parts.levels, Gate.location_of_program(folder), self._parts.layout.operators, run, writers or {})


def _require_picklable(graph: Graph) -> None:
    """Checks that all operators can be sent to workers.

    Raises:
        TableException: one cannot, because of a function that it calls.
    """
    for node in graph.nodes:
        try:
            cloudpickle.dumps(node.operator)  # type: ignore[no-untyped-call]
        except Exception as error:  # whatever a function of the user raises
            raise TableException(
                f"{node.text or node.operator} cannot be sent to Spark's workers: {error}.",
                hint="Create connections, files and locks in open() of the function, which runs in the worker.",
            ) from error


def _require_sendable_source(source: Source) -> None:
    """Checks that workers can get what reads a source with offsets.

    Raises:
        TableException: it cannot be pickled.
    """
    if isinstance(source.scan, ScanOffsets) and not source.scan.offsets.is_in_process:
        what = f"The source of {source.table} cannot be sent to Spark's workers, which read the rows"
        hint = "Open connections, files and locks in SourceReader, not in the provider; or return True as its 'is_in_process'."
        _require_pickled(source.scan, source.scan.offsets, what, hint)


def _require_sendable_sink(provider: ArrowSinkProvider, table: str, output: OutputRows) -> None:
    """Checks that workers can get what writes a sink.

    Raises:
        TableException: it cannot be pickled.
    """
    if not provider.is_local:
        what = f"The sink of {table} cannot be sent to Spark's workers, which write the rows"
        hint = "Open connections and files in SinkWriter, not in the provider; or return True as its 'is_local', so that all rows come to the program."
        _require_pickled((provider, output), provider, what, hint)


def _require_pickled(sent: object, provider: object, what: str, hint: str) -> None:
    try:
        cloudpickle.dumps(sent)  # type: ignore[no-untyped-call]
    except Exception as error:  # whatever a connector raises
        reason = f"{type(provider).__name__} cannot be pickled ({type(error).__name__}: {error})"
        raise TableException(f"{what}: {reason}.", hint=hint) from error


def _output_schemas(graph: Graph) -> Mapping[int, Any]:
    """Returns the schema of the rows of each output."""
    found = {edge.input_index: source.schema for source in graph.sources for edge in source.edges if edge.node is None}
    found.update({edge.input_index: node.operator.schema for node in graph.nodes for edge in node.edges if edge.node is None})
    return found
