from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from typing_extensions import override

from table_api import (
    JobCancelledException,
    JobStatus,
    JobTimeoutException,
    TableEnvironment,
    TableException,
    TableRuntimeException,
    ValidationException,
)
from table_api.expressions import col
from table_api.plan import optimizer
from table_api.plan.programs import BATCH
from table_common.frozen_dataclass import replace

if TYPE_CHECKING:
    from conftest import FakePlanner


@pytest.fixture(autouse=True)
def _sinks_without_a_connector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimizer, "BATCH", replace(BATCH, sink=lambda operation, context: operation))


@pytest.fixture
def sink(env: TableEnvironment) -> str:
    env.execute_sql("CREATE TABLE sink (n INT, s STRING) WITH ('connector' = 'none')")
    return "sink"


def test_insert_names_its_column_after_the_table(env: TableEnvironment, planner: FakePlanner, sink: str) -> None:
    result = env.execute_sql(f"INSERT INTO {sink} SELECT a, b FROM t")
    result.wait()
    assert result.get_resolved_schema().column_names == ("default_catalog.default_database.sink",)
    assert planner.job.status is JobStatus.FINISHED


def test_insert_runs_without_being_waited_for(env: TableEnvironment, planner: FakePlanner, sink: str) -> None:
    planner.job.endless = True
    result = env.execute_sql(f"INSERT INTO {sink} SELECT a, b FROM t")
    client = result.get_job_client()
    assert client is not None
    assert client.get_job_status() is JobStatus.RUNNING
    client.cancel()
    with pytest.raises(JobCancelledException):
        result.wait()


def test_wait_gives_up_after_its_time_and_the_job_goes_on(env: TableEnvironment, planner: FakePlanner, sink: str) -> None:
    planner.job.endless = True
    result = env.execute_sql(f"INSERT INTO {sink} SELECT a, b FROM t")
    with pytest.raises(JobTimeoutException, match="it continues"):
        result.wait(1)
    assert planner.job.status is JobStatus.RUNNING


def test_with_dml_sync_an_insert_raises_its_failure_itself(env: TableEnvironment, planner: FakePlanner, sink: str) -> None:
    planner.job.failure = TableRuntimeException("disk full")
    env.get_config().set("table.dml-sync", "true")
    with pytest.raises(TableRuntimeException, match="disk full"):
        env.execute_sql(f"INSERT INTO {sink} SELECT a, b FROM t")


def test_time_limit_cancels_the_job(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.endless = True
    env.get_config().set("table.exec.timeout", "1 ms")
    with pytest.raises(JobTimeoutException, match=r"longer than 0\.001 s"):
        env.execute_sql("SELECT a FROM t").wait()
    assert planner.job.status is JobStatus.CANCELED


def test_time_limit_ends_the_reading_of_a_finished_job(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.given = [object()]
    env.get_config().set("table.exec.timeout", "1 ms")
    result = env.execute_sql("SELECT a FROM t")
    assert planner.job.cancelled.wait(10)
    planner.job.status = JobStatus.FINISHED  # the cancellation of a finished job does nothing
    with pytest.raises(JobTimeoutException, match=r"longer than 0\.001 s"):
        result.wait()


def test_job_that_ends_in_time_is_not_cancelled(env: TableEnvironment, planner: FakePlanner) -> None:
    env.get_config().set("table.exec.timeout", "1 h")
    env.execute_sql("SELECT a FROM t").wait()
    assert planner.job.status is JobStatus.FINISHED
    assert not any(
        isinstance(thread, threading.Timer) and thread.is_alive() and not thread.finished.is_set() for thread in threading.enumerate()
    )


def test_closing_the_environment_cancels_what_runs(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.endless = True
    env.execute_sql("SELECT a FROM t")
    env.close()
    assert planner.job.status is JobStatus.CANCELED
    assert planner.is_closed


def test_progress_is_handed_to_the_engine(env: TableEnvironment) -> None:
    seen: list[str] = []
    env.execute_sql("SELECT a FROM t", progress=lambda text, share: seen.append(text))
    assert seen == ["started"]


def test_job_has_the_name_that_the_option_gives(env: TableEnvironment, planner: FakePlanner) -> None:
    env.get_config().set("pipeline.name", "nightly")
    env.execute_sql("SELECT a FROM t")
    assert planner.job_names == ["nightly"]


def test_insert_into_a_view_is_refused(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="is a view"):
        env.from_path("t").execute_insert("t")


def test_execute_insert_sees_that_columns_fit(env: TableEnvironment, sink: str) -> None:
    with pytest.raises(ValidationException, match="number of columns differs"):
        env.from_path("t").select(col("a")).execute_insert(sink)


@pytest.mark.usefixtures("planner")
def test_statements_run_from_several_threads(env: TableEnvironment) -> None:
    errors: list[BaseException] = []

    class Worker(threading.Thread):
        @override
        def run(self) -> None:
            try:
                for number in range(10):
                    name = f"{self.name}_{number}".replace("-", "_")
                    env.execute_sql(f"CREATE TABLE `{name}` (a INT)")
                    env.sql_query(f"SELECT a FROM `{name}`")
            except BaseException as error:  # shown by the test
                errors.append(error)

    workers = [Worker() for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert errors == []
    assert len(env.list_tables()) == 61


def test_rows_of_a_job_are_read_once(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT a FROM t")
    result.wait()
    result.collect()
    with pytest.raises(TableException, match="read before"):
        result.collect()
