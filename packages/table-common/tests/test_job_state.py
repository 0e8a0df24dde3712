"""The state of a job: which status follows another, and who waits for the last."""

from __future__ import annotations

from table_common.exceptions import TableException
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
