"""The state of a job: which status follows another, and who waits for the last."""

from __future__ import annotations

import pytest

from table_common.exceptions import JobCancelledException, TableException, TableInternalError
from table_common.job_state import JobState, JobStatus


def test_the_first_final_status_wins() -> None:
    state = JobState()
    assert state.end(JobStatus.CANCELED)
    assert not state.end(JobStatus.FAILED)
    assert state.status is JobStatus.CANCELED
    assert state.is_cancelled


def test_a_job_begins_running() -> None:
    assert JobState().status is JobStatus.RUNNING


def test_a_state_is_waited_for() -> None:
    state = JobState()
    assert not state.wait(0)
    error = TableException("It failed.")
    state.end(JobStatus.FAILED, error)
    assert state.wait()
    assert state.error is error
    assert state.net_runtime >= 0


def test_a_job_restarts_and_ends_once() -> None:
    state = JobState()
    for status in (JobStatus.RUNNING, JobStatus.RESTARTING, JobStatus.RESTARTING, JobStatus.RUNNING, JobStatus.RESTARTING):
        state.change(status)
        assert state.status is status
    assert state.end(JobStatus.FAILED)
    state.change(JobStatus.RUNNING)  # a thread of the job that has not seen its end
    assert state.status is JobStatus.FAILED


@pytest.mark.parametrize("status", [JobStatus.FINISHED, JobStatus.FAILED, JobStatus.CANCELED, JobStatus.SUSPENDED])
def test_a_change_does_not_end_a_job(status: JobStatus) -> None:
    # Nobody who waits for its end would see it.
    state = JobState()
    with pytest.raises(TableInternalError, match=rf"A job that changes to {status.value} has ended: end\(\) says so"):
        state.change(status)
    assert state.status is JobStatus.RUNNING


def test_a_job_that_runs_is_not_created_again() -> None:
    with pytest.raises(TableInternalError, match="A job that is RUNNING cannot become CREATED"):
        JobState().change(JobStatus.CREATED)


@pytest.mark.parametrize("status", [JobStatus.CREATED, JobStatus.RUNNING, JobStatus.RESTARTING, JobStatus.SUSPENDED])
def test_a_job_ends_with_a_final_status(status: JobStatus) -> None:
    with pytest.raises(TableInternalError, match=f"A job that is {status.value} has not ended"):
        JobState().end(status)


def test_a_job_that_commits_is_not_cancelled() -> None:
    state = JobState()
    state.begin_commit()
    assert not state.end(JobStatus.CANCELED)
    with pytest.raises(JobCancelledException):
        state.go_on()  # the next part is not committed
    assert state.end(JobStatus.CANCELED)
    with pytest.raises(JobCancelledException):
        state.begin_commit()
