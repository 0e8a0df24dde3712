"""Jobs in the planner SPI: an executable plan, its execution, and the client that monitors and cancels it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from table_api.delegation.job_result import CompletableFuture, JobExecutionResult, JobID
from table_api.delegation.metrics_listener import MetricsListener, call_with_metrics
from table_common.catalog import ResolvedSchema
from table_common.connector import SupportsArrowArray
from table_common.exceptions import TableException, TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.job_state import JobState, JobStatus


class JobClient(ABC):
    """The handle of a job: its status, cancellation and savepoints; safe to use from any thread.

    Example:
        >>> result = env.execute_sql("SELECT 1 AS a")
        >>> job = result.get_job_client()
        >>> rows = list(result.collect())
        >>> job.get_job_status().value
        'FINISHED'

    Source: Flink's ``org.apache.flink.core.execution.JobClient``.
    """

    @property
    @abstractmethod
    def job_id(self) -> str:
        """The job's id, unique in this process."""

    def get_job_id(self) -> JobID:
        """Returns the job's id, as PyFlink names it."""
        return JobID(self.job_id)

    def get_job_execution_result(self) -> CompletableFuture[JobExecutionResult]:
        """Returns the end of the job as a future; the job of a query ends when all its rows were read.

        Raises:
            TableException: the engine's jobs do not report their end.
        """
        state = self.job_state

        def value() -> JobExecutionResult:
            if state.status is JobStatus.FINISHED:
                return JobExecutionResult(self.get_job_id(), state.net_runtime)
            raise state.error or TableRuntimeException(f"Job {self.job_id} ended as {state.status.value}.")

        return CompletableFuture(self._await_end, value, self.request_cancellation)

    def _await_end(self, timeout: float | None) -> bool:
        """Waits until the job has ended and has closed what it used, at most ``timeout`` seconds; returns whether it has."""
        return self.job_state.wait(timeout)

    @property
    def job_state(self) -> JobState:
        """The state that the job shares with this client.

        Raises:
            TableException: the engine has none.
        """
        raise TableException(f"The engine of job {self.job_id} does not report the end of its jobs.", hint="TableResult.wait()")

    @property
    def commits(self) -> bool:
        """Whether the job has begun to commit what it wrote, so that it is not cancelled any more; by default that is not known."""
        return False

    @abstractmethod
    def get_job_status(self) -> JobStatus:
        """Returns the current status."""

    def cancel(self) -> CompletableFuture[None]:
        """Requests cancellation; reading the result then raises ``JobCancelledException``. Does nothing after the job has begun to commit what it wrote.

        Returns:
            A future; its ``result()`` waits until the job has ended and returns None. Then the job can be started again.
        """
        self.request_cancellation()
        return CompletableFuture(self._await_end, lambda: None)

    @abstractmethod
    def request_cancellation(self) -> None:
        """Asks the engine to stop the job, without waiting; does nothing after the job has begun to commit what it wrote."""

    def end(self) -> None:
        """Asks the job to end, as when the environment is closed: an unbounded job commits what it has processed; any other one is cancelled."""
        self.cancel()

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> str:
        """Writes a savepoint while the job continues, and returns its path.

        Raises:
            TableException: the engine does not support savepoints of this job.
        """
        raise _no_savepoint(self.job_id)

    def stop_with_savepoint(self, advance_to_end_of_event_time: bool = False, savepoint_directory: str | None = None) -> str:
        """Stops the job with a savepoint, and returns its path.

        Raises:
            TableException: as ``trigger_savepoint``.
        """
        raise _no_savepoint(self.job_id)

    def checkpoints(self) -> Sequence[Mapping[str, Any]]:
        """Returns the checkpoints that the job keeps, oldest first: epoch, time (milliseconds since 1970), duration (ms), bytes, rows and path; none by default."""
        return ()

    def get_metrics(self) -> Mapping[str, int | float]:
        """Returns the metrics of the job so far, by ``<operator>.<metric>``, such as ``WindowAggregate[2].numLateRecordsDropped``.

        Raises:
            TableException: the engine reports no metrics.
        """
        raise TableException(
            f"Job {self.job_id} has no metrics: its engine reports none.", hint="EXPLAIN, or the progress of the SQL client"
        )

    def metrics(self) -> Mapping[str, int | float]:
        """Returns ``get_metrics()``."""
        return self.get_metrics()

    def add_metrics_listener(self, listener: MetricsListener, interval: float = 10.0) -> None:
        """Calls ``listener(job_id, metrics)`` every ``interval`` seconds with ``get_metrics()`` on a thread of its own, and once more when the job has ended.

        A listener that raises is logged and not called again; the job continues.

        Raises:
            ValidationException: the interval is not positive.
            TableException: the engine reports no metrics.
        """
        call_with_metrics(self, listener, interval)

    def get_warnings(self) -> Sequence[str]:
        """Returns what was lost so far, a sentence each, such as the number of late rows that an operator dropped; by default nothing."""
        return ()


ProgressListener = Callable[[str, float | None], None]
"""Called while a job runs, from any thread, with a short text and the fraction completed (None if unknown)."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """Options of one execution of a plan.

    Example:
        >>> JobOptions("insert-into_orders", restore_from="file:///savepoints/7").restore_from
        'file:///savepoints/7'
    """

    name: str
    """The name of the job in messages and in the engine's user interface."""
    progress: ProgressListener | None = None
    restore_from: str | None = None
    """The path of the savepoint or checkpoint that the job is restored from."""
    statement: str | None = None
    """The statement that started the job, without secrets, for the engine's user interface; None for a call of the Table API."""


class JobExecution(ABC):
    """A started job and its result.

    Example:
        >>> class Finished(JobExecution):
        ...     client = None
        ...     def batches(self):
        ...         return iter(())
        >>> list(Finished().batches())
        []
    """

    @property
    @abstractmethod
    def client(self) -> JobClient:
        """The client that monitors and cancels the job."""

    @property
    def is_unbounded(self) -> bool:
        """Whether the job reads an unbounded source, so that it runs until it is stopped."""
        return False

    @abstractmethod
    def batches(self) -> Iterator[SupportsArrowArray]:
        """Yields the result as record batches in the canonical Arrow schema of the plan's ``schema``; may be called once.

        The job ends with the iterator; closing the iterator early cancels the job. Failures are raised here as ``TableRuntimeException``,
        never as an exception of the engine. For a sink the only batch has one BIGINT row: the number of rows written, or -1 if unknown.
        """


class ExecutablePlan(ABC):
    """An executable plan; it can be executed several times.

    Source: Flink's ``org.apache.flink.table.delegation.Executor``, and the ``Transformation`` that it runs.

    Example:
        >>> class Refused(ExecutablePlan):
        ...     schema = ResolvedSchema(())
        ...     def execute(self, options):
        ...         refuse_restoring(options, "example")
        >>> Refused().execute(JobOptions("insert"))
    """

    @property
    @abstractmethod
    def schema(self) -> ResolvedSchema:
        """The columns of the result."""

    @abstractmethod
    def execute(self, options: JobOptions) -> JobExecution:
        """Submits the job and returns without waiting for its end.

        Raises:
            TableException: the engine cannot restore the state that the options name.
        """


def refuse_restoring(options: JobOptions, planner: str) -> None:
    """Checks that a job starts over; for engines that cannot restore state.

    Example:
        >>> refuse_restoring(JobOptions("insert"), "example")

    Raises:
        TableException: the options name a savepoint or checkpoint.
    """
    if options.restore_from is not None:
        raise TableException(f"The planner '{planner}' cannot restore a job from '{options.restore_from}': its jobs have no savepoints.")


def _no_savepoint(job_id: str) -> TableException:
    return TableException(
        f"Job {job_id} has no savepoint: its engine runs it from beginning to end and keeps no state of it.",
        hint="cancel it, and run it again",
    )
