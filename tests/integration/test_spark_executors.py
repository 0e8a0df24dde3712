"""Streams on a cluster whose executors come and go, and shares that come back to their executors."""

from __future__ import annotations

import sys
import venv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from standalone_cluster import Standalone, until

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableException
from table_planner_spark.spark_internals import executor_ids

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Standalone]:
    with Standalone(tmp_path) as made:
        yield made


class Job:
    """A job that counts the rows of each key of a watched folder, in 12 shares."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self._folder = folder
        self._keys: list[int] = []
        self._epochs = 0
        (folder / "in").mkdir()
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build()
        self.env = TableEnvironment.create(settings, external={"spark": session})
        config = self.env.get_config().set("table.exec.sink.commit-interval", "10 ms").set("table.exec.spark.state-shares", "12")
        config.set("execution.checkpointing.dir", str(folder / "checkpoints"))
        files = "'connector' = 'filesystem', 'format' = 'csv', 'path' ="
        self.env.execute_sql(f"CREATE TABLE t (k INT) WITH ({files} '{folder / 'in'}', 'source.monitor-interval' = '50 ms')")
        self.env.execute_sql(f"CREATE TABLE o (op STRING, k INT, n BIGINT) WITH ({files} '{folder / 'out'}')")
        self.env.execute_sql("CREATE VIEW w AS SELECT k, COUNT(*) AS n FROM t GROUP BY k")
        client = self.env.execute_sql("INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE w)").get_job_client()
        assert client is not None
        self.client = client

    def add(self, keys: range) -> None:
        """Adds rows, which are an epoch or the beginning of one."""
        self._keys += keys
        hidden = self._folder / "in" / f".{self._epochs}"
        hidden.write_text("".join(f"{key}\n" for key in keys))
        hidden.rename(self._folder / "in" / f"{self._epochs}.csv")
        self._epochs += 1

    def await_table(self) -> None:
        """Waits until the changes make the table of all rows."""
        expected = {f"{key},{count}": 1 for key, count in Counter(self._keys).items()}
        until(lambda: self._table() == expected or None, seconds=120)

    def _table(self) -> dict[str, int]:
        assert not self.client.get_job_status().is_terminal_state(), self.client.get_job_execution_result().result()
        found = Counter[str]()
        for file in (self._folder / "out").glob("*"):
            if file.is_file() and not file.name.startswith((".", "_")):
                for line in file.read_text().splitlines():
                    kind, _, row = line.partition(",")
                    found[row] += 1 if kind in ("INSERT", "UPDATE_AFTER") else -1
        assert set(found.values()) <= {0, 1}
        return dict(+found)

    def end(self) -> None:
        self.client.end()
        self.client.get_job_execution_result().result()
        self.env.close()


def await_executors(session: SparkSession, count: int) -> None:
    until(lambda: len(executor_ids(session.sparkContext)) == count or None)


@pytest.mark.night
def test_the_table_is_that_of_all_rows_while_executors_come_and_go(cluster: Standalone, tmp_path: Path) -> None:
    cluster.add_worker(HOSTS[0])
    cluster.add_worker(HOSTS[1])
    session = cluster.session()
    await_executors(session, 2)
    job = Job(session, tmp_path)
    job.add(range(50))
    job.await_table()
    cluster.add_worker(HOSTS[2])
    await_executors(session, 3)
    for first in (10, 20):
        job.add(range(first, first + 50))
        job.await_table()
    job.add(range(40, 90))  # while the executor is lost
    cluster.remove_worker(HOSTS[0])
    job.await_table()
    await_executors(session, 2)
    job.add(range(50))
    job.await_table()
    job.end()


@pytest.mark.night
def test_shares_come_back_to_the_executor_that_has_their_state(cluster: Standalone, tmp_path: Path) -> None:
    for host in HOSTS:
        cluster.add_worker(host)
    session = cluster.session()
    await_executors(session, 3)
    job = Job(session, tmp_path)
    for _ in range(21):
        job.add(range(200))
        job.await_table()
    metrics = job.client.metrics()
    job.end()
    assert metrics["Shares.numStatesMapped"] >= 0.8 * 12 * 20


@pytest.mark.night
def test_packages_that_a_late_worker_lacks_are_named(cluster: Standalone, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "${{PYTHON_OF_WORKER:-{sys.executable}}}" "$@"\n')
    python.chmod(0o755)
    cluster.add_worker(HOSTS[0])
    session = cluster.session({"spark.pyspark.python": str(python)})
    await_executors(session, 1)
    job = Job(session, tmp_path)
    job.add(range(50))
    job.await_table()
    cluster.add_worker(HOSTS[1], {"PYTHON_OF_WORKER": str(tmp_path / "bare" / "bin" / "python")})
    await_executors(session, 2)
    cluster.remove_worker(HOSTS[0])
    job.add(range(50))
    with pytest.raises(TableException, match=r"The Python of a worker that runs an epoch lacks (table-|numpy|pyarrow)"):
        job.client.get_job_execution_result().result()
    job.env.close()
