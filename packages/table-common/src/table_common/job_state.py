"""The status of a job, which all its parts share: the engine that runs it, its client, and the session that waits for it."""

from __future__ import annotations

import threading
import time
from enum import Enum

from table_common.exceptions import JobCancelledException, TableInternalError

__all__ = ["JobState", "JobStatus"]


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
        """Whether the job has ended, and cannot continue anywhere."""
        return self in (JobStatus.FINISHED, JobStatus.FAILED, JobStatus.CANCELED)

    def is_terminal_state(self) -> bool:
        """Whether the job has ended here; a suspended job may continue elsewhere."""
        return self is JobStatus.SUSPENDED or self.is_globally_terminal_state()

    def result(self) -> JobStatus:
        """Returns the status itself, for programs of PyFlink, where ``JobClient.get_job_status`` returns a future."""
        return self


_FOLLOWING = {
    JobStatus.CREATED: (JobStatus.RUNNING,),
    JobStatus.RUNNING: (JobStatus.RESTARTING,),
    JobStatus.RESTARTING: (JobStatus.RUNNING,),
}
"""The statuses to which a job may change before its end. A status that is not here is one of the end; each of these may be followed by one."""


class JobState:
    """The status of a job, shared between its threads; the first final status wins.

    A job runs, may restart any number of times, and ends once. One whose commit has begun cannot be cancelled: whether it finishes or fails depends on the commit.

    Example:
        >>> state = JobState()
        >>> state.end(JobStatus.CANCELED), state.end(JobStatus.FINISHED), state.status.value
        (True, False, 'CANCELED')
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._status = JobStatus.RUNNING
        self._error: BaseException | None = None
        self._started = time.monotonic()
        self._ended = self._started
        self._commits = False
        self._is_cancel_requested = False

    @property
    def status(self) -> JobStatus:
        """The current status."""
        return self._status

    @property
    def is_cancelled(self) -> bool:
        """Whether the job was cancelled while it ran."""
        return self._status is JobStatus.CANCELED

    @property
    def error(self) -> BaseException | None:
        """The error with which the job ended, if its engine has given one."""
        return self._error

    @property
    def net_runtime(self) -> int:
        """The milliseconds from the start of the job to its end."""
        return round((self._ended - self._started) * 1000)

    @property
    def commits(self) -> bool:
        """Whether the job has begun to commit what it wrote."""
        return self._commits

    def begin_commit(self) -> None:
        """Called before rows are made visible: from now on the job is not cancelled.

        Raises:
            JobCancelledException: the job has been cancelled.
        """
        with self._changed:
            if self._status.is_globally_terminal_state():
                raise JobCancelledException("The job was cancelled.")
            self._commits = True

    def go_on(self) -> None:
        """Called when a part was committed and more follows: the job can be cancelled again.

        Raises:
            JobCancelledException: it was cancelled meanwhile.
        """
        with self._changed:
            self._commits = False
            if self._is_cancel_requested or self.is_cancelled:
                raise JobCancelledException("The job was cancelled.")

    def change(self, status: JobStatus) -> None:
        """Sets a status that is not final, unless the job has ended.

        Raises:
            TableInternalError: the status is final, or cannot follow the one before.
        """
        with self._changed:
            if status not in _FOLLOWING:
                raise TableInternalError(f"A job that changes to {status.value} has ended: end() says so to those who wait.")
            if self._status.is_globally_terminal_state() or self._status is status:
                return
            if status not in _FOLLOWING[self._status]:
                raise TableInternalError(f"A job that is {self._status.value} cannot become {status.value}.")
            self._status = status

    def end(self, status: JobStatus, error: BaseException | None = None) -> bool:
        """Sets the final status and the error of a job that failed; returns False if the job has ended before, or cannot be cancelled any more.

        Raises:
            TableInternalError: the status is not final.
        """
        if not status.is_globally_terminal_state():
            raise TableInternalError(f"A job that is {status.value} has not ended.")
        with self._changed:
            if self._status.is_globally_terminal_state():
                return False
            if self._commits and status is JobStatus.CANCELED:
                self._is_cancel_requested = True
                return False
            self._error = error  # before the status, which is read without the lock
            self._status = status
            self._ended = time.monotonic()
            self._changed.notify_all()
            return True

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the end, at most ``timeout`` seconds; returns whether the job has ended."""
        with self._changed:
            return self._changed.wait_for(lambda: self._status.is_globally_terminal_state(), timeout)
