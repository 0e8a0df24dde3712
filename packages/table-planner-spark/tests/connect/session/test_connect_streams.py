"""Streaming jobs on a session of Spark Connect: an epoch is a query over cells, whose rows are binary."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import JobCancelledException, TableException
from table_common.job_state import JobStatus
from table_planner_spark.session import workers

JOB = """
import sys
from pyspark.sql import SparkSession
from table_api import EnvironmentSettings, TableEnvironment

address, folder = sys.argv[1:]
spark = SparkSession.builder.remote(address).create()
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build(), external={"spark": spark})
options = {
    "execution.checkpointing.dir": f"{folder}/checkpoints",
    "pipeline.name": "job",
    "table.exec.sink.commit-interval": "10 ms",
    "table.exec.spark.state-shares": "3",
}
for key, value in options.items():
    env.get_config().set(key, value)
watched = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{folder}/in', 'source.monitor-interval' = '20 ms'"
env.execute_sql(f"CREATE TABLE t (k INT) WITH ({watched})")
env.execute_sql(f"CREATE TABLE o (op STRING, n BIGINT, c BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{folder}/out')")
env.execute_sql("CREATE VIEW w AS SELECT n, COUNT(*) AS c FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) GROUP BY n")
env.execute_sql("INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE w)").wait()
"""


class Client:
    """A program whose job counts how many keys there are of each number of rows."""

    def __init__(self, address: str, folder: Path) -> None:
        self._folder = folder
        self._keys: list[int] = []
        self._files = 0
        self._command = [sys.executable, "-c", JOB, address, str(folder)]
        (folder / "in").mkdir()
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def add(self, keys: list[int]) -> None:
        self._keys += keys
        hidden = self._folder / "in" / f".{self._files}"
        hidden.write_text("".join(json.dumps({"k": key}) + "\n" for key in keys))
        hidden.rename(self._folder / "in" / f"{self._files}.json")
        self._files += 1

    def await_table(self) -> None:
        """Waits until the changes make the table of batch mode."""
        expected = {f"{rows},{keys}": 1 for rows, keys in Counter(Counter(self._keys).values()).items()}
        while (found := self._table()) != expected:
            assert self._process.poll() is None, f"the program ended; the table is {found}"
            assert set(found.values()) <= {1}

    def _table(self) -> dict[str, int]:
        found = Counter[str]()
        for file in (self._folder / "out").glob("*"):
            if file.is_file() and not file.name.startswith((".", "_")):
                for line in file.read_text().splitlines():
                    kind, _, row = line.partition(",")
                    found[row] += 1 if kind in ("INSERT", "UPDATE_AFTER") else -1
        assert min(found.values(), default=0) >= 0
        return dict(+found)


@pytest.fixture
def client(address: str, tmp_path: Path) -> Iterator[Client]:
    made = Client(address, tmp_path)
    yield made
    made.kill()


@pytest.mark.night
def test_a_killed_client_goes_on_behind_its_last_epoch(client: Client) -> None:
    for epoch in range(3):
        client.add([key * 7 % (5 + epoch) for key in range(20)])
        client.await_table()
    client.add([0, 1, 1])
    client.kill()
    client.add([1, 2, 9])
    client.start()
    client.await_table()
    client.add([9])
    client.await_table()


def streaming(spark: SparkSession) -> TableEnvironment:
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build()
    return TableEnvironment.create(settings, external={"spark": spark})


def test_an_unbounded_query_gives_changes_until_it_is_cancelled(spark: SparkSession) -> None:
    with streaming(spark) as env:
        env.execute_sql(
            "CREATE TABLE g (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '50', 'fields.a.min' = '1', 'fields.a.max' = '2')"
        )
        result = env.execute_sql("SELECT a, COUNT(*) AS n FROM g GROUP BY a")
        job = result.get_job_client()
        assert job is not None
        with result.collect() as rows:
            kinds = [str(next(rows).get_row_kind()) for _ in range(6)]
            assert "+U" in kinds
            job.cancel()
            with pytest.raises(JobCancelledException):
                list(rows)
        assert job.get_job_status() is JobStatus.CANCELED


def test_packages_that_the_workers_lack_are_named(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(workers.DISTRIBUTIONS, "table-none", "table_none")
    monkeypatch.setattr(workers, "_version", lambda name: "1.0" if name == "table-none" else workers.version(name))
    with streaming(spark) as env:
        env.execute_sql("CREATE TABLE g (a INT) WITH ('connector' = 'datagen')")
        with pytest.raises(TableException, match=r"need what this program has: table-none 1\.0 \(missing\)"):
            env.execute_sql("SELECT a, COUNT(*) FROM g GROUP BY a")
