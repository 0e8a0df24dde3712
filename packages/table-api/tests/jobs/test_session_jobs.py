from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from table_api import JobStatus, TableEnvironment, TableRuntimeException
from table_api.jobs.session_jobs import StartedJob
from table_api.table_result import TableResult

if TYPE_CHECKING:
    from conftest import FakePlanner


def shown(env: TableEnvironment) -> list[tuple[object, ...]]:
    result = env.execute_sql("SHOW JOBS")
    assert result.get_resolved_schema().column_names == ("job id", "job name", "status", "start time")
    return [tuple(row)[:3] for row in result.collect()]


def test_without_jobs_there_are_no_rows(env: TableEnvironment) -> None:
    assert shown(env) == []


def test_jobs_are_shown_with_their_status(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.endless = True
    result: TableResult = env.execute_sql("SELECT a FROM t")
    assert shown(env) == [("job-1", "collect", "RUNNING")]
    client = result.get_job_client()
    assert client is not None
    client.cancel()
    assert shown(env) == [("job-1", "collect", "CANCELED")]


def test_a_job_has_the_name_of_the_option(env: TableEnvironment, planner: FakePlanner) -> None:
    env.get_config().set("pipeline.name", "nightly")
    env.execute_sql("SELECT a FROM t").wait()
    assert shown(env) == [("job-1", "nightly", "FINISHED")]


def test_a_failed_job_stays_in_the_list(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.failure = TableRuntimeException("disk full")
    with pytest.raises(TableRuntimeException):
        env.execute_sql("SELECT a FROM t").wait()
    planner.job.status = JobStatus.FAILED  # as engines set it
    assert [row[2] for row in shown(env)] == ["FAILED"]


def test_the_last_hundred_jobs_are_remembered(env: TableEnvironment) -> None:
    for _ in range(105):
        env.execute_sql("SELECT a FROM t").wait()
    assert len(shown(env)) == 100


def test_an_endless_job_is_cancelled_with_its_unread_result(
    env: TableEnvironment, planner: FakePlanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(planner.job), "is_unbounded", True)
    result = env.execute_sql("SELECT a FROM t")
    assert planner.job.status is JobStatus.RUNNING
    del result
    gc.collect()
    assert planner.job.status is JobStatus.CANCELED


def test_the_rows_of_a_result_can_be_read_without_it(env: TableEnvironment, planner: FakePlanner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(planner.job), "is_unbounded", True)
    rows = env.execute_sql("SELECT a FROM t").collect()
    gc.collect()
    assert planner.job.status is JobStatus.RUNNING
    rows.close()
    assert planner.job.status is JobStatus.CANCELED


def test_a_job_without_a_client_is_cancelled_unless_it_had_ended() -> None:
    class Client:
        job_id = "job-2"
        status = JobStatus.RUNNING

        def get_job_status(self) -> JobStatus:
            return self.status

    unread, ended = Client(), Client()
    jobs = [StartedJob(client, "collect") for client in (unread, ended)]  # type: ignore[arg-type]  # all that is asked of a client
    assert [job.status for job in jobs] == [JobStatus.RUNNING, JobStatus.RUNNING]
    ended.status = JobStatus.FINISHED
    assert jobs[1].status is JobStatus.FINISHED
    del unread, ended
    gc.collect()
    assert [job.status for job in jobs] == [JobStatus.CANCELED, JobStatus.FINISHED]
