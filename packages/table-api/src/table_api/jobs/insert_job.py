"""Jobs of INSERTs, which run to their end without being read, and whose failures are reported."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from table_api.delegation import JobExecution
from table_api.jobs.job import Job
from table_common.annotation import override
from table_common.connector import SupportsArrowArray
from table_common.exceptions import JobCancelledException
from table_common.job_state import JobState, JobStatus
from table_common.restrictions import keeping_restrictions

if TYPE_CHECKING:
    from table_api.delegation import ProgressListener

_LONGEST_WAIT = 0.2
"""Seconds."""


class JobOwner(Protocol):
    """The session of a job, for the decision who reports its failure."""

    @property
    def is_block(self) -> bool:
        """Whether the session is in a ``with`` block, whose end raises failures."""

    @property
    def is_completing(self) -> bool:
        """Whether that block is ending now."""


class JobWatcher(Protocol):
    """Observer of jobs; implemented by the module ``program_end``."""

    def watch(self, job: InsertJob, /) -> None:
        """Called before a job starts."""

    def ended(self, job: InsertJob, /) -> None:
        """Called when a job has ended, or when the program has dropped its result."""

    def forget(self, job: InsertJob, /) -> None:
        """Called when the failure of a job was raised."""

    def interrupted(self, job: InsertJob, /) -> None:
        """Called when Ctrl-C was pressed while a thread waited for a job."""


class JobProgress:
    """The latest progress report of a job; also forwards reports to the listener of the program."""

    def __init__(self, listener: ProgressListener | None = None) -> None:
        self._listener = listener
        self._text = ""
        self._share: float | None = None

    def __call__(self, text: str, share: float | None = None) -> None:
        self._text, self._share = text, share
        if self._listener is not None:
            self._listener(text, share)

    def __str__(self) -> str:
        share = f"{self._share:.0%}" if self._share is not None else ""
        return ", ".join(part for part in (share, self._text) if part)


class InsertJob(Job):
    """An INSERT, which runs to its end on a thread of its own.

    Its ``state`` is what the program sees: it ends when all is done that follows the write. A failure is *seen* when ``wait`` or ``batches`` raises it. A failure that nobody can see any
    more, because the program did not keep the result, is written to standard error at once; any other one when the environment is closed or the program ends.
    """

    def __init__(
        self,
        execution: JobExecution,
        name: str,
        timeout: timedelta | None,
        on_end: Callable[[Job], None],
        hide: Callable[[BaseException], None] | None = None,
        *,
        owner: JobOwner,
        watcher: JobWatcher,
        progress: JobProgress | None = None,
        finish: Callable[[BaseException | None], None] | None = None,
    ) -> None:
        """``owner`` is the session.

        ``finish`` is called when the rows are written, with the failure if that failed; what it raises is the job's failure.
        """
        super().__init__(execution, name, timeout, on_end, hide)
        self.owner = owner
        self.state = JobState()
        self._watcher = watcher
        self._progress = progress
        self._finish = finish
        self.was_told = False
        self.started = time.monotonic()
        self._written: list[SupportsArrowArray] = []
        self._is_abandoned = False
        self._is_awaited = False
        # Not a daemon: an insert that a thread starts while the program ends already is joined with the program's other threads.
        self._thread = threading.Thread(target=keeping_restrictions(self._run), name=f"job-{self.client.job_id}", daemon=False)

    def start(self) -> None:
        """Starts the thread."""
        self._watcher.watch(self)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the job has not ended yet."""
        return not self.state.status.is_terminal_state()

    @property
    def failure(self) -> BaseException | None:
        """The error with which the job failed or was cancelled; None while it runs and after success."""
        return self.state.error

    @property
    def is_cancelled(self) -> bool:
        """Whether the job ended by cancellation."""
        return self.state.is_cancelled

    @property
    def is_abandoned(self) -> bool:
        """Whether the program has dropped the result, so that it can no longer see a failure."""
        return self._is_abandoned

    @property
    def is_awaited(self) -> bool:
        """Whether a thread waits for the end, and so will see a failure."""
        return self._is_awaited

    def describe(self) -> str:
        """Returns name, elapsed time and progress as text."""
        seconds = f"{time.monotonic() - self.started:.0f} s"
        progress = str(self._progress or "")
        return f"{self.name} ({', '.join(part for part in (seconds, progress) if part)})"

    @override
    def batches(self) -> Iterator[SupportsArrowArray]:
        """Waits for the end and yields a batch with the number of rows written; may be called again."""
        self.wait()
        return iter(self._written)

    @override
    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the end; returns False if the seconds passed before.

        Raises:
            TableRuntimeException: the job failed.
            KeyboardInterrupt: Ctrl-C was pressed; the job was cancelled, which is reported on standard error.
        """
        self._is_awaited |= timeout is None
        try:
            ended = self.join(timeout)
        except KeyboardInterrupt:
            self._watcher.interrupted(self)
            raise
        if not ended:
            return False
        if self.failure is not None:
            self._watcher.forget(self)
            raise self.failure
        return True

    def join(self, timeout: float | None = None) -> bool:
        """Waits for the end, whatever it is; returns False if the seconds passed before."""
        if timeout is not None:
            return self.state.wait(timeout)
        # Waits in short steps, because a Ctrl-C just before a wait begins is only handled when it ends.
        while not self.state.wait(_LONGEST_WAIT):
            pass
        return True

    def abandon(self) -> None:
        """Called when the program has dropped the result; the garbage collector may call it at any point of any thread."""
        self._is_abandoned = True
        if self.failure is not None:
            with suppress(RuntimeError):  # reported at the end of the program
                threading.Thread(target=self._watcher.ended, args=(self,), name=f"report-{self.client.job_id}", daemon=True).start()

    def _run(self) -> None:
        status, failure = JobStatus.FINISHED, None
        try:
            written = self._read()
            if self._finish is not None:
                self._finish(None)
            self._written = written
        except BaseException as error:  # wait() raises it in the thread of the caller
            status = JobStatus.CANCELED if isinstance(error, JobCancelledException) else JobStatus.FAILED
            failure = error
        finally:
            self.state.end(status, failure)
            self._watcher.ended(self)

    def _read(self) -> list[SupportsArrowArray]:
        try:
            return list(super().batches())
        except BaseException as error:
            if self._finish is not None:
                self._finish(error)
            raise
