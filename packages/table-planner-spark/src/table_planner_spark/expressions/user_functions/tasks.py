"""Tells functions in Spark's Python workers which task runs them, for their function context."""

from __future__ import annotations

from pyspark import TaskContext

from table_common.functions import RunningTask, set_task_source


def tell_tasks() -> None:
    """Makes Spark's current task available to functions in this worker."""
    set_task_source(_of_spark)


def _of_spark() -> RunningTask | None:
    context = TaskContext.get()
    # Only Spark's JVM knows the number of tasks of a stage.
    return None if context is None else RunningTask(context.partitionId(), context.attemptNumber(), None)
