"""A standalone cluster of Spark on this machine, whose workers come and go: each has its own address of this machine."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import pyspark
from pyspark import SparkContext
from pyspark.sql import SparkSession

from table_planner_spark import local_session

__all__ = ["Standalone", "until"]

T = TypeVar("T")
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class Standalone:
    """A master without workers; all processes end with the block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self._workers: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Standalone:
        if SparkContext._active_spark_context is not None:
            SparkContext._active_spark_context.stop()
        log = self._folder / "master.log"
        self._start(log, {}, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        self.master = until(lambda: re.search(r"spark://127\.0\.0\.1:\d+", log.read_text()))[0]
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add_worker(self, host: str, variables: Mapping[str, str] | None = None) -> None:
        """Starts a worker, on which applications start an executor; ``variables`` are added to its environment."""
        options = ("--host", host, "--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(self._folder / host))
        log = self._folder / f"{host}.log"
        self._workers[host] = self._start(log, variables or {}, "org.apache.spark.deploy.worker.Worker", *options, self.master)

    def remove_worker(self, host: str) -> None:
        """Kills a worker; its executors end with it."""
        self._workers[host].kill()
        self._workers[host].wait()

    def session(self, options: Mapping[str, str] | None = None) -> SparkSession:
        """Returns a session of an application, which ends with the block."""
        session = local_session(
            self.master,
            {
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.driver.extraJavaOptions": QUICK,
                "spark.driver.host": "127.0.0.1",
                "spark.executor.extraJavaOptions": QUICK,
                "spark.executor.memory": "512m",
                **(options or {}),
            },
        )
        self._stack.callback(session.stop)
        return session

    def _start(self, log: Path, variables: Mapping[str, str], *command: str) -> subprocess.Popen[bytes]:
        script = Path(pyspark.__file__).parent / "bin" / "spark-class"
        env = {**os.environ, "SPARK_DAEMON_JAVA_OPTS": QUICK, "SPARK_DAEMON_MEMORY": "256m", "SPARK_NO_DAEMONIZE": "1", **variables}
        with log.open("wb") as output:
            process = subprocess.Popen([script, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=env)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


def until(found: Callable[[], T | None], seconds: float = 120) -> T:
    """Waits for what a function returns."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if (result := found()) is not None:
            return result
        time.sleep(0.05)
    raise AssertionError(f"It did not come within {seconds:g} seconds.")
