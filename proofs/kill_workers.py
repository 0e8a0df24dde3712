"""Kills the worker processes of a streaming job: `python proofs/kill_workers.py [--workers 2] [--kills 40] [--clients 10] [--seconds N] [--seed N]`.

A job counts the rows of each key in a watched folder, joins the counts with a table, and writes the changes into files. One of its workers is killed by SIGKILL at a random
moment, ``--kills`` times, while the job continues, and its client ``--clients`` times: then no worker may remain, and the job is started again, now and then with another number
of workers. Whenever somebody looks, the changes in the files must make a table with one row per key, and after a while the counts are those of all rows.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages/table-runtime/tests/streaming/workers"))
from kill_stream import processes_below
from worker_jobs import Job, eventually, is_alive

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.streaming.workers import asked

KEYS = 20
MOST_WORKERS = 4


def environment(workers: int) -> TableEnvironment:
    """Returns an environment whose jobs have so many workers."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    env.get_config().set("table.exec.resource.default-parallelism", str(workers))
    return env


def run_job(folder: Path, workers: int) -> None:
    """Runs the job until it is killed."""
    asked.available_processors = lambda: MOST_WORKERS
    job = Job(environment(workers), folder)
    job.env.get_config().set("restart-strategy.fixed-delay.attempts", "1000000")
    job.start().get_job_execution_result().result()


class Kills:
    """The job, its kills, and the rows that it has to count."""

    def __init__(self, folder: Path, workers: int, chance: random.Random) -> None:
        self._folder = folder
        self._workers = workers
        self._chance = chance
        self._job = Job(environment(1), folder)
        self._keys = Counter[int]()
        self._process: subprocess.Popen[bytes] | None = None
        self.workers = self.clients = self.looks = 0

    def start(self) -> None:
        """Starts the job, and waits until it has workers."""
        workers = self._workers if self._chance.random() < 0.7 else self._chance.choice([1, 2, MOST_WORKERS])
        command = [sys.executable, __file__, "--job", str(self._folder), "--workers", str(workers)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self.feed()
        self.await_table()

    def feed(self) -> None:
        """Adds some rows."""
        for _ in range(self._chance.randrange(1, 4)):
            rows = [self._chance.randrange(KEYS) for _ in range(self._chance.randrange(1, 200))]
            self._keys.update(rows)
            self._job.add(rows)

    def look(self) -> Counter[tuple[int, int, int]]:
        """Checks what is visible now, and returns it."""
        found = self._job.table()
        keys = Counter(key for key, *_ in found)
        if set(found.values()) - {1} or set(keys.values()) - {1}:
            raise SystemExit(f"the changes make no table: {found}")
        self.looks += 1
        return found

    def await_table(self) -> None:
        """Waits until all rows are counted."""
        expected = Counter({(key, number, 10 * key): 1 for key, number in self._keys.items()})
        end = time.monotonic() + 60
        while (found := self.look()) != expected:
            assert self._process is not None
            if self._process.poll() is not None:
                raise SystemExit(f"the job has ended with {self._process.returncode}")
            if time.monotonic() > end:
                raise SystemExit(f"missing: {expected - found}, too many: {found - expected}")
            time.sleep(0.02)

    def kill_worker(self) -> None:
        """Kills one of the workers at a random moment."""
        assert self._process is not None
        self.feed()
        time.sleep(self._chance.random() * 0.3)
        pids = sorted(processes_below(self._process.pid))
        if pids:
            with suppress(ProcessLookupError):
                os.kill(self._chance.choice(pids), signal.SIGKILL)
                self.workers += 1
        if self._chance.random() < 0.7:
            self.await_table()

    def kill_client(self) -> None:
        """Kills the job; its workers end."""
        assert self._process is not None
        self.feed()
        time.sleep(self._chance.random() * 0.3)
        pids = list(processes_below(self._process.pid))
        self._process.kill()
        self._process.wait()
        self.clients += 1
        eventually(lambda: not any(map(is_alive, pids)))

    def close(self) -> None:
        """Ends the job."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def main() -> None:
    """Runs the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=40, help="how often a worker is killed")
    parser.add_argument("--clients", type=int, default=10, help="how often the client is killed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="seconds after which nothing more is killed")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job is not None:
        run_job(arguments.job, arguments.workers)
        return
    print(f"seed {arguments.seed}", flush=True)
    end, chance = time.monotonic() + arguments.seconds, random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="kill-workers") as folder:
        kills = Kills(Path(folder), arguments.workers, chance)
        try:
            kills.start()
            todo = ["worker"] * arguments.kills + ["client"] * arguments.clients
            chance.shuffle(todo)
            for what in todo:
                if time.monotonic() > end:
                    break
                if what == "worker":
                    kills.kill_worker()
                else:
                    kills.kill_client()
                    kills.start()
            kills.await_table()
        finally:
            kills.close()
    print(f"killed {kills.workers} workers and {kills.clients} clients, looked {kills.looks} times: the counts are those of all rows")


if __name__ == "__main__":
    main()
