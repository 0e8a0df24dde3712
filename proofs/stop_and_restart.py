"""Stops and restarts streaming jobs: `python proofs/stop_and_restart.py [--seconds 60] [--count N] [--seed N] [--small-pieces]`.

Each seed chooses a set of INSERTs (aggregates, joins, top-n, windows, …, of line logs and a folder of files into files of changes and SQLite), and how often it is stopped: with a savepoint, from which
it continues in a new folder or not, drained, ended, cancelled, or by closing the environment. It is started again each time, while rows come in. Half of the seeds have sources or a file system that fail at
random, so a stop also meets a job that restarts, or a checkpoint that fails. The last run reads everything and is drained. Then the changes must make the tables that batch queries make of all rows.

With `--small-pieces` there are many keys, and the state is copied a few keys at a time. The exit code is 1 if tables differ, a job failed without a reason, or a call took longer than half a minute.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from stop_statements import LOGS, STATEMENTS, create_tables

from table_api import EnvironmentSettings, TableEnvironment, TableResult
from table_api.delegation import JobClient, JobStatus
from table_common.connector import DynamicTableSource, Offset, ReadLimit
from table_common.exceptions import TableError
from table_common.factories import DynamicTableFactory
from table_runtime.connectors.values import ValuesTableFactory
from table_runtime.files.monitored import MonitoredFiles
from table_runtime.streaming.checkpoints import file_store
from table_runtime.streaming.graph import state_copy
from table_testing.line_log import LineLog, LineLogSource, append_lines

LIMIT_SECONDS = 30.0
"""A call that takes longer is a hang."""
SETTLED_SECONDS = 0.1
"""The age of the last file from which on a listing of the folder has it."""
TIMED_STOPS = ("savepoint", "savepoint", "move", "trigger", "end", "cancel", "cancel and wait", "close")
STOPS = (*TIMED_STOPS, "drain", "drain")
AWAY = "The source is away"
FULL = "No space left on device"

_T = TypeVar("_T")


class Troubles:
    """Sources and a file system that fail at random, and which sources are read to their end. There is one at a time."""

    def __init__(self, chosen: random.Random) -> None:
        self._chosen = chosen
        self.away = chosen.choice([0.0, 0.0, 0.05, 0.3])
        """The share of the requests to a source that fail."""
        self.full = chosen.choice([0.0, 0.0, 0.2, 0.5])
        """The share of the files of state that fail."""
        self.is_on = False
        self.written_at = 0.0
        """When the last rows came."""
        self.read: set[int] = set()
        """The sources that have nothing to read."""

    def install(self) -> Callable[[], None]:
        """Puts the troubles in front of sources and files; returns what takes them away."""
        wait, latest, write, list_files = LineLog.wait, LineLog.latest_offset, file_store._LocalStore.write, MonitoredFiles.latest_offset

        def log_wait(log: LineLog, start: Offset, seconds: float) -> bool:
            if start == log._sizes():
                self.read.add(id(log))
            return wait(log, start, seconds)

        def log_latest(log: LineLog, start: Offset, limit: ReadLimit | None = None) -> Offset:
            if self._strikes(self.away):
                raise ConnectionResetError(AWAY)
            return latest(log, start, limit)

        def files_latest(files: MonitoredFiles, start: Offset, limit: ReadLimit | None = None) -> Offset:
            is_settled = time.monotonic() > self.written_at + SETTLED_SECONDS
            end = list_files(files, start, limit)
            if is_settled and end == start:
                self.read.add(id(files))
            return end

        def store_write(store: Any, path: str, parts: Sequence[Any]) -> int:
            if path.startswith("states/") and self._strikes(self.full):
                with store.errors(path):
                    raise OSError(28, FULL)
            return write(store, path, parts)

        def put(functions: Sequence[Any]) -> None:
            for (owner, name), function in zip(places, functions, strict=True):
                setattr(owner, name, function)

        places = ((LineLog, "wait"), (LineLog, "latest_offset"), (MonitoredFiles, "latest_offset"), (file_store._LocalStore, "write"))
        put((log_wait, log_latest, files_latest, store_write))
        return lambda: put((wait, latest, list_files, write))

    def explains(self, error: BaseException) -> bool:
        """Whether an error is one of those that were made. The last checkpoint of a job is not repeated."""
        return AWAY in str(error) or FULL in str(error)

    def _strikes(self, share: float) -> bool:
        return self.is_on and share > 0 and self._chosen.random() < share


class Input:
    """Writes the rows of the sources."""

    def __init__(self, chosen: random.Random, folder: Path, keys: int, troubles: Troubles) -> None:
        self._chosen = chosen
        self._folder = folder
        self._keys = keys
        self._troubles = troubles
        self._partitions = chosen.choice([1, 2])
        self._now = self._id = self._files = 0
        self._rates: dict[int, int] = {}
        (folder / "events").mkdir()
        for partition in range(self._partitions):
            for log in ("orders", "payments"):
                append_lines(folder / log, str(partition), [[0, 0, 0, self._next_id()]])
        append_lines(folder / "rates", "0", [["+I", 9999, 1]])
        self._add_events()

    def _next_id(self) -> int:
        self._id += 1
        return self._id

    def add(self) -> None:
        """Adds some rows."""
        chosen = self._chosen
        for _ in range(chosen.randint(1, 3)):
            self._now += chosen.randint(0, 4)
            for log in ("orders", "payments"):
                if chosen.random() < 0.8:
                    rows = [
                        [chosen.randrange(self._keys), chosen.randrange(100), self._now - chosen.randint(0, 5), self._next_id()]
                        for _ in range(chosen.randint(1, 20))
                    ]
                    append_lines(self._folder / log, str(chosen.randrange(self._partitions)), rows)
        self._change_rate(chosen.randrange(self._keys), chosen.randrange(1000))
        if chosen.random() < 0.3:
            self._add_events()
        self._troubles.written_at = time.monotonic()

    def _change_rate(self, key: int, rate: int) -> None:
        old = self._rates.pop(key, None)
        if old is not None and self._chosen.random() < 0.2:
            append_lines(self._folder / "rates", "0", [["-D", key, old]])
            return
        self._rates[key] = rate
        append_lines(self._folder / "rates", "0", [["+I", key, rate]] if old is None else [["-U", key, old], ["+U", key, rate]])

    def _add_events(self) -> None:
        self._files += 1
        hidden = self._folder / "events" / f".{self._files}"
        rows = [{"k": self._chosen.randrange(self._keys), "v": self._chosen.randrange(9)} for _ in range(self._chosen.randint(1, 50))]
        hidden.write_text("".join(json.dumps(row) + "\n" for row in rows))
        hidden.rename(self._folder / "events" / f"{self._files}.json")


class Program:
    """The statement set of a seed, its runs, and what its tables must be."""

    def __init__(self, seed: int, folder: Path, keys: int) -> None:
        self._chosen = random.Random(seed)
        self._folder = folder
        self.names = self._chosen.sample(sorted(STATEMENTS), self._chosen.choice([1, 1, 2, 3]))
        self._is_timed = any(STATEMENTS[name].is_timed for name in self.names)
        self.troubles = Troubles(random.Random(seed))
        self._input = Input(random.Random(seed), folder, keys, self.troubles)
        self._mini_batch = self._chosen.choice([None, None, 5, 40, 100, 5000])
        self._places = 0
        self._path: str | None = None
        self.log: list[str] = []
        with sqlite3.connect(folder / "rows.db") as database:
            database.execute("CREATE TABLE totals (k INTEGER PRIMARY KEY, n INTEGER, v INTEGER)")

    def run(self) -> None:
        """Runs and stops the job some times.

        Raises:
            AssertionError: the tables are not those of batch mode, or a call took too long.
            TableError: the job failed without a reason.
        """
        restore = self.troubles.install()
        try:
            for _ in range(self._chosen.randint(1, 5)):
                self._run_once()
            self._run_to_the_end()
        finally:
            restore()
        with self._environment(streaming=False) as env:
            for name in self.names:
                self._compare(name, self._changes(name), env)
            if "totals" in self.names:
                with sqlite3.connect(self._folder / "rows.db") as database:
                    self._compare("totals", counted(database.execute("SELECT k, n, v FROM totals")), env)

    def _environment(self, *, streaming: bool, delay: str = "5 ms") -> TableEnvironment:
        def create(_: object, context: DynamicTableFactory.Context) -> DynamicTableSource:
            row_type = context.catalog_table.resolved_schema.to_physical_row_type()
            name = context.catalog_table.options["data-id"]
            assert name in LOGS
            return LineLogSource(LineLog(str(self._folder / name), row_type, with_kinds=name == "rates", bounded=not streaming))

        ValuesTableFactory.create_dynamic_table_source = create  # type: ignore[method-assign,assignment]
        builder = EnvironmentSettings.new_instance().with_planner("arrow")
        env = TableEnvironment.create((builder.in_streaming_mode() if streaming else builder.in_batch_mode()).build())
        options = {
            "table.local-time-zone": "UTC",
            "table.exec.source.idle-timeout": "0 ms",
            "table.exec.session-windows-in-batch": "true",
            "pipeline.name": "stops",
        }
        if streaming:
            options |= {
                "execution.checkpointing.dir": str(self._folder / f"checkpoints {self._places}"),
                "execution.checkpointing.interval": self._chosen.choice(["5 ms", "50 ms", "1 h"]),
                "execution.checkpointing.tolerable-failed-checkpoints": "100000",
                "restart-strategy.type": "fixed-delay",
                "restart-strategy.fixed-delay.attempts": "100000",
                "restart-strategy.fixed-delay.delay": delay,
            }
            if self._path is not None:
                options["execution.state-recovery.path"] = self._path
            if self._mini_batch is not None:
                options |= {
                    "table.exec.mini-batch.enabled": "true",
                    "table.exec.mini-batch.size": str(self._mini_batch),
                    "table.exec.mini-batch.allow-latency": self._chosen.choice(["10 ms", "200 ms", "1 h"]),
                }
        for key, value in options.items():
            env.get_config().set(key, value)
        create_tables(env, self._folder, self.names, streaming=streaming)
        return env

    def _start(self, env: TableEnvironment) -> tuple[JobClient, TableResult]:
        statements = env.create_statement_set()
        for name in self.names:
            statements.add_insert_sql(f"INSERT INTO `changes of {name}` SELECT * FROM TO_CHANGELOG(TABLE `{name}`)")
        if "totals" in self.names:
            statements.add_insert_sql("INSERT INTO current_rows SELECT * FROM totals")
        result = statements.execute()
        job = result.get_job_client()
        assert job is not None
        return job, result

    def _run_once(self) -> None:
        """Starts the job and stops it while rows come in."""
        how = self._chosen.choice(TIMED_STOPS if self._is_timed else STOPS)
        seconds, closes = self._chosen.choice([0.0, 0.0, 0.01, 0.05, 0.1, 0.3, 0.6]), self._chosen.random() < 0.5
        self.log.append(how)
        ended = threading.Event()

        def feed() -> None:
            while not ended.wait(0.005):
                self._input.add()

        delay = self._chosen.choice(["5 ms", "1 h"]) if how != "trigger" else "5 ms"  # a savepoint that is no stop waits for the restart
        env = self._environment(streaming=True, delay=delay)
        self.troubles.is_on = True
        job, result = self._start(env)
        feeding = threading.Thread(target=feed)
        feeding.start()
        try:
            time.sleep(seconds)
            self._stop(job, how)
        except TableError as error:
            if not self.troubles.explains(error):
                raise
            self.log.append("failed")
        except AssertionError:
            job.cancel()
            raise
        finally:
            ended.set()
            feeding.join()
        if how in ("close", "cancel"):
            self._in_time("close", env.close)
        try:
            self._in_time("wait", result.wait)
        except TableError as error:
            if not ("cancel" in how or how == "close" or self.troubles.explains(error)):
                raise
        if closes:
            self._in_time("close", env.close)

    def _run_to_the_end(self) -> None:
        """Lets the job read all rows, and drains it."""
        self._input.add()
        self.troubles.is_on = False
        self.troubles.read.clear()
        with self._environment(streaming=True) as env:
            job, result = self._start(env)
            deadline = time.monotonic() + LIMIT_SECONDS
            while not (sources := sum(name.endswith(".numRecordsOut") and name.startswith("Source[") for name in job.get_metrics())) or (
                len(self.troubles.read) < sources
            ):
                if job.get_job_status().is_terminal_state():
                    result.wait()
                    raise AssertionError("the job has ended")
                assert time.monotonic() < deadline, "the rows were not read"
                time.sleep(0.005)
            self._stop(job, "drain")
            assert job.get_job_status() is JobStatus.FINISHED, job.get_job_status()

    def _stop(self, job: JobClient, how: str) -> None:
        if how in ("savepoint", "move"):
            path = self._in_time(how, job.stop_with_savepoint)
            if how == "move":
                self._places += 1
                self._path = path
        elif how == "trigger":
            self._in_time(how, job.trigger_savepoint)
            self._in_time("savepoint", job.stop_with_savepoint)
        elif how == "drain":
            self._in_time(how, lambda: job.stop_with_savepoint(True))
        elif how == "end":
            job.end()
            self._in_time(how, lambda: job.get_job_execution_result().exception())
        elif how == "cancel":
            job.cancel()
        elif how == "cancel and wait":
            self._in_time(how, lambda: job.cancel().result())

    def _in_time(self, what: str, call: Callable[[], _T]) -> _T:
        began = time.monotonic()
        result = call()
        took = time.monotonic() - began
        assert took < LIMIT_SECONDS, f"'{what}' took {took:.1f} s"
        return result

    def _changes(self, name: str) -> Counter[str]:
        """Returns the rows that the changes make."""
        counts = Counter[str]()
        for file in sorted((self._folder / "out" / name).glob("[!._]*")):
            for line in file.read_text().splitlines():
                kind, *row = json.loads(line).values()
                counts[json.dumps(row)] += 1 if kind in ("INSERT", "UPDATE_AFTER") else -1
        return Counter({row: count for row, count in counts.items() if count})

    def _compare(self, name: str, found: Counter[str], env: TableEnvironment) -> None:
        with env.execute_sql(f"SELECT * FROM `{name}`").collect() as rows:
            wanted = counted(rows)
        if found != wanted:
            missing = {row: count - found[row] for row, count in wanted.items() if count > found[row]}
            surplus = {row: count - wanted[row] for row, count in found.items() if count > wanted[row]}
            raise AssertionError(f"{name}: missing {missing}, too many {surplus}")


def counted(rows: Any) -> Counter[str]:
    return Counter(json.dumps(list(row)) for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="seconds after which no new seed begins")
    parser.add_argument("--count", type=int, default=10**6, help="how many seeds")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="the first seed")
    parser.add_argument("--small-pieces", action="store_true")
    arguments = parser.parse_args()
    logging.getLogger("table.job").setLevel(logging.CRITICAL)  # failures are many here
    if arguments.small_pieces:
        state_copy._STEP_SECONDS, state_copy._FIRST_KEYS, state_copy._LEAST_KEYS, state_copy._MOST_KEYS = 0.0, 1, 1, 2
    print(f"seed {arguments.seed}")
    deadline, good, bad, stops = time.monotonic() + arguments.seconds, 0, 0, Counter[str]()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        if time.monotonic() > deadline:
            break
        with tempfile.TemporaryDirectory(prefix="stop-and-restart", ignore_cleanup_errors=True) as folder:
            program = Program(seed, Path(folder), keys=150 if arguments.small_pieces else 6)
            try:
                program.run()
                good += 1
            except Exception:
                bad += 1
                print(f"seed {seed}, {program.names}, {program.log}:\n{traceback.format_exc()}", flush=True)
            stops.update(program.log)
    print(f"stopped {dict(stops)}")
    print(f"{good} of {good + bad} jobs made the tables of batch mode")
    sys.stdout.flush()
    os._exit(1 if bad else 0)  # otherwise the code would also be 1 if a job failed while its environment was closed


if __name__ == "__main__":
    main()
