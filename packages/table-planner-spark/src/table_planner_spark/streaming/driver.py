"""A streaming job on Spark: its checks, and the session whose workers run its tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from pyspark import cloudpickle

from table_common.annotation import override
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.connector import ArrowSinkProvider
from table_common.exceptions import JobCancelledException, TableError, TableException, ValidationException
from table_common.job_state import JobState
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.session.workers import require_packages, require_packages_of_server
from table_planner_spark.streaming.choose_source import require_offsets
from table_planner_spark.streaming.epochs import SparkTasks
from table_planner_spark.streaming.shared_folder import is_on_one_machine, require_shared_folder, temporary_folder
from table_runtime.run import ExecutionContext, Operator
from table_runtime.scans import ScanOffsets
from table_runtime.streaming import BUCKETS, Attempt, Graph, JobRequests, OutputRows, SharedJob, SharesDriver, Source, TaskEngine


class SparkDriver(SharesDriver):
    """Runs a streaming plan on Spark, on the thread that calls it."""

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
        self._is_reached = False
        is_once = configuration.get(ExecutionConfigOptions.TABLE_EXEC_SPARK_TRIGGER) == "available-now"
        shares = self._shares(configuration, session)
        super().__init__(root, configuration, name, context, state, requests, emit, engine="spark", shares=shares, is_once=is_once)
        (require_packages if adapter_of(session.spark).has_jvm else require_packages_of_server)(session.spark)

    @staticmethod
    def _shares(configuration: ReadableConfig, session: EngineSession) -> int:
        shares = configuration.get_optional(ExecutionConfigOptions.TABLE_EXEC_SPARK_STATE_SHARES)
        if shares is None:
            return max(1, min(BUCKETS, adapter_of(session.spark).parallelism(session.spark)))
        if not 1 <= shares <= BUCKETS:
            raise ValidationException(f"The option 'table.exec.spark.state-shares' must be between 1 and {BUCKETS}, but is {shares}.")
        return shares

    @override
    def _check_source(self, source: Source) -> None:
        require_offsets(source)
        _require_sendable_source(source)

    @override
    def _check_graph(self, graph: Graph) -> None:
        _require_picklable(graph)

    @override
    def _check_sink(self, provider: ArrowSinkProvider, table: str, output: OutputRows) -> None:
        _require_sendable_sink(provider, table, output)

    @override
    def _missing_folder(self) -> Exception:
        return ValidationException(
            "An unbounded INSERT keeps its state in checkpoints on Spark, and there is no folder for them.",
            hint="SET 'execution.checkpointing.dir' = '…', a folder that all workers reach.",
        )

    @contextmanager
    @override
    def _tasks(self, job: SharedJob) -> Iterator[TaskEngine]:
        yield SparkTasks(self._parts, self._session)

    @override
    def _temporary_folder(self) -> AbstractContextManager[str]:
        return temporary_folder(self._session.spark, self._checkpointing.directory or None)

    @override
    def run(self, attempt: Attempt) -> None:
        ended: TableError | None = None
        try:
            super().run(attempt)
        except JobCancelledException:
            raise
        except Exception as error:
            if (ended := self._session.failure(error)) is None:
                raise
        if ended is not None:  # not raised from a lost connection, after which a job is restarted: no attempt can succeed
            raise ended

    @override
    def _check_folder(self, job: SharedJob, use: str) -> None:
        """Checks once that workers on other machines reach the folder of the job."""
        spark = self._session.spark
        if not self._is_reached and not is_on_one_machine(spark):
            require_shared_folder(spark, job.location, use)
        self._is_reached = True


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
