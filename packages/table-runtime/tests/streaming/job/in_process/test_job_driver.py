"""What the driver of this process makes of a plan: the ids of its sinks, its requests, and the state that its client sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_api.delegation import JobClient
from table_common.exceptions import TableException
from table_common.job_state import JobState, JobStatus
from table_runtime.streaming.job.in_process.job_driver import JobDriver
from table_testing.line_log import append_lines

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]


@pytest.fixture
def drivers(monkeypatch: pytest.MonkeyPatch) -> list[JobDriver]:
    """The drivers that were made."""
    made: list[JobDriver] = []
    init = JobDriver.__init__

    def noted(driver: JobDriver, *arguments: Any) -> None:
        init(driver, *arguments)
        made.append(driver)

    monkeypatch.setattr(JobDriver, "__init__", noted)
    return made


def test_a_sink_has_an_id_that_lasts_with_the_job(
    env: TableEnvironment, copy_job: Callable[[], JobClient], drivers: list[JobDriver]
) -> None:
    copy_job()
    (driver,) = drivers
    sink = driver.create_sink(0, "copy-1234")
    assert (sink.job_id, sink.table) == ("copy-1234-default_catalog.default_database.o-0", "default_catalog.default_database.o")


def test_queries_have_no_checkpoints(env: TableEnvironment, log_table: LogTable, tmp_path: Path) -> None:
    append_lines(log_table(env, "t", "k INT"), "0", [[1]])
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    result = env.execute_sql("SELECT k FROM t")
    job = result.get_job_client()
    assert job is not None
    with result.collect() as rows:
        assert next(rows)[0] == 1
        with pytest.raises(TableException, match="it has no checkpoints"):
            job.trigger_savepoint()
        assert job.checkpoints() == ()
    assert not (tmp_path / "checkpoints").exists()


def test_the_state_of_the_job_follows_its_attempts(
    env: TableEnvironment,
    tmp_path: Path,
    copy_job: Callable[[], JobClient],
    is_away: list[bool],
    eventually: Eventually,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[JobStatus] = []
    change = JobState.change

    def noted(state: JobState, status: JobStatus) -> None:
        if seen[-1:] != [status]:
            seen.append(status)
        change(state, status)

    monkeypatch.setattr(JobState, "change", noted)
    env.get_config().set("restart-strategy.exponential-delay.initial-backoff", "1 ms")
    job = copy_job()
    eventually(lambda: seen == [JobStatus.RUNNING])
    is_away[0] = True
    append_lines(tmp_path / "t", "0", [[2]])  # a source that has read all its rows is not asked for an end
    eventually(lambda: seen[:2] == [JobStatus.RUNNING, JobStatus.RESTARTING])
    is_away[0] = False
    eventually(lambda: seen[-1] is JobStatus.RUNNING)
    job.trigger_savepoint()  # an attempt that began while the source was away may still fail, and after the request to end it would be the last
    job.stop_with_savepoint()
    assert job.get_job_status() is JobStatus.FINISHED
