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
        self._metric_group = metric_group or MetricGroup()

    def get_job_parameter(self, key: str, default_value: str) -> str:
        """Returns a parameter of the job (option ``pipeline.global-job-parameters``), or the default."""
        return self._job_parameters.get(key, default_value)

    def get_cached_file(self, name: str) -> str:
        """Returns the path of a file that was registered under the name.

        Raises:
            ValidationException: There is none.
        """
        if name not in self._cached_files:
            raise ValidationException.unknown("Cached file", name, self._cached_files)
        return self._cached_files[name]

    def get_metric_group(self) -> MetricGroup:
        """Returns the function's metrics."""
        return self._metric_group
