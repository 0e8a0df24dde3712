"""Whether and when a job is restarted after a failure."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from datetime import timedelta

from table_common.configuration import ReadableConfig, RestartStrategyOptions
from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.checkpoints.job_lock import LockLostException

_LASTING = {
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
    errno.EINVAL,
    errno.ENOTSUP,
}
_SYSTEM_ERRORS = ("OperationalError", "InterfaceError")
"""Errors of Python's database interface that a database, not a statement, causes."""


def is_failure_of_system(error: BaseException) -> bool:
    """Whether an error comes from a file system, a network or a server, so that a repetition may succeed; an error of data would come again.

    A connector's error counts as one if it is, or was raised from, an ``OSError`` (such as ``ConnectionError`` and ``TimeoutError``) or an
    operational error of a database.
    """
    if isinstance(error, LockLostException):
        return False
    return any(
        isinstance(cause, OSError) or any(base.__name__ in _SYSTEM_ERRORS for base in type(cause).__mro__) for cause in _chain(error)
    )


def is_lasting(error: BaseException) -> bool:
    """Whether an error of a file system says how it is set up, as missing rights do, so that a repetition would fail, too."""
    return any(isinstance(cause, OSError) and cause.errno in _LASTING for cause in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


class Restarts:
    """The restart strategy of one job."""

    def __init__(self, configuration: ReadableConfig) -> None:
        self._type = configuration.get(RestartStrategyOptions.RESTART_STRATEGY) or "exponential-delay"
        is_fixed = self._type == "fixed-delay"
        self._attempts = configuration.get(
            RestartStrategyOptions.FIXED_DELAY_ATTEMPTS if is_fixed else RestartStrategyOptions.EXPONENTIAL_DELAY_ATTEMPTS
        )
        first = RestartStrategyOptions.FIXED_DELAY_DELAY if is_fixed else RestartStrategyOptions.EXPONENTIAL_DELAY_INITIAL_BACKOFF
        self._first = configuration.get(first) / timedelta(seconds=1)
        self._longest = configuration.get(RestartStrategyOptions.EXPONENTIAL_DELAY_MAX_BACKOFF) / timedelta(seconds=1)
        self._factor = 1.0 if is_fixed else configuration.get(RestartStrategyOptions.EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER)
        self._resets = not is_fixed
        self._tried = 0
        self.count = 0
        """How often the job was restarted."""

    def succeeded(self) -> None:
        """Called when an epoch was committed: with exponential delays, attempts are counted from zero."""
        if self._resets:
            self._tried = 0

    def delay_after(self, error: BaseException) -> float | None:
        """Returns after how many seconds the job is restarted; None: it fails."""
        if self._type in ("none", "disable", "off") or not is_failure_of_system(error) or self._tried >= self._attempts:
            if self._tried and isinstance(error, TableRuntimeException):
                error.add_note(f"The job was restarted {self._tried} times before.")
            return None
        delay = min(self._first * self._factor**self._tried, self._longest)
        self._tried += 1
        self.count += 1
        return delay
