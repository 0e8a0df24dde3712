"""Jobs that are cancelled while workers compute."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from worker_functions import slow
from worker_jobs import Job, eventually, is_alive

from table_runtime.streaming.workers.worker_group import WorkerGroup


def test_a_cancelled_job_ends_at_once(environments: Any, groups: list[WorkerGroup], tmp_path: Path) -> None:
    job = Job(environments(2), tmp_path)
    job.env.create_temporary_system_function("slow", slow)
    job.add([0])
    result = job.env.execute_sql("SELECT k, SUM(slow(k)) FROM t GROUP BY k")
    with result.collect() as rows:
        next(rows)
        job.add([1])
        time.sleep(0.5)
        client = result.get_job_client()
        began = time.monotonic()
        client.cancel().result()
        assert time.monotonic() - began < 0.5
    eventually(lambda: all(not is_alive(pid) for pid in groups[-1].pids))
