"""What process table functions get that are called with many rows at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from table_common.annotation import public_evolving


@public_evolving
class ProcessBatchContext(ABC):
    """What ``eval_batch`` and ``on_timer_batch`` get as their first parameter. Arrays have an element for each row of the call, each of another key.

    Source: the contexts of Flink's ``ProcessTableFunction``, for many keys at once.

    Example:
        >>> sorted(ProcessBatchContext.__abstractmethods__)
        ['clear', 'clear_timers', 'set_timers', 'timer', 'times']
    """

    @property
    @abstractmethod
    def times(self) -> Any:
        """The times of the rows, or of the timers: a ``numpy`` array of milliseconds since 1970; None without ``on_time``. A NULL is the least number."""

    @property
    @abstractmethod
    def timer(self) -> str | None:
        """The name of the timer in ``on_timer_batch``."""

    @abstractmethod
    def set_timers(self, name: str, times: Any, rows: Any = None) -> None:
        """Sets the timer of a name for the keys of some rows (indexes, or an array of booleans; None: all); ``times`` has a time for each of them.

        Raises:
            TableRuntimeException: the function has no ``on_timer_batch``, or the call no partitions.
        """

    @abstractmethod
    def clear_timers(self, name: str, rows: Any = None) -> None:
        """Removes the timer of a name for the keys of some rows."""

    @abstractmethod
    def clear(self, rows: Any = None) -> None:
        """Clears state and timers of the keys of some rows, after the call."""
