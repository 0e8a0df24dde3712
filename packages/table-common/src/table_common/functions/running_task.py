"""The task of the job that runs the current code: the only one, unless a worker process of an engine sets a source of this information."""

from __future__ import annotations

from collections.abc import Callable

from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RunningTask:
    """One of the parallel tasks. ``parallelism`` is None if the engine does not provide their number.

    Example:
        >>> RunningTask(index=2, parallelism=None).attempt
        0
    """

    index: int = 0
    attempt: int = 0
    parallelism: int | None = 1


_ONLY = RunningTask()
_source: Callable[[], RunningTask | None] | None = None


def running_task() -> RunningTask:
    """Returns the current task."""
    return (_source() if _source is not None else None) or _ONLY


def set_task_source(source: Callable[[], RunningTask | None] | None) -> None:
    """Sets the function that returns the current task of this process; None, as the function or its result: there is one task.

    Example:
        >>> set_task_source(lambda: RunningTask(index=2, parallelism=4))
        >>> running_task().index
        2
        >>> set_task_source(None)
    """
    global _source  # a worker process works for one engine
    _source = source
