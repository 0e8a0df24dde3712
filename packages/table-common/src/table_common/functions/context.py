"""The runtime context of a user function."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.exceptions import TableException, ValidationException
from table_common.functions.metrics import MetricGroup
from table_common.functions.running_task import running_task


class FunctionContext:
    """The argument of ``open``: the job's parameters, its cached files, metrics, and the current task.

    The embedded engine has one task. On Spark an opened function serves several tasks of its worker, one after the other: read properties of
    the task in each call, not in ``open``.

    Source: Flink's ``org.apache.flink.table.functions.FunctionContext``.

    Example:
        >>> context = FunctionContext({"region": "eu"}, {"model": "/tmp/model.bin"})
        >>> context.get_job_parameter("region", "us"), context.get_cached_file("model")
        ('eu', '/tmp/model.bin')
    """

    def __init__(
        self,
        job_parameters: Mapping[str, str] | None = None,
        cached_files: Mapping[str, str] | None = None,
        metric_group: MetricGroup | None = None,
        task_name: str = "task",
    ) -> None:
        self._job_parameters = dict(job_parameters or {})
        self._cached_files = dict(cached_files or {})
        self._metric_group = metric_group
        self._task_name = task_name

    def get_job_parameter(self, key: str, default_value: str) -> str:
        """Returns a parameter of the job (option ``pipeline.global-job-parameters``), or the default."""
        return self._job_parameters.get(key, default_value)

    def get_cached_file(self, name: str) -> str:
        """Returns the path, on this machine, of a file or folder that ``register_cached_file`` registered under the name.

        Raises:
            ValidationException: No file is registered under the name.
        """
        if name not in self._cached_files:
            raise ValidationException.unknown(
                "Cached file", name, self._cached_files, hint=f"t_env.register_cached_file('/path/of/the/file', '{name}')"
            )
        return self._cached_files[name]

    def get_metric_group(self) -> MetricGroup:
        """Returns the function's metrics; ``function_metrics()`` returns the totals over all copies of the function."""
        if self._metric_group is None:
            self._metric_group = MetricGroup()
        return self._metric_group

    def get_task_name(self) -> str:
        """Returns the name of the task, which is that of the function."""
        return self._task_name

    def get_task_name_with_subtasks(self) -> str:
        """Returns the name, the task's number from 1, the number of tasks (``?`` if the engine does not provide it) and the attempt from 0."""
        task = running_task()
        return f"{self._task_name} ({task.index + 1}/{task.parallelism or '?'})#{task.attempt}"

    def get_number_of_parallel_subtasks(self) -> int:
        """Returns the number of parallel tasks of the function; 1 on the embedded engine.

        Raises:
            TableException: The engine does not tell, as Spark.
        """
        parallelism = running_task().parallelism
        if parallelism is None:
            # Differs from Flink: Spark does not tell workers how many tasks a stage has, so FunctionContext cannot either.
            raise TableException(
                "How many tasks run a function is not known to Spark's workers.",
                hint="get_index_of_this_subtask() differs between the tasks of a stage, without an upper bound.",
            )
        return parallelism

    def get_max_number_of_parallel_subtasks(self) -> int:
        """Returns the maximal number of parallel tasks, which is their number, since no engine rescales a running job.

        Raises:
            TableException: The engine does not tell, as Spark.
        """
        return self.get_number_of_parallel_subtasks()

    def get_index_of_this_subtask(self) -> int:
        """Returns the index of the task, from 0; on Spark, that of the partition."""
        return running_task().index

    def get_attempt_number(self) -> int:
        """Returns the number of restarts of the task, 0 for the first attempt."""
        return running_task().attempt

    @property
    def has_metrics(self) -> bool:
        """Whether the function has used its metrics."""
        return self._metric_group is not None
