"""Jobs with checkpoints whose workers are killed, and starts with another number of workers."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

from worker_jobs import Job, end, eventually, is_alive

from table_runtime.streaming.workers.worker_group import WorkerGroup


def test_a_job_whose_workers_are_killed_goes_on(environments: Any, groups: list[WorkerGroup], tmp_path: Path) -> None:
    chance, keys = random.Random(2), Counter[int]()
    job = Job(environments(2), tmp_path)
    client = job.start()
    for round_ in range(4):
        rows = [chance.randrange(20) for _ in range(200)]
        keys.update(rows)
        job.add(rows)
        if round_ % 2:
            time.sleep(chance.random() * 0.15)
            os.kill(chance.choice(groups[-1].pids), signal.SIGKILL)
        job.await_table(client, keys)
    end(client)
    assert len(groups) > 1
    assert job.table() == Counter({(key, number, 10 * key): 1 for key, number in keys.items()})


def test_a_worker_that_is_killed_after_the_last_epoch_fails_no_job(
    environments: Any, groups: list[WorkerGroup], tmp_path: Path, monkeypatch: Any
) -> None:
    job = Job(environments(2), tmp_path)
    job.add([1, 1])
    end_job = WorkerGroup.end_job

    def killed(group: WorkerGroup) -> bool:
        for pid in group.pids:
            os.kill(pid, signal.SIGKILL)
        eventually(lambda: not any(map(is_alive, group.pids)))
        return end_job(group)

    monkeypatch.setattr(WorkerGroup, "end_job", killed)
    client = job.start()
    job.await_table(client, Counter({1: 2}))
    end(client)
    assert len(groups) == 1


def test_a_job_resumes_with_another_number_of_workers(environments: Any, groups: list[WorkerGroup], tmp_path: Path) -> None:
    keys = Counter[int]()
    for workers in (1, 2, 4, 1, 2):
        job, taken = Job(environments(workers), tmp_path), len(groups)
        client = job.start()
        for rows in ([1, 2, 3, 3], [workers, 5, 5]):
            keys.update(rows)
            job.add(rows)
            job.await_table(client, keys)
        end(client)
        assert (len(groups) > taken) is (workers > 1)
