"""Tests for table_api.delegation.metrics_listener."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import pytest

from table_api.delegation.metrics_listener import call_with_metrics
from table_common.exceptions import ValidationException
from table_common.job_state import JobState, JobStatus


class Client:
    job_id = "j1"

    def __init__(self) -> None:
        self.job_state = JobState()
        self.rows = 0

    def get_metrics(self) -> Mapping[str, int | float]:
        self.rows += 1
        return {"Source[1].numRecordsOut": self.rows}


def test_a_listener_gets_the_metrics_until_the_job_has_ended() -> None:
    client, seen = Client(), list[tuple[str, Mapping[str, int | float]]]()

    def listen(job: str, metrics: Mapping[str, int | float]) -> None:
        seen.append((job, metrics))
        if len(seen) == 2:
            client.job_state.end(JobStatus.FINISHED)

    call_with_metrics(client, listen, 0.001).join(20)
    assert seen == [("j1", {"Source[1].numRecordsOut": 2}), ("j1", {"Source[1].numRecordsOut": 3})]


def test_a_listener_is_called_at_once_when_the_job_ends() -> None:
    client, seen = Client(), list[Mapping[str, int | float]]()
    thread = call_with_metrics(client, lambda _, metrics: seen.append(metrics), 1000.0)
    client.job_state.end(JobStatus.FINISHED)
    thread.join(20)
    assert len(seen) == 1


def test_a_listener_that_fails_is_logged_and_not_called_again(caplog: pytest.LogCaptureFixture) -> None:
    def fail(job: str, metrics: Mapping[str, int | float]) -> None:
        raise OSError("the monitoring system is away")

    with caplog.at_level(logging.ERROR, "table.job"):
        call_with_metrics(Client(), fail, 0.001).join(20)
    assert [record.getMessage() for record in caplog.records] == ["A metrics listener of job j1 failed and is not called any more."]


def test_the_interval_is_positive() -> None:
    with pytest.raises(ValidationException, match="must be positive, but is 0 s"):
        call_with_metrics(Client(), lambda job, metrics: None, 0)
