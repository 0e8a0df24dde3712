"""Streams on Spark with speculation: two attempts of a task at the same time, of which one counts."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession
from standalone_cluster import Standalone

from table_api import EnvironmentSettings, TableEnvironment
from table_api.udf import udf

# Executors cannot import a test module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[SparkSession]:
    """Executors on two hosts, of which the second is another address of this machine: Spark never starts an attempt on the host of the other one."""
    with Standalone(tmp_path) as cluster:
        for host in ("127.0.0.1", "127.0.0.2"):
            cluster.add_worker(host)
        yield cluster.session(
            {
                "spark.speculation": "true",
                "spark.speculation.interval": "100ms",
                "spark.speculation.minTaskRuntime": "100ms",
                "spark.speculation.multiplier": "1.1",
                "spark.speculation.quantile": "0.5",
            }
        )


@pytest.mark.night
def test_two_attempts_of_a_task_at_the_same_time_write_one_version(cluster: SparkSession, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"

    def one_waits(count: int) -> int:
        """Makes the task of the key with 3 rows wait for another attempt of it."""
        if count == 3:
            try:
                os.close(os.open(first, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                second.touch()
            ends = time.monotonic() + 60
            while not second.exists() and time.monotonic() < ends:
                time.sleep(0.01)
        return count

    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build()
    env = TableEnvironment.create(settings, external={"spark": cluster})
    config = env.get_config().set("table.exec.spark.state-shares", "4").set("table.exec.spark.trigger", "available-now")
    config.set("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    env.create_temporary_system_function("one_waits", udf(one_waits, result_type="BIGINT", deterministic=False))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "rows.csv").write_text("".join(f"{key}\n" * (3 if key == 5 else 1) for key in range(40)))
    files = "'connector' = 'filesystem', 'format' = 'csv', 'path' ="
    env.execute_sql(f"CREATE TABLE t (k INT) WITH ({files} '{tmp_path / 'in'}', 'source.monitor-interval' = '50 ms')")
    env.execute_sql(f"CREATE TABLE o (op STRING, k INT, n BIGINT) WITH ({files} '{tmp_path / 'out'}')")
    env.execute_sql("CREATE VIEW r AS SELECT k, one_waits(n) AS n FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k)")
    env.execute_sql("INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE r)").wait()
    assert second.exists(), "Spark must have started a second attempt"
    env.close()
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    visible = [path for path in written if not path.relative_to(tmp_path / "out").parts[0].startswith(".")]
    assert sorted(line for path in visible for line in path.read_text().splitlines()) == sorted(
        f"INSERT,{key},{3 if key == 5 else 1}" for key in range(40)
    )
    assert [path for path in written if path not in visible and path.suffix == ".csv"] == [], "no staged file is left"
