"""Waiting for INSERTs at the end of a block or a program: progress on standard error, and Ctrl-C."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from table_api.jobs.insert_job import InsertJob

_QUIET_SECONDS = 2.0
"""How long to wait before the first report."""
_TERMINAL_PERIOD = 0.5
_LINE_PERIOD = 30.0
"""Seconds between two reports, on a terminal and elsewhere."""
_POLL = 0.1
_CANCEL_SECONDS = 10.0
"""How long to wait for cancelled jobs to clean up."""
_ERASE = "\r\033[K"


def names_of(jobs: Sequence[InsertJob]) -> str:
    """Returns the names and ids of jobs, for a message."""
    return ", ".join(f"{job.name} (job {job.client.job_id})" for job in jobs)


def tell(text: str) -> None:
    """Writes a message to standard error, if there is one."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def cancel(jobs: Iterable[InsertJob]) -> list[InsertJob]:
    """Ends jobs and waits for them to clean up; returns those that were cancelled before they had ended. Unbounded jobs commit what they have processed."""
    asked = [job for job in jobs if job.is_running]
    for job in asked:
        job.end()
    deadline = time.monotonic() + _CANCEL_SECONDS
    for job in asked:
        job.join(max(0.0, deadline - time.monotonic()))
    return [job for job in asked if job.is_running or job.is_cancelled]


def cancel_interrupted(jobs: Iterable[InsertJob]) -> None:
    """Cancels the jobs that were waited for when Ctrl-C was pressed, and reports them on standard error."""
    cancelled = cancel(jobs)
    if cancelled:
        tell(f"Cancelled by Ctrl-C: {names_of(cancelled)}")


def wait_for(running: Callable[[], Sequence[InsertJob]]) -> None:
    """Waits until no job runs; after two seconds reports the running jobs on standard error.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the jobs were cancelled, which is reported on standard error.
    """
    report = _Report()
    try:
        while jobs := running():
            jobs[0].join(_POLL)
            report.update(jobs)
        report.clear()
    except KeyboardInterrupt:
        report.clear()
        cancel_interrupted(running())
        raise


class _Report:
    """The progress report: one updated line on a terminal, elsewhere a line every 30 seconds."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _QUIET_SECONDS
        self._is_terminal = sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()
        self._is_shown = False

    def update(self, jobs: Sequence[InsertJob]) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        what = "1 job that still writes" if len(jobs) == 1 else f"{len(jobs)} jobs that still write"
        line = f"Waiting for {what} (Ctrl-C cancels): {', '.join(job.describe() for job in jobs)}"
        if self._is_terminal:
            import shutil  # only needed for progress on a terminal

            with suppress(OSError, ValueError):
                sys.stderr.write(_ERASE + line[: shutil.get_terminal_size().columns - 1])
                sys.stderr.flush()
            self._is_shown = True
        else:
            tell(line)
        self._next = now + (_TERMINAL_PERIOD if self._is_terminal else _LINE_PERIOD)

    def clear(self) -> None:
        if self._is_shown:
            with suppress(OSError, ValueError):
                sys.stderr.write(_ERASE)
                sys.stderr.flush()
