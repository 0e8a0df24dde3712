"""Jobs as the planner SPI has them: a plan that is ready to run, one run of it, and the handle to watch and stop it."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from enum import Enum

from table_common.catalog import ResolvedSchema
from table_common.connector import SupportsArrowArray
from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass

__all__ = ["ExecutablePlan", "JobClient", "JobExecution", "JobOptions", "JobState", "JobStatus", "ProgressListener", "refuse_restoring"]


class JobStatus(Enum):
    """The status of a job.

    Example:
        >>> JobStatus.SUSPENDED.is_terminal_state(), JobStatus.SUSPENDED.is_globally_terminal_state()
        (True, False)

    Source: Flink's ``org.apache.flink.api.common.JobStatus``.
    """

    CREATED = "CREATED"
    RUNNING = "RUNNING"
    RESTARTING = "RESTARTING"
    SUSPENDED = "SUSPENDED"
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    CANCELED = "CANCELED"

    def is_globally_terminal_state(self) -> bool:
        """Whether the job has ended, and cannot go on anywhere."""
        return self in (JobStatus.FINISHED, JobStatus.FAILED, JobStatus.CANCELED)

    def is_terminal_state(self) -> bool:
        """Whether the job has ended here; a suspended job may go on elsewhere."""
        return self is JobStatus.SUSPENDED or self.is_globally_terminal_state()


class JobState:
    """The status of a job as its thread, its reader and those who cancel it see it: the first end is the one that counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._status = JobStatus.RUNNING

    @property
    def status(self) -> JobStatus:
        """Where the job stands."""
        return self._status

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody cancelled the job while it ran."""
        return self._status is JobStatus.CANCELED

    def end(self, status: JobStatus) -> bool:
        """Sets the final status; returns False if the job has ended before."""
        with self._lock:
            if self._status.is_globally_terminal_state():
                return False
            self._status = status
            return True


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

    @abstractmethod
    def get_job_status(self) -> JobStatus:
        """Returns where the job stands."""

    @abstractmethod
    def cancel(self) -> None:
        """Asks the job to stop; readers of its result then get a ``JobCancelledException``. Does nothing once the job ended."""

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> str:
        """Writes the state of the job, which goes on, and returns the path.

        Raises:
            TableException: the engine keeps no state of this job that could be written.
        """
        raise _no_savepoint(self.job_id)

    def stop_with_savepoint(self, advance_to_end_of_event_time: bool = False, savepoint_directory: str | None = None) -> str:
        """Ends the job, writes its state, and returns the path.

        Raises:
            TableException: as ``trigger_savepoint``.
        """
        raise _no_savepoint(self.job_id)

    def get_metrics(self) -> Mapping[str, int | float]:
        """Returns what the engine has counted of the job so far, by name.

        Raises:
            TableException: the engine counts nothing that can be asked for.
        """
        raise TableException(f"Job {self.job_id} has no metrics: its engine gives none.", hint="EXPLAIN, or the progress of the SQL client")


ProgressListener = Callable[[str, float | None], None]
"""Is called with a short text and the share done (None if unknown) while a job runs; from any thread."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """How a plan is run."""

    name: str
    """What the job is called in messages and in the engine's own displays."""
    progress: ProgressListener | None = None
    restore_from: str | None = None
    """The path of a savepoint or checkpoint that the job goes on from."""


class JobExecution(ABC):
    """A job that was started, and its rows."""

    @property
    @abstractmethod
    def client(self) -> JobClient:
        """The handle to watch and cancel it."""

    @abstractmethod
    def batches(self) -> Iterator[SupportsArrowArray]:
        """Yields the result as record batches in the canonical Arrow schema of the plan's ``schema``; may be called once.

        The job ends when the iterator does; closing the iterator early stops the job. Failures are raised here as ``TableRuntimeException``
        (never an engine's own exception). For a sink the only batch has one BIGINT row: the number of rows written, or -1 if unknown.
        """


class ExecutablePlan(ABC):
    """A plan that is ready to run, once or several times."""

    @property
    @abstractmethod
    def schema(self) -> ResolvedSchema:
        """The columns of the result."""

    @abstractmethod
    def execute(self, options: JobOptions) -> JobExecution:
        """Starts the job and returns at once (or as soon as the engine lets it).

        Raises:
            TableException: the engine cannot restore the state that the options name.
        """


def refuse_restoring(options: JobOptions, planner: str) -> None:
    """Raises a ``TableException`` if the options name a state: for engines that cannot restore any."""
    if options.restore_from is not None:
        raise TableException(f"The planner '{planner}' cannot go on from '{options.restore_from}': its jobs keep no state.")


def _no_savepoint(job_id: str) -> TableException:
    return TableException(
        f"Job {job_id} has no savepoint: its engine runs it from beginning to end and keeps no state of it.",
        hint="cancel it, and run it again",
    )
