"""Workers and clients that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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


def test_a_client_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
import worker_jobs
from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.streaming.workers import asked, worker_tasks
asked.available_processors = lambda: 2
taken, take = [], worker_tasks.take_group
worker_tasks.take_group = lambda count: taken.append(take(count)) or taken[-1]
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
env.get_config().set("table.exec.resource.default-parallelism", "2")
job = worker_jobs.Job(env, Path({str(tmp_path)!r}))
job.add([1])
client = job.start()
while not job.table():
    time.sleep(0.01)
print(*taken[0].pids, flush=True)
time.sleep(60)
"""
    )
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 2
        process.kill()
    eventually(lambda: not any(is_alive(pid) for pid in pids))
