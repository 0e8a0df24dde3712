"""Epochs of a streaming job on Spark: what is written when, and where the next start goes on."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from table_common.exceptions import TableError
from table_runtime.streaming.checkpoints import failure_points


def test_the_next_start_goes_on_behind_the_last_epoch(watched: Any) -> None:
    watched.add((1, 1), (2, 1))
    client = watched.start()
    watched.await_written(client, ["INSERT,1,1", "INSERT,2,1"])
    client.end()
    client.get_job_execution_result().result()
    watched.env.get_config().set("table.exec.spark.state-shares", "3")
    watched.add((1, 2))
    client = watched.start()
    watched.await_written(client, ["INSERT,1,1", "INSERT,2,1", "UPDATE_AFTER,1,2", "UPDATE_BEFORE,1,1"])
    client.end()


@pytest.mark.parametrize("point", ["planned", "ran", "prepared", "decided", "committed sink 0", "committed"])
def test_a_job_that_fails_at_a_point_of_an_epoch_writes_each_row_once(watched: Any, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    failed = threading.Event()

    def fail(passed: str, epoch: int) -> None:
        if passed == point and not failed.is_set():
            failed.set()
            raise OSError("the disk is full")

    monkeypatch.setattr(failure_points, "listeners", [fail])
    watched.env.get_config().set("restart-strategy.type", "fixed-delay").set("restart-strategy.fixed-delay.delay", "1 ms")
    watched.add((1, 1), (2, 1))
    client = watched.start()
    assert failed.wait(60)
    watched.add((3, 1))  # for the attempt that follows
    watched.await_written(client, ["INSERT,1,1", "INSERT,2,1", "INSERT,3,1"])
    client.end()
    client.get_job_execution_result().result()
    assert watched.written() == ["INSERT,1,1", "INSERT,2,1", "INSERT,3,1"]


def test_an_epoch_without_rows_runs_no_spark_job(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    points: list[str] = []
    monkeypatch.setattr(failure_points, "listeners", [lambda passed, epoch: points.append(passed)])
    watched.add((1, 1))
    client = watched.start()
    watched.await_written(client, ["INSERT,1,1"])
    client.end()
    client.get_job_execution_result().result()
    assert points.count("planned") <= 2, "the first epoch may begin before the file is seen"


def test_a_limit_ends_the_job(watched: Any) -> None:
    watched.add((1, 1), (2, 2), (3, 3))
    result = watched.env.execute_sql("SELECT k FROM t LIMIT 2")
    with result.collect() as rows:
        assert len(list(rows)) == 2
    watched.env.execute_sql("CREATE TABLE l (k INT) WITH ('connector' = 'blackhole')")
    watched.env.execute_sql("INSERT INTO l SELECT k FROM t LIMIT 1").wait()


def test_a_failing_row_fails_the_job(watched: Any) -> None:
    watched.add((0, 1))
    with pytest.raises(TableError, match="zero"), watched.env.execute_sql("SELECT v / k AS q FROM t").collect() as rows:
        list(rows)
