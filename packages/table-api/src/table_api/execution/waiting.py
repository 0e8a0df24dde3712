"""Waiting for inserts at the end of a block or a program: progress on standard error, and Ctrl-C."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Protocol

from table_api.delegation import JobClient

__all__ = ["cancel", "cancel_interrupted", "names_of", "tell", "wait_for"]

_QUIET_SECONDS = 2.0
"""How long a wait says nothing."""
_TERMINAL_PERIOD = 0.5
_LINE_PERIOD = 30.0
"""Seconds between two reports, on a terminal and elsewhere."""
_POLL = 0.1
_CANCEL_SECONDS = 10.0
"""How long cancelled jobs get to clean up."""
_ERASE = "\r\033[K"


class WaitedJob(Protocol):
    """An insert, as far as those who wait for it see it."""

    name: str

    @property
    def client(self) -> JobClient: ...

    @property
    def is_running(self) -> bool: ...

    @property
    def is_cancelled(self) -> bool: ...

    def describe(self) -> str: ...

    def join(self, timeout: float | None = None) -> bool: ...

    def cancel(self) -> None: ...


def names_of(jobs: Sequence[WaitedJob]) -> str:
    """Returns the names and ids of jobs, for a message."""
    return ", ".join(f"{job.name} (job {job.client.job_id})" for job in jobs)


def tell(text: str) -> None:
    """Writes a message to standard error, if there is one."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def cancel(jobs: Iterable[WaitedJob]) -> list[WaitedJob]:
    """Cancels jobs and waits until they have cleaned up; returns those that really were cancelled and not just done."""
    asked = [job for job in jobs if job.is_running]
    for job in asked:
        job.cancel()
    deadline = time.monotonic() + _CANCEL_SECONDS
    for job in asked:
        job.join(max(0.0, deadline - time.monotonic()))
    return [job for job in asked if job.is_running or job.is_cancelled]


def cancel_interrupted(jobs: Iterable[WaitedJob]) -> None:
    """Cancels jobs for which somebody waited when Ctrl-C was pressed, and says on standard error which."""
    cancelled = cancel(jobs)
    if cancelled:
        tell(f"Cancelled by Ctrl-C: {names_of(cancelled)}")


def wait_for(running: Callable[[], Sequence[WaitedJob]]) -> None:
    """Waits until no job runs; after two seconds says on standard error which do.

    Raises:
        KeyboardInterrupt: somebody pressed Ctrl-C; the jobs were cancelled, and standard error says which.
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
    """One line that is kept up to date on a terminal; elsewhere a line from time to time."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _QUIET_SECONDS
        self._is_terminal = sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()
        self._is_shown = False

    def update(self, jobs: Sequence[WaitedJob]) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        what = "1 job that still writes" if len(jobs) == 1 else f"{len(jobs)} jobs that still write"
        line = f"Waiting for {what} (Ctrl-C cancels): {', '.join(job.describe() for job in jobs)}"
        if self._is_terminal:
            import shutil  # a program that waits for nothing needs none

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
