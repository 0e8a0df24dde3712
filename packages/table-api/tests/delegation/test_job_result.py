"""The end of a job as a future."""

from __future__ import annotations

import pytest

from table_api.delegation.job_result import CompletableFuture, JobExecutionResult, JobID
from table_common.exceptions import TableRuntimeException, ValidationException


def test_a_result_has_id_and_time() -> None:
    result = JobExecutionResult(JobID("job-7"), 20)
    assert (result.get_job_id(), result.get_net_runtime(), result.get_all_accumulator_results()) == ("job-7", 20, {})
    assert str(result) == "Job job-7 ended after 20 ms."
    with pytest.raises(ValidationException, match=r"no accumulator 'rows'.*\n.*get_metrics"):
        result.get_accumulator_result("rows")


def test_a_future_waits_for_its_value() -> None:
    waits: list[float | None] = []

    def wait(timeout: float | None) -> bool:
        waits.append(timeout)
        return timeout is None

    future = CompletableFuture(wait, lambda: 5)
    assert (future.done(), future.result(), future.exception()) == (False, 5, None)
    assert waits == [0, None, None]
    assert str(future) == "CompletableFuture(not done)"


def test_a_future_has_the_error_of_the_job() -> None:
    def fail() -> int:
        raise TableRuntimeException("The job failed.")

    future = CompletableFuture(lambda timeout: True, fail)
    assert str(future.exception()) == "The job failed."
    with pytest.raises(TableRuntimeException, match="The job failed"):
        future.result()


def test_cancelling_a_future_cancels_a_job_that_runs() -> None:
    calls: list[str] = []
    running = CompletableFuture(lambda timeout: False, lambda: 5, lambda: calls.append("cancel"))
    assert running.cancel()
    assert (running.cancelled(), calls) == (True, ["cancel"])
    ended = CompletableFuture(lambda timeout: True, lambda: 5, lambda: calls.append("again"))
    assert not ended.cancel()
    assert (ended.cancelled(), calls) == (False, ["cancel"])
