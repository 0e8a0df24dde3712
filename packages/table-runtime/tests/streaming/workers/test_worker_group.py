"""Workers and clients that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from worker_jobs import Job, eventually, is_alive

from table_common.exceptions import TableError
from table_runtime.streaming.workers.worker_group import WorkerGroup


def test_a_query_whose_worker_is_killed_says_so(environments: Any, groups: list[WorkerGroup], tmp_path: Path) -> None:
    job = Job(environments(2), tmp_path)
    job.add([1, 2, 3])
    result = job.env.execute_sql("SELECT k, COUNT(*) FROM t GROUP BY k")
    with result.collect() as rows:
        next(rows)
        os.kill(groups[-1].pids[1], signal.SIGKILL)
        with pytest.raises(TableError, match=r"The worker process 1 of the job \(pid \d+\) was killed by SIGKILL"):
            list(rows)


_CLIENT = """
import os, signal, sys, time
sys.path.insert(0, {tests!r})
from pathlib import Path
import worker_jobs
from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.streaming.workers import asked, worker_tasks
asked.available_processors = lambda: 2
taken, take = [], worker_tasks.take_group
worker_tasks.take_group = lambda count: taken.append(take(count)) or taken[-1]
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
env.get_config().set("table.exec.resource.default-parallelism", "2")
job = worker_jobs.Job(env, Path({folder!r}))
job.add([1])
"""
_WAITING = """
client = job.start()
while not job.table():
    time.sleep(0.01)
print(*taken[0].pids, flush=True)
time.sleep(60)
"""
_READING = """
try:
    with env.execute_sql("SELECT k, COUNT(*) FROM t GROUP BY k").collect() as rows:
        for row in rows:
            print(*taken[0].pids, flush=True)
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
env.close()
print(*map(worker_jobs.is_alive, taken[0].pids), flush=True)
"""


@contextmanager
def _client(folder: Path, program: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Runs a program with a job in a process group of its own; yields the process and its workers."""
    file = folder / "program.py"
    file.write_text(_CLIENT.format(tests=str(Path(__file__).parent), folder=str(folder)) + program)
    with subprocess.Popen([sys.executable, str(file)], stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 2
        try:
            yield process, pids
        finally:
            process.kill()


def test_a_client_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    with _client(tmp_path, _WAITING) as (process, pids):
        process.kill()
        eventually(lambda: not any(is_alive(pid) for pid in pids))


def test_ctrl_c_is_for_the_client_alone_and_leaves_no_process(tmp_path: Path) -> None:
    with _client(tmp_path, _READING) as (process, _):
        time.sleep(0.2)
        began = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    ended, alive = output.splitlines()
    assert float(ended) - began < 0.5
    assert alive == "False False"
