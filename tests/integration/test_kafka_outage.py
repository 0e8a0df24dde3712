"""An unbounded job outlasts an outage of Kafka: it is restarted until the broker answers, and writes each row once."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "connector-kafka" / "tests"))

from kafka_brokers import Tansu, new_topic, produce
from waiting import eventually

from connector_kafka import planning
from table_api import EnvironmentSettings, JobStatus, TableEnvironment

SECONDS = 60.0


def test_a_job_goes_on_after_an_outage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(planning, "_ENDS_SECONDS", 0.2)
    caplog.set_level(logging.WARNING, "table.job")
    broker = Tansu()
    assert broker.process is not None
    try:
        topic = new_topic(broker.servers, partitions=1)
        env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
        env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
        env.get_config().set("execution.checkpointing.interval", "50 ms")
        env.get_config().set("restart-strategy.exponential-delay.initial-backoff", "100 ms")
        env.get_config().set("pipeline.name", "outage")
        env.execute_sql(
            f"CREATE TABLE t (n INT) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset', "
            f"'properties.bootstrap.servers' = '{broker.servers}', 'properties.default.api.timeout.ms' = '1000')"
        )
        env.execute_sql(f"CREATE TABLE o (n INT) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{tmp_path / 'o'}')")

        def written() -> list[int]:
            files = (file for file in (tmp_path / "o").glob("*") if file.is_file() and not file.name.startswith((".", "_")))
            return sorted(json.loads(line)["n"] for file in files for line in file.read_text().splitlines())

        client = env.execute_sql("INSERT INTO o SELECT n FROM t").get_job_client()
        assert client is not None
        produce(broker.servers, topic, [b'{"n": %d}' % number for number in range(10)])
        eventually(lambda: written() == list(range(10)), SECONDS)
        os.kill(broker.process.pid, signal.SIGSTOP)
        eventually(lambda: caplog.text.count("is restarted") >= 3 or client.get_job_status().is_terminal_state(), SECONDS)
        assert not client.get_job_status().is_terminal_state()
        os.kill(broker.process.pid, signal.SIGCONT)
        produce(broker.servers, topic, [b'{"n": %d}' % number for number in range(10, 20)])
        eventually(lambda: len(written()) >= 20, SECONDS)
        assert client.get_job_status() is JobStatus.RUNNING
        client.cancel().result()
        assert written() == list(range(20))
        env.close()
    finally:
        os.kill(broker.process.pid, signal.SIGCONT)
        broker.kill()
