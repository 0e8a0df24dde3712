"""Insertions: jobs that run to their end without being read, and whose failures somebody hears of."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from table_api.delegation import JobClient
from table_api.execution.jobs import RunningJob
from table_api.execution.waiting import cancel_interrupted
from table_common.connector import SupportsArrowArray
from table_common.exceptions import JobCancelledException

if TYPE_CHECKING:
    from table_api.delegation import ProgressListener

__all__ = ["BackgroundJob", "JobOwner", "JobProgress", "JobWatcher"]

_LONGEST_WAIT = 0.2
"""Seconds."""


class JobOwner(Protocol):
    """The session of a job, as far as its end is concerned."""

    @property
    def is_block(self) -> bool:
        """Whether the end of a ``with`` block will raise what failed."""

    @property
    def is_completing(self) -> bool:
        """Whether that end is now."""


class JobWatcher(Protocol):
    """What is told of jobs: the module ``program_end``."""

    def watch(self, job: BackgroundJob, /) -> None:
        """A job is about to run."""

    def ended(self, job: BackgroundJob, /) -> None:
        """It has ended, or can no longer be seen."""

    def forget(self, job: BackgroundJob, /) -> None:
        """Its failure was seen."""


class JobProgress:
    """The last report of an engine on a job; also passes reports on to the listener of the program."""

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


class BackgroundJob:
    """An insertion: it runs to its end without being read.

    A failure is *seen* when ``wait`` or ``batches`` raises it. A failure that nobody can see any more, because the program did not keep the
    result, is written to standard error at once; any other one when the environment is closed or the program ends.
    """

    def __init__(
        self,
        job: RunningJob,
        name: str,
        *,
        owner: JobOwner,
        watcher: JobWatcher,
        progress: JobProgress | None = None,
        finish: Callable[[BaseException | None], None] | None = None,
    ) -> None:
        """``owner`` is the session.

        ``finish`` is called when the job has ended, with its failure if it failed; what it raises is the job's failure.
        """
        self.name = name
        self.owner = owner
        self._watcher = watcher
        self._job = job
        self._progress = progress
        self._finish = finish
        self.was_told = False
        self.started = time.monotonic()
        self._batches: list[SupportsArrowArray] = []
        self._failure: BaseException | None = None
        self._done = threading.Event()
        self._is_abandoned = False
        self._is_awaited = False
        # Not a daemon: an insert that a thread starts while the program ends already is joined with the program's other threads.
        self._thread = threading.Thread(target=self._run, name=f"job-{job.client.job_id}", daemon=False)
        watcher.watch(self)
        self._thread.start()

    @property
    def client(self) -> JobClient:
        """The handle to watch and cancel it."""
        return self._job.client

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return not self._done.is_set()

    @property
    def failure(self) -> BaseException | None:
        """Why it failed or was cancelled; None while it runs and after it ended well."""
        return self._failure

    @property
    def is_cancelled(self) -> bool:
        """Whether it ended because somebody cancelled it."""
        return isinstance(self._failure, JobCancelledException)

    @property
    def is_abandoned(self) -> bool:
        """Whether the program has no result any more by which it could see a failure."""
        return self._is_abandoned

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for the end, and so sees a failure."""
        return self._is_awaited

    def describe(self) -> str:
        """Returns name, time and progress, for a person who waits."""
        seconds = f"{time.monotonic() - self.started:.0f} s"
        progress = str(self._progress or "")
        return f"{self.name} ({', '.join(part for part in (seconds, progress) if part)})"

    def batches(self) -> Iterator[SupportsArrowArray]:
        """Waits for the end and yields the number of rows written; may be called again."""
        self.wait()
        return iter(self._batches)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the end; returns False if the seconds passed before.

        Raises:
            TableRuntimeException: the job failed.
            KeyboardInterrupt: somebody pressed Ctrl-C; the job was cancelled, and standard error says so.
        """
        self._is_awaited |= timeout is None
        try:
            ended = self.join(timeout)
        except KeyboardInterrupt:
            cancel_interrupted([self])
            raise
        if not ended:
            return False
        if self._failure is not None:
            self._watcher.forget(self)
            raise self._failure
        return True

    def join(self, timeout: float | None = None) -> bool:
        """Waits for the end, whatever it is; returns False if the seconds passed before."""
        if timeout is not None:
            return self._done.wait(timeout)
        # In short waits: a Ctrl-C that comes just before a thread begins to wait is seen only when it wakes.
        while not self._done.wait(_LONGEST_WAIT):
            pass
        return True

    def cancel(self) -> None:
        """Asks the job to stop."""
        self._job.cancel()

    def abandon(self) -> None:
        """Is called when the program has dropped the result, maybe by the garbage collector in the middle of anything."""
        self._is_abandoned = True
        if self._failure is not None and not self.is_running:
            with suppress(RuntimeError):  # the program ends, and tells it then
                threading.Thread(target=self._watcher.ended, args=(self,), name=f"report-{self.client.job_id}", daemon=True).start()

    def _run(self) -> None:
        try:
            batches = self._read()
            if self._finish is not None:
                self._finish(None)
            self._batches = batches
        except BaseException as error:  # a thread has nobody to raise to: wait() does it
            self._failure = error
        finally:
            self._done.set()
            self._watcher.ended(self)

    def _read(self) -> list[SupportsArrowArray]:
        try:
            return list(self._job.batches())
        except BaseException as error:
            if self._finish is not None:
                self._finish(error)
            raise
