"""The task that a Python worker of Spark runs, for functions that ask their context."""

from __future__ import annotations

from pyspark import TaskContext

from table_common.functions import RunningTask, set_task_source

__all__ = ["tell_tasks"]


def tell_tasks() -> None:
    """Makes functions in this worker see Spark's tasks."""
    set_task_source(_of_spark)


def _of_spark() -> RunningTask | None:
    context = TaskContext.get()
    # How many tasks a stage has is known to Spark's JVM alone.
    return None if context is None else RunningTask(context.partitionId(), context.attemptNumber(), None)
