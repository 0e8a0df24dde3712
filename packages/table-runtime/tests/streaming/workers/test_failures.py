"""Workers and clients that are killed, jobs that are cancelled, and starts with another number of workers."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from worker_functions import slow

from conftest import written
from table_api import TableEnvironment
from table_common.exceptions import TableError
from table_runtime.streaming.workers.worker_group import WorkerGroup

SECONDS = 60.0
INSERT = "INSERT INTO o SELECT a.k, a.n, b.v FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS a JOIN u AS b ON a.k = b.k"


class Job:
    """A job over watched folders whose sink has the number of rows of each key."""

    def __init__(self, env: TableEnvironment, folder: Path) -> None:
        self.env = env
        self.folder = folder
        self._files = len(list((folder / "t").glob("*"))) if (folder / "t").exists() else 0
        (folder / "t").mkdir(exist_ok=True)
        (folder / "u").mkdir(exist_ok=True)
        (folder / "u" / "u.json").write_text("\n".join(json.dumps({"k": k, "v": 10 * k}) for k in range(20)))
        config = env.get_config()
        config.set("execution.checkpointing.interval", "100 ms").set("execution.checkpointing.dir", str(folder / "checkpoints"))
        config.set("pipeline.name", "job").set("restart-strategy.type", "fixed-delay").set("restart-strategy.fixed-delay.delay", "10 ms")
        config.set("restart-strategy.fixed-delay.attempts", "10").set("table.exec.sink.upsert-materialize", "NONE")
        watched = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{folder / 't'}', 'source.monitor-interval' = '20 ms'"
        env.execute_sql(f"CREATE TABLE t (k INT) WITH ({watched})")
        env.execute_sql(f"CREATE TABLE u (k INT, v INT) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{folder / 'u'}')")
        sink = f"'connector' = 'filesystem', 'format' = 'debezium-json', 'path' = '{folder / 'o'}'"
        env.execute_sql(f"CREATE TABLE o (k INT, n BIGINT, v INT) WITH ({sink})")

    def add(self, keys: list[int]) -> None:
        hidden = self.folder / "t" / f".{self._files}"
        hidden.write_text("".join(json.dumps({"k": key}) + "\n" for key in keys))
        hidden.rename(self.folder / "t" / f"{self._files}.json")
        self._files += 1

    def start(self) -> Any:
        return self.env.execute_sql(INSERT).get_job_client()

    def table(self) -> Counter[tuple[int, int, int]]:
        count: Counter[tuple[int, int, int]] = Counter()
        for change in written(self.folder / "o"):
            for side, sign in (("before", -1), ("after", 1)):
                if (row := change.get(side)) is not None:
                    count[row["k"], row["n"], row["v"]] += sign
        return Counter({row: number for row, number in count.items() if number})

    def await_table(self, client: Any, keys: Counter[int]) -> None:
        expected = Counter({(key, number, 10 * key): 1 for key, number in keys.items()})
        deadline = time.monotonic() + SECONDS
        while (found := self.table()) != expected:
            assert not client.get_job_status().is_terminal_state(), client.get_job_execution_result().result()
            assert time.monotonic() < deadline, found
            time.sleep(0.02)


def end(client: Any) -> None:
    client.end()
    client.get_job_execution_result().result()


@pytest.mark.parametrize("workers", [2, 4])
def test_a_job_whose_workers_are_killed_goes_on(environments: Any, groups: list[WorkerGroup], tmp_path: Path, workers: int) -> None:
    chance, keys = random.Random(workers), Counter[int]()
    job = Job(environments(workers), tmp_path)
    client = job.start()
    for round_ in range(6):
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


def test_a_query_whose_worker_is_killed_says_so(environments: Any, groups: list[WorkerGroup], tmp_path: Path) -> None:
    job = Job(environments(2), tmp_path)
    job.add([1, 2, 3])
    result = job.env.execute_sql("SELECT k, COUNT(*) FROM t GROUP BY k")
    with result.collect() as rows:
        next(rows)
        os.kill(groups[-1].pids[1], signal.SIGKILL)
        with pytest.raises(TableError, match=r"The worker process 1 of the job \(pid \d+\) was killed by SIGKILL"):
            list(rows)


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


def test_a_client_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
import test_failures
from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.streaming.workers import asked, worker_tasks
asked.available_processors, asked.IS_OFFERED = lambda: 2, True
taken, take = [], worker_tasks.take_group
worker_tasks.take_group = lambda count: taken.append(take(count)) or taken[-1]
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
env.get_config().set("table.exec.resource.default-parallelism", "2")
job = test_failures.Job(env, Path({str(tmp_path)!r}))
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


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually(check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.02)
