"""What a function may ask of the job that runs it."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.exceptions import ValidationException
from table_common.functions.metrics import MetricGroup

__all__ = ["FunctionContext"]


class FunctionContext:
    """Given to ``open``: the job's parameters, files that were shipped with it, metrics."""

    def __init__(
        self,
        job_parameters: Mapping[str, str] | None = None,
        cached_files: Mapping[str, str] | None = None,
        metric_group: MetricGroup | None = None,
    ) -> None:
        self._job_parameters = dict(job_parameters or {})
        self._cached_files = dict(cached_files or {})
        self._metric_group = metric_group

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

    @property
    def has_metrics(self) -> bool:
        """Whether the function asked for its metrics."""
        return self._metric_group is not None
