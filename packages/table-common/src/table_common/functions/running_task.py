"""Which task of a job runs the code that asks: one in this process, unless a process that runs tasks for an engine sets what tells it."""

from __future__ import annotations

from collections.abc import Callable

from table_common.frozen_dataclass import dataclass

__all__ = ["RunningTask", "running_task", "set_task_source"]


@dataclass(frozen=True, slots=True)
class RunningTask:
    """One of the tasks that do the same with other rows. ``parallelism`` None: the engine does not tell how many there are."""

    index: int = 0
    attempt: int = 0
    parallelism: int | None = 1


_ONLY = RunningTask()
_source: Callable[[], RunningTask | None] | None = None


def running_task() -> RunningTask:
    """Returns the task that runs now."""
    return (_source() if _source is not None else None) or _ONLY


def set_task_source(source: Callable[[], RunningTask | None] | None) -> None:
    """Sets what tells the task that this process runs; None, here or as an answer: there is one task."""
    global _source  # a worker process works for one engine
    _source = source
