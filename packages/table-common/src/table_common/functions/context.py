"""What a function may ask of the job that runs it."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.exceptions import TableException, ValidationException
from table_common.functions.metrics import MetricGroup
from table_common.functions.running_task import running_task

__all__ = ["FunctionContext"]


class FunctionContext:
    """Given to ``open``: the job's parameters, files that were shipped with it, metrics, and the task that runs.

    In the process there is one task. On Spark an opened function serves one task after the other in its worker, so that what is asked of the
    task is that of the moment: ask in the call, not in ``open``, what belongs to a row.
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
            ValidationException: There is none.
        """
        if name not in self._cached_files:
            raise ValidationException.unknown(
                "Cached file", name, self._cached_files, hint=f"t_env.register_cached_file('/path/of/the/file', '{name}')"
            )
        return self._cached_files[name]

    def get_metric_group(self) -> MetricGroup:
        """Returns the function's metrics; ``function_metrics()`` shows what those of all copies come to."""
        if self._metric_group is None:
            self._metric_group = MetricGroup()
        return self._metric_group

    def get_task_name(self) -> str:
        """Returns the name of what the task does: that of the function."""
        return self._task_name

    def get_task_name_with_subtasks(self) -> str:
        """Returns the name with the task's number from 1, how many there are (``?`` where the engine does not tell) and the attempt from 0."""
        task = running_task()
        return f"{self._task_name} ({task.index + 1}/{task.parallelism or '?'})#{task.attempt}"

    def get_number_of_parallel_subtasks(self) -> int:
        """Returns how many tasks do the same with other rows; 1 in the process.

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
        """Returns how many tasks there may come to be: as many as there are, since neither engine changes a running job.

        Raises:
            TableException: The engine does not tell, as Spark.
        """
        return self.get_number_of_parallel_subtasks()

    def get_index_of_this_subtask(self) -> int:
        """Returns the number of the task from 0: that of the partition on Spark."""
        return running_task().index

    def get_attempt_number(self) -> int:
        """Returns how often the task failed and was begun again; 0 at first."""
        return running_task().attempt

    @property
    def has_metrics(self) -> bool:
        """Whether the function asked for its metrics."""
        return self._metric_group is not None
