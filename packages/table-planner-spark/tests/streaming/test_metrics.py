"""What a streaming job on Spark counts and warns of."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest


def test_a_job_counts_rows_and_takes_states_from_arrays_of_the_machine(watched: Any) -> None:
    watched.add((1, 1), (2, 1))
    client = watched.start()
    watched.await_written(client, ["INSERT,1,1", "INSERT,2,1"])
    watched.add((1, 5))
    watched.await_written(client, ["INSERT,1,1", "INSERT,2,1", "UPDATE_AFTER,1,2", "UPDATE_BEFORE,1,1"])
    client.end()
    client.get_job_execution_result().result()
    metrics = client.metrics()
    assert metrics["Source[1].numRecordsOut"] == 3
    (aggregate,) = {name: value for name, value in metrics.items() if name.startswith("GroupAggregate") and name.endswith("numRecordsIn")}
    assert metrics[aggregate] == 3
    assert metrics["Shares.numStatesMapped"] >= 1
    assert metrics["Shares.numStatesMapped"] + metrics["Shares.numStatesRead"] <= 4


def test_states_are_read_from_files_if_machines_keep_none(watched: Any) -> None:
    watched.env.get_config().set("table.exec.spark.state-cache", "0")
    watched.add((1, 1))
    client = watched.start()
    watched.await_written(client, ["INSERT,1,1"])
    watched.add((1, 5))
    watched.await_written(client, ["INSERT,1,1", "UPDATE_AFTER,1,2", "UPDATE_BEFORE,1,1"])
    client.end()
    client.get_job_execution_result().result()
    assert client.metrics()["Shares.numStatesMapped"] == 0


def test_counters_go_on_behind_the_last_epoch(watched: Any) -> None:
    for number in range(2):
        watched.add((number, 1))
        client = watched.start()
        watched.await_written(client, [f"INSERT,{each},1" for each in range(number + 1)])
        client.end()
        client.get_job_execution_result().result()
    assert client.metrics()["Source[1].numRecordsOut"] == 2


def test_dropped_and_ignored_rows_are_warned_of_once(watched: Any, caplog: pytest.LogCaptureFixture) -> None:
    folder = watched.folder / "in"
    options = f"'connector' = 'filesystem', 'format' = 'json', 'json.ignore-parse-errors' = 'true', 'path' = '{folder}', 'source.monitor-interval' = '20 ms'"
    watched.env.execute_sql(f"CREATE TABLE e (k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ({options})")
    watched.env.execute_sql(
        f"CREATE TABLE w_out (n BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{watched.folder / 'out'}')"
    )
    text = "INSERT INTO w_out SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"
    (folder / "0.json").write_text('{"k": 1, "ts": "2024-01-01 00:00:01"}\n{"k": 1, "ts": "2024-01-01 00:00:30"}\nno JSON\n')
    client = watched.env.execute_sql(text).get_job_client()
    watched.await_written(client, ["1"])
    (folder / ".1").write_text('{"k": 1, "ts": "2024-01-01 00:00:02"}\n{"k": 1, "ts": "2024-01-01 00:00:50"}\n')
    with caplog.at_level(logging.WARNING, "table.job"):
        (folder / ".1").rename(folder / "1.json")
        watched.await_written(client, ["1", "1"])
        client.end()
        client.get_job_execution_result().result()
    late = [record.getMessage() for record in caplog.records if "late row" in record.getMessage()]
    assert len(late) == 1
    assert "dropped 1 late row" in late[0]
    assert sum("1 message or value ignored" in text or "ignored 1 message or value" in text for text in client.get_warnings()) == 1
    assert client.metrics()["Source[1].numRecordsInErrors"] == 1


def test_each_epoch_is_reported_as_spark_reports_a_batch(watched: Any, caplog: pytest.LogCaptureFixture) -> None:
    watched.add((1, 1), (2, 1))
    with caplog.at_level(logging.INFO, "table.epoch"):
        client = watched.start()
        watched.await_written(client, ["INSERT,1,1", "INSERT,2,1"])
        watched.add((1, 5))
        watched.await_written(client, ["INSERT,1,1", "INSERT,2,1", "UPDATE_AFTER,1,2", "UPDATE_BEFORE,1,1"])
        client.end()
        client.get_job_execution_result().result()
    reports = [json.loads(record.getMessage()) for record in caplog.records if record.name == "table.epoch"]
    with_rows = [report for report in reports if report["numInputRows"]]
    assert [report["numInputRows"] for report in with_rows] == [2, 1]
    first, second = with_rows
    assert first["sources"][0]["endOffset"] == second["sources"][0]["startOffset"] != second["sources"][0]["endOffset"]
    assert [report["sinks"][0]["numOutputRows"] for report in with_rows] == [2, 2]
    assert second["stateOperators"][0]["operatorName"].startswith("GroupAggregate[")
    assert second["stateOperators"][0]["storedBytes"] > 0
    assert list(second["durationMs"]) == ["latestOffset", "queryPlanning", "addBatch", "commitOffsets", "triggerExecution"]
    assert sum(list(second["durationMs"].values())[:-1]) <= second["batchDuration"] + 4
    assert second["id"] == first["id"]
    assert second["runId"] == first["runId"]
    assert [report["batchId"] for report in reports] == list(range(len(reports)))
    assert client.metrics()["Epoch.batchId"] == reports[-1]["batchId"]
    assert client.metrics()["Epoch.durationMs.addBatch"] == reports[-1]["durationMs"]["addBatch"]
