"""Epochs of a streaming job on Spark: what is written when, also when one fails."""

from __future__ import annotations

import os
import random
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from table_api.udf import udf
from table_planner_spark.streaming import epochs
from table_runtime.streaming.checkpoints import failure_points


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


def test_a_job_that_reads_what_is_there_ends_and_is_continued(watched: Any) -> None:
    watched.env.get_config().set("table.exec.spark.trigger", "available-now").set("table.exec.spark.max-rows-per-epoch", "1")
    for rows in (((1, 1), (2, 1)), ((1, 2),)):
        watched.add(*rows)
        watched.add(*rows)
        watched.start().get_job_execution_result().result()
    lines = watched.written()
    assert [line for line in lines if line.endswith(",4")] == ["UPDATE_AFTER,1,4"]
    assert len([line for line in lines if line.startswith("INSERT")]) == 2
    result = watched.env.execute_sql("SELECT COUNT(*) FROM t")
    assert not result.is_unbounded
    with result.collect() as changes:
        assert tuple(list(changes)[-1]) == (6,)


def test_a_job_that_reads_what_is_there_ends_though_rows_come_all_the_time(watched: Any) -> None:
    watched.env.get_config().set("table.exec.spark.trigger", "available-now").set("table.exec.spark.max-rows-per-epoch", "1000")
    watched.env.execute_sql("CREATE TABLE endless (v INT) WITH ('connector' = 'datagen', 'rows-per-second' = '5000')")
    with watched.env.execute_sql("SELECT COUNT(*) FROM endless").collect() as changes:
        count, *_ = list(changes)[-1]
        assert count > 0


def test_a_job_that_reads_what_is_there_reads_all_files_of_a_folder(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_runtime.files.monitored._MOST_FILES", 2)
    watched.env.get_config().set("table.exec.spark.trigger", "available-now")
    for number in range(5):
        watched.add((number, 1))
    with watched.env.execute_sql("SELECT COUNT(*) FROM t").collect() as changes:
        assert tuple(list(changes)[-1]) == (5,)


def test_an_epoch_whose_tasks_read_several_attempts_of_each_other_runs_again(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A share's task deletes the rows that wait for the other shares: Spark makes them again, by a function that gives other keys then."""
    marker = watched.folder / "deleted"

    def random_key(value: int) -> int:
        return random.SystemRandom().randrange(1000)

    def lose_rows(value: int) -> int:
        with suppress(FileExistsError):
            marker.touch(exist_ok=False)
            for path in Path(os.environ["SPARK_LOCAL_DIRS"]).rglob("shuffle_*"):
                path.unlink()
        return value

    jobs: list[int] = []
    run_levels = epochs.run_levels
    monkeypatch.setattr(epochs, "run_levels", lambda *arguments: (jobs.append(1), run_levels(*arguments))[1])
    env = watched.env
    env.get_config().set("table.exec.spark.state-shares", "8")
    env.create_temporary_system_function("random_key", udf(random_key, result_type="INT", deterministic=False))
    env.create_temporary_system_function("lose_rows", udf(lose_rows, result_type="BIGINT", deterministic=False))
    env.execute_sql(
        "CREATE VIEW r AS SELECT k, lose_rows(n) AS n FROM (SELECT k, COUNT(*) AS n FROM (SELECT random_key(v) AS k FROM t) GROUP BY k)"
    )
    watched.add(*((0, number) for number in range(200)))
    client = env.execute_sql("INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE r)").get_job_client()
    while not watched.written():
        assert not client.get_job_status().is_terminal_state(), client.get_job_execution_result().result()
    client.end()
    client.get_job_execution_result().result()
    rows = [line.split(",") for line in watched.written()]
    assert marker.exists()
    assert len(jobs) > 1, "the epoch must run again"
    assert {op for op, _, _ in rows} == {"INSERT"}
    assert len({key for _, key, _ in rows}) == len(rows), "the sink has one version"
    assert sum(int(count) for _, _, count in rows) == 200
