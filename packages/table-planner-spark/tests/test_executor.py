"""Jobs: results in parts, cancelling, progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, cast

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from table_api.delegation import JobOptions, JobStatus
from table_common.catalog import ResolvedSchema
from table_common.exceptions import JobCancelledException, TableRuntimeException
from table_common.types import BigIntType
from table_planner_spark.executor import CollectPlan, SparkJob, SparkJobClient
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.engine_session import EngineSession
from table_runtime.files import Snapshots

SCHEMA = ResolvedSchema.physical([("id", BigIntType(nullable=False))])


def eventually(holds: Callable[[], object]) -> None:
    """Waits until something holds."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def _plan(spark: SparkSession, frame: Any) -> CollectPlan:
    return CollectPlan(EngineSession(spark, is_ours=False), SCHEMA, frame, Snapshots())


def test_a_result_that_does_not_fit_into_the_driver_comes_through_files(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = spark.range(0, 10, 1, 3)

    def too_large(self: Any) -> pa.Table:
        raise RuntimeError("Total size of serialized results of 1 tasks is bigger than spark.driver.maxResultSize 1024.0 MiB.")

    monkeypatch.setattr(type(frame), "toArrow", too_large)
    batches = list(_plan(spark, frame).execute(JobOptions("test")).batches())
    assert [row for batch in batches for row in pa.record_batch(batch).column(0).to_pylist()] == list(range(10))


def test_an_empty_result_has_a_schema(spark: SparkSession) -> None:
    (batch,) = _plan(spark, spark.range(0)).execute(JobOptions("test")).batches()
    assert pa.record_batch(batch).schema.names == ["id"]


def test_a_cancelled_job_raises_a_cancellation_error(spark: SparkSession) -> None:
    slow = spark.range(0, 2, 1, 2).selectExpr("if(id >= 0, reflect('java.lang.Thread', 'sleep', 60000L), '') AS x", "id").select("id", "x")
    execution = _plan(spark, slow.selectExpr("id", "x").where("x IS NULL OR id >= 0").select("id")).execute(JobOptions("test"))
    threading.Timer(0.5, execution.client.cancel).start()
    with pytest.raises(JobCancelledException):
        list(execution.batches())
    assert execution.client.get_job_status() is JobStatus.CANCELED


def test_the_reader_of_a_cancelled_query_does_not_wait_for_what_is_stuck(spark: SparkSession) -> None:
    release = threading.Event()
    session = EngineSession(spark, is_ours=False)

    def stuck(*_: object) -> None:
        release.wait()

    execution = SparkJob(session, "test", stuck, None, CollectPlan.PATIENCE)
    try:
        execution.client.cancel()
        started = time.monotonic()
        with pytest.raises(JobCancelledException):
            list(execution.batches())
        assert not release.is_set()
        assert time.monotonic() - started < 5  # half a second on an idle machine
    finally:
        release.set()
    assert CollectPlan.PATIENCE < 1


def test_a_reader_that_stops_early_stops_the_job(spark: SparkSession) -> None:
    execution = _plan(spark, spark.range(0, 1_000_000, 1, 8)).execute(JobOptions("test"))
    batches = execution.batches()
    next(batches)
    batches.close()  # type: ignore[attr-defined]  # it is a generator
    assert execution.client.get_job_status() in (JobStatus.CANCELED, JobStatus.FINISHED)


def test_a_job_that_is_cancelled_before_spark_has_begun_with_it_does_not_begin(spark: SparkSession) -> None:
    endless = spark.range(0, 10**15, 1, 8).selectExpr("id", "rand() AS x").where("x < 0").select("id")
    execution = _plan(spark, endless).execute(JobOptions("test"))
    execution.client.cancel()
    with pytest.raises(JobCancelledException):
        list(execution.batches())
    assert isinstance(execution, SparkJob)
    execution._thread.join(20)
    assert not execution._thread.is_alive()


def test_a_job_that_is_cancelled_while_spark_plans_it_runs_no_stage(spark: SparkSession) -> None:
    endless = spark.range(0, 10**15, 1, 8).selectExpr("id", "rand() AS x").where("x < 0").groupBy("id").count().select("id")
    execution = _plan(spark, endless).execute(JobOptions("test"))
    execution.client.cancel()
    with pytest.raises(JobCancelledException):
        list(execution.batches())
    assert isinstance(execution, SparkJob)
    execution._thread.join(20)
    assert not execution._thread.is_alive()


def test_a_cancelled_job_is_interrupted_until_it_has_ended(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    access = adapter_of(spark)
    interrupt = access.cancel_job
    calls: list[str] = []

    def without_the_first_one(session: SparkSession, job_id: str) -> None:
        calls.append(job_id)
        if len(calls) > 1:
            interrupt(session, job_id)

    monkeypatch.setattr(type(access), "cancel_job", lambda _, session, job_id: without_the_first_one(session, job_id))
    endless = spark.range(0, 10**15, 1, 8).selectExpr("id", "rand() AS x").where("x < 0").groupBy("id").count().select("id")
    execution = _plan(spark, endless).execute(JobOptions("test"))
    assert isinstance(execution, SparkJob)
    eventually(lambda: access.count_tasks(spark, execution.client.job_id)[1])
    execution.client.cancel()
    execution._thread.join(30)
    assert not execution._thread.is_alive()
    ended = len(calls)
    eventually(lambda: not any(thread.name.startswith(execution.client.job_id) for thread in threading.enumerate()))
    assert len(calls) - ended <= 1


def test_a_finished_job_is_finished(spark: SparkSession) -> None:
    execution = _plan(spark, spark.range(3)).execute(JobOptions("test"))
    list(execution.batches())
    assert execution.client.get_job_status() is JobStatus.FINISHED


def test_a_failing_job_is_failed(spark: SparkSession) -> None:
    execution = _plan(spark, spark.range(3).selectExpr("CAST(raise_error('it broke') AS BIGINT) AS id")).execute(JobOptions("test"))
    with pytest.raises(TableRuntimeException, match="it broke"):
        list(execution.batches())
    assert execution.client.get_job_status() is JobStatus.FAILED


def test_a_listener_hears_of_tasks(spark: SparkSession) -> None:
    heard = threading.Event()
    # Runs until the listener was told of a task, so nothing depends on how fast the machine is.
    slow = spark.range(0, 40, 1, 40).selectExpr("id", "reflect('java.lang.Thread', 'sleep', 100L) AS x").where("x IS NULL OR id >= 0")

    def listen(text: str, share: float | None) -> None:
        if share is not None:
            heard.set()

    list(_plan(spark, slow.select("id")).execute(JobOptions("test", listen)).batches())
    assert heard.is_set()


def test_the_end_of_a_job_that_is_asked_for_is_its_cancellation() -> None:
    client = SparkJobClient(cast("EngineSession", None), "job")
    client.end()
    assert client.get_job_status() is JobStatus.CANCELED
