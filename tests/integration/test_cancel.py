"""Cancelled queries end promptly; on the embedded engine, the proof cancels each plan once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from table_api import DataTypes, EnvironmentSettings, TableEnvironment
from table_api.delegation import JobStatus
from table_api.udf import udf
from table_common.exceptions import JobCancelledException, JobTimeoutException

RELEASE = threading.Event()


def test_a_process_is_idle_soon_after_its_query_was_cancelled(run_proof: Callable[..., str]) -> None:
    printed = run_proof("cancel.py", "--moments", "1", "--rows", "600000", "--longest", "0.8", "--seed", "7")
    assert "0 cancelled queries went on" in printed


@udf(result_type=DataTypes.BIGINT())
def stuck(value: int) -> int:
    """Waits until the test is over."""
    RELEASE.wait()
    return value


@udf(result_type=DataTypes.BIGINT())
def endless(value: int) -> int:
    """Never returns."""
    while True:
        value += 1


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    env.create_temporary_system_function("stuck", stuck)
    env.create_temporary_system_function("endless", endless)
    RELEASE.clear()
    yield env
    RELEASE.set()


def test_closing_an_unread_result_stops_the_query(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT endless(a) FROM (VALUES (CAST(1 AS BIGINT))) AS t (a)")
    client = result.get_job_client()
    assert client is not None
    result.collect().close()
    assert client.get_job_status() is JobStatus.CANCELED


def test_a_time_limit_ends_a_query_with_a_blocked_function_and_names_it(env: TableEnvironment) -> None:
    env.execute_sql("SET 'table.exec.timeout' = '300 ms'")
    with pytest.raises(JobTimeoutException, match="It was calling the function stuck"):
        list(env.execute_sql("SELECT stuck(a) FROM (VALUES (CAST(1 AS BIGINT))) AS t (a)").collect())
    assert not RELEASE.is_set()


@pytest.mark.parametrize("function", ["stuck", "endless"])
def test_cancelling_a_query_wakes_its_reader_while_a_function_blocks(env: TableEnvironment, function: str) -> None:
    result = env.execute_sql(f"SELECT {function}(a) FROM (VALUES (CAST(1 AS BIGINT))) AS t (a)")
    client = result.get_job_client()
    assert client is not None
    threading.Timer(0.2, client.cancel).start()
    with pytest.raises(JobCancelledException):
        list(result.collect())
    assert not RELEASE.is_set()


@udf(result_type=DataTypes.BIGINT())
def asleep(value: int) -> int:
    """Returns after ten minutes, in a worker of Spark."""
    time.sleep(600)
    return value


def test_a_time_limit_on_spark_does_not_wait_for_a_blocked_function(make_env: Callable[[str], TableEnvironment]) -> None:
    env = make_env("spark")
    env.create_temporary_system_function("asleep", asleep)
    list(env.execute_sql("SELECT 1").collect())  # Spark starts
    env.execute_sql("SET 'table.exec.timeout' = '2 s'")
    started = time.monotonic()
    with pytest.raises(JobTimeoutException, match="ran longer than 2 s and was cancelled"):
        list(env.execute_sql("SELECT asleep(a) FROM (VALUES (CAST(1 AS BIGINT))) AS t (a)").collect())
    assert time.monotonic() - started < 300
