"""Jobs of the planner SPI: what clients without savepoints and metrics say."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from table_api.delegation.job import JobClient, JobOptions, refuse_restoring
from table_common.annotation import override
from table_common.exceptions import TableException
from table_common.job_state import JobState, JobStatus


class _Client(JobClient):
    @property
    @override
    def job_id(self) -> str:
        return "job-7"

    @override
    def get_job_status(self) -> JobStatus:
        return JobStatus.RUNNING

    @override
    def request_cancellation(self) -> None: ...


class _Stopped(_Client):
    def __init__(self) -> None:
        self._state = JobState()

    @property
    @override
    def job_state(self) -> JobState:
        return self._state

    @override
    def request_cancellation(self) -> None:
        threading.Timer(0.05, self.job_state.end, [JobStatus.CANCELED]).start()


def test_a_cancellation_is_waited_for() -> None:
    client = _Stopped()
    assert client.cancel().result() is None
    assert client.job_state.status is JobStatus.CANCELED


@pytest.mark.parametrize("call", [JobClient.trigger_savepoint, JobClient.stop_with_savepoint, JobClient.get_metrics])
def test_a_client_without_savepoints_or_metrics_names_the_job(call: Callable[[JobClient], Any]) -> None:
    with pytest.raises(TableException, match="job-7"):
        call(_Client())


def test_restoring_is_refused_with_the_path() -> None:
    with pytest.raises(TableException, match="'x' cannot restore a job from 'file:///s'"):
        refuse_restoring(JobOptions("insert", restore_from="file:///s"), "x")


def test_a_job_without_a_savepoint_is_not_refused() -> None:
    refuse_restoring(JobOptions("insert"), "x")


def test_a_job_has_no_warnings_unless_its_engine_has() -> None:
    assert _Client().get_warnings() == ()


def test_a_client_gives_the_end_of_its_job() -> None:
    class WithState(_Client):
        def __init__(self) -> None:
            self.state = JobState()

        @property
        @override
        def job_state(self) -> JobState:
            return self.state

    finished, failed = WithState(), WithState()
    finished.state.end(JobStatus.FINISHED)
    assert finished.get_job_execution_result().result().get_job_id() == finished.get_job_id() == "job-7"
    failed.state.end(JobStatus.FAILED)
    assert str(failed.get_job_execution_result().exception()) == "Job job-7 ended as FAILED."


def test_a_client_without_state_refuses_the_future() -> None:
    with pytest.raises(TableException, match="does not report the end"):
        _Client().get_job_execution_result()


def test_a_status_is_its_own_result() -> None:
    assert _Client().get_job_status().result() is JobStatus.RUNNING
