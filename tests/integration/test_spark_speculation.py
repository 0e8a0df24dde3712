"""Streams on Spark with speculation: two attempts of a task at the same time, of which one counts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import pyspark
import pytest
from pyspark import SparkContext, cloudpickle
from pyspark.sql import SparkSession

from table_api import EnvironmentSettings, TableEnvironment
from table_api.udf import udf
from table_planner_spark import local_session

T = TypeVar("T")
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

# Executors cannot import a test module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[SparkSession]:
    """Executors on two hosts, of which the second is another address of this machine: Spark never starts an attempt on the host of the other one."""
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()
    with ExitStack() as stack:
        log = tmp_path / "master.log"
        start(stack, log, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        master = until(lambda: re.search(r"spark://127\.0\.0\.1:\d+", log.read_text()))[0]
        for host in ("127.0.0.1", "127.0.0.2"):
            worker = ("--host", host, "--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(tmp_path / host))
            start(stack, tmp_path / f"{host}.log", "org.apache.spark.deploy.worker.Worker", *worker, master)
        options = {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": QUICK,
            "spark.driver.host": "127.0.0.1",
            "spark.executor.extraJavaOptions": QUICK,
            "spark.executor.memory": "512m",
            "spark.speculation": "true",
            "spark.speculation.interval": "100ms",
            "spark.speculation.minTaskRuntime": "100ms",
            "spark.speculation.multiplier": "1.1",
            "spark.speculation.quantile": "0.5",
        }
        session = local_session(master, options)
        stack.callback(session.stop)
        yield session


def start(stack: ExitStack, log: Path, *command: str) -> None:
    """Starts a part of the cluster, which ends with the stack."""
    script = Path(pyspark.__file__).parent / "bin" / "spark-class"
    with log.open("wb") as output:
        env = {**os.environ, "SPARK_DAEMON_JAVA_OPTS": QUICK, "SPARK_DAEMON_MEMORY": "256m", "SPARK_NO_DAEMONIZE": "1"}
        process = subprocess.Popen([script, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=env)
    stack.callback(process.wait)
    stack.callback(process.kill)


def until(found: Callable[[], T | None]) -> T:
    """Waits for what a function returns."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        if (result := found()) is not None:
            return result
        time.sleep(0.05)
    raise AssertionError("It did not come within 60 seconds.")


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
