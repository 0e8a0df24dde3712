"""A job of a session: its rows, its timeout and its end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol, TypeVar

from table_api.delegation import JobClient, JobExecution, JobStatus
from table_common.connector import SupportsArrowArray
from table_common.exceptions import JobCancelledException, JobTimeoutException, TableError
from table_common.restrictions import keeping_restrictions

if TYPE_CHECKING:
    import logging

_Error = TypeVar("_Error", bound=BaseException)


class JobLog(Protocol):
    """What is told of a job to the log of statements."""

    def count_rows(self, rows: int, /) -> None: ...

    def end(self, error: BaseException | None = None, *, outcome: str = "finished") -> None: ...


class Job:
    """A job of a session, whose rows the program reads; the timeout applies until the last row is read."""

    def __init__(
        self,
        execution: JobExecution,
        name: str,
        timeout: timedelta | None,
        on_end: Callable[[Job], None],
        hide: Callable[[BaseException], None] | None = None,
    ) -> None:
        """``hide`` redacts secrets in an error."""
        self.name = name
        self._execution = execution
        self._timeout = timeout
        self._on_end = on_end
        self._hide = hide
        self._timed_out = False
        self._is_cancelled = False
        self._is_read = False
        self._buffer: list[SupportsArrowArray] = []
        self._source: Iterator[SupportsArrowArray] | None = None
        self._lock = threading.Lock()
        self._statement_log: JobLog | None = None
        self._writes = False
        self._watchdog: threading.Timer | None = None
        if timeout is not None:
            self._watchdog = threading.Timer(timeout.total_seconds(), self._time_out)
            self._watchdog.daemon = True
            self._watchdog.start()

    @property
    def client(self) -> JobClient:
        """The client that monitors and cancels the job."""
        return self._execution.client

    @property
    def is_unbounded(self) -> bool:
        """Whether the job runs until it is stopped."""
        return self._execution.is_unbounded

    def log(self, statement_log: JobLog, *, writes: bool) -> None:
        """Reports rows and end to a log; the rows of a job that ``writes`` are numbers of rows."""
        self._statement_log, self._writes = statement_log, writes

    def batches(self) -> Iterator[SupportsArrowArray]:
        """Yields the rows as record batches; closing the iterator cancels the job.

        Raises:
            JobTimeoutException: the timeout expired.
            TableRuntimeException: the job failed.
        """
        self._is_read = True
        return _Batches(self)

    def discard(self) -> None:
        """Cancels the job if its rows were never asked for: its result is gone, so nobody can read them."""
        if not self._is_read:
            self.stop_reading()

    def next_batch(self) -> SupportsArrowArray | None:
        """Returns the next rows; None after the last, when the job has ended."""
        try:
            with self._lock:
                batch = self._buffer.pop(0) if self._buffer else self._next()
        except BaseException:
            self._end()
            raise
        if batch is None:
            self._end()
        return batch

    def stop_reading(self) -> None:
        """Cancels the job, even if no row was read, or another thread waits for the next one."""
        self.client.cancel()
        self._log_end(outcome="closed")
        self._end()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the first rows arrive or the job has ended; returns False after the timeout in seconds.

        Raises:
            TableError: the job failed.
        """
        if timeout is None:
            self._fetch_first()
            return True
        failures: list[BaseException] = []

        def fetch() -> None:
            try:
                self._fetch_first()
            except TableError as error:
                failures.append(error)

        waiter = threading.Thread(target=keeping_restrictions(fetch), name=f"wait-{self.client.job_id}", daemon=True)
        waiter.start()
        waiter.join(timeout)
        if failures:
            raise failures[0]
        return not waiter.is_alive()

    def cancel(self) -> None:
        """Asks the job to stop. Rows of a job that has finished can still be read; otherwise a reader gets an error, not a part of the rows."""
        self.client.cancel()
        if self.client.get_job_status() is JobStatus.FINISHED:
            self._stop_watching()
            return
        self._is_cancelled = True
        self._log_end(outcome="cancelled")
        self._end()

    def end(self) -> None:
        """Asks the job to end: an unbounded job commits what it has processed, any other one is cancelled."""
        self.client.end()
        if self.client.get_job_status() is JobStatus.CANCELED:
            self.cancel()

    def _fetch_first(self) -> None:
        with self._lock:
            if not self._buffer:
                batch = self._next()
                if batch is not None:
                    self._buffer.append(batch)

    def _next(self) -> SupportsArrowArray | None:
        if self._timed_out and self.client.get_job_status() is JobStatus.FINISHED and not self._has_written:
            raise self._timeout_error()  # the engine raises no error, and all rows that it has produced would be read first
        if self._source is None:
            self._source = self._execution.batches()
        try:
            batch = next(self._source, None)
        except Exception as error:
            self._end()
            if self._hide is not None:
                self._hide(error)
            if self._timed_out and not isinstance(error, JobTimeoutException):
                raise self._logged(self._timeout_error(error.message if isinstance(error, TableError) else "")) from error
            self._logged(error)
            raise
        if batch is None:
            self._end()
            if self._timed_out and not self._has_written:
                raise self._logged(self._timeout_error())
            if self._is_cancelled:
                raise self._logged(JobCancelledException(f"Job {self.client.job_id} was cancelled."))
            self._log_end()
        elif self._statement_log is not None:
            self._statement_log.count_rows(_written(batch) if self._writes else getattr(batch, "num_rows", 0))
        return batch

    @property
    def _has_written(self) -> bool:
        """Whether the rows of an INSERT are committed: then it has succeeded, however long it took."""
        client = self.client
        return client.get_job_status() is JobStatus.FINISHED and client.commits

    def _logged(self, error: _Error) -> _Error:
        self._log_end(error)
        return error

    def _log_end(self, error: BaseException | None = None, *, outcome: str = "finished") -> None:
        if self._statement_log is not None:
            self._statement_log.end(error, outcome=outcome)

    def _end(self) -> None:
        self._stop_watching()
        source = self._source
        if source is not None:
            close = getattr(source, "close", None)
            if close is not None:
                _close_quietly(close)

    def _stop_watching(self) -> None:
        if self._watchdog is not None:
            self._watchdog.cancel()
        self._on_end(self)

    def _time_out(self) -> None:
        self._timed_out = True
        self.client.cancel()

    def _timeout_error(self, end: str = "") -> JobTimeoutException:
        """``end`` is the engine's cancellation message, which may name a function that does not return."""
        assert self._timeout is not None
        was_doing = end.partition("was cancelled.")[2]
        return JobTimeoutException(
            f"Job {self.client.job_id} ran longer than {self._timeout.total_seconds():g} s and was cancelled.{was_doing}",
            hint="the option 'table.exec.timeout' is the limit",
        )


AnyJob = TypeVar("AnyJob", bound=Job)
CreateJob = Callable[[JobExecution, str, timedelta | None, Callable[[Job], None], Callable[[BaseException], None]], AnyJob]
"""Makes a job as ``Job`` does, from its execution, name, timeout, ``on_end`` and ``hide``."""


class _Batches(Iterator[SupportsArrowArray]):
    """The rows of a job. Not a generator: closing a generator that has not started would not cancel the job."""

    def __init__(self, job: Job) -> None:
        self._job: Job | None = job

    def __next__(self) -> SupportsArrowArray:
        job = self._job
        if job is None:
            raise StopIteration
        try:
            batch = job.next_batch()
        except BaseException:
            self._job = None
            raise
        if batch is None:
            self._job = None
            raise StopIteration
        return batch

    def close(self) -> None:
        """Cancels the job if it still runs."""
        job, self._job = self._job, None
        if job is not None:
            job.stop_reading()

    def __del__(self) -> None:
        self.close()


def _written(batch: object) -> int:
    """Returns the sum of a result that has the rows written to each sink, or -1 where that is not known."""
    rows: list[dict[str, int]] = getattr(batch, "to_pylist", list)()
    return sum(max(count, 0) for row in rows for count in row.values())


def _close_quietly(close: Callable[[], None]) -> None:
    # A generator that another thread is reading cannot be closed; cancelling the job ends the generator.
    try:
        close()
    except ValueError:
        _log().debug("the result is being read while it is closed")


def _log() -> logging.Logger:
    import logging  # imported only when there is a progress report

    return logging.getLogger("table.job")
