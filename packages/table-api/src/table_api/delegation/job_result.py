"""What PyFlink's ``JobClient`` returns: the id of a job, and its end as a future."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

_T = TypeVar("_T")


class JobID(str):
    """The id of a job, a text.

    Example:
        >>> str(JobID("job-1"))
        'job-1'

    Source: PyFlink's ``pyflink.common.JobID``.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class JobExecutionResult:
    """The end of a job: its id and how long it ran.

    Example:
        >>> JobExecutionResult(JobID("job-1"), 20).get_net_runtime()
        20

    Source: PyFlink's ``pyflink.common.JobExecutionResult``.
    """

    job_id: JobID
    net_runtime: int
    """Milliseconds."""

    def get_job_id(self) -> JobID:
        """Returns the id of the job."""
        return self.job_id

    def get_net_runtime(self) -> int:
        """Returns how many milliseconds the job ran."""
        return self.net_runtime

    def get_accumulator_result(self, accumulator_name: str) -> Any:
        """Refuses: a job has no accumulators.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise ValidationException(
            f"The job has no accumulator '{accumulator_name}'.", hint="JobClient.get_metrics() has the job's numbers."
        )

    def get_all_accumulator_results(self) -> Mapping[str, Any]:
        """Returns an empty mapping: a job has no accumulators."""
        return {}

    def __str__(self) -> str:
        return f"Job {self.job_id} ended after {self.net_runtime} ms."


class CompletableFuture(Generic[_T]):
    """A value that is there when a job has ended.

    Args:
        wait: waits at most the seconds given, None forever, and returns whether the value is there.
        value: returns the value, or raises the error in its place.
        cancel: prevents the value, if that is possible.

    Example:
        >>> CompletableFuture(lambda timeout: True, lambda: 5).result()
        5

    Source: PyFlink's ``pyflink.common.CompletableFuture``.
    """

    def __init__(self, wait: Callable[[float | None], bool], value: Callable[[], _T], cancel: Callable[[], None] | None = None) -> None:
        self._wait = wait
        self._value = value
        self._cancel = cancel
        self._is_cancelled = False

    def cancel(self) -> bool:
        """Cancels the job that the value waits for; returns whether it ran until now."""
        if self._cancel is None or self.done():
            return False
        self._cancel()
        self._is_cancelled = True
        return True

    def cancelled(self) -> bool:
        """Returns whether ``cancel`` stopped the job."""
        return self._is_cancelled

    def done(self) -> bool:
        """Returns whether the value is there."""
        return self._wait(0)

    def result(self) -> _T:
        """Waits, and returns the value.

        Raises:
            TableRuntimeException: the job failed or was cancelled.
        """
        self._wait(None)
        return self._value()

    def exception(self) -> BaseException | None:
        """Waits, and returns the error of the job, or None."""
        try:
            self.result()
        except Exception as error:  # the error is the result
            return error
        return None

    def __str__(self) -> str:
        return f"CompletableFuture({'done' if self.done() else 'not done'})"
