"""Kills streaming jobs: `python proofs/kill_stream.py [--driver arrow|spark] [--servers | --objects | --frames] [--functions] [--points 20] [--random 100] [--workers 0] [--worker-points 0] [--executors 0] [--seconds N] [--seed N]`.

A statement set reads orders and a changing table of rates, and writes the totals of each key joined with its rate as changes into files and as rows into SQLite, and windows of event time into
files. The process that runs it is killed by SIGKILL at each named point of an epoch, `--points` times each, and `--random` times at a random moment; each time it is started again, and continues from
its checkpoints while orders and rates come in. Meanwhile a reader looks: at every moment the changes in the files must make a table, without a row that is there twice or retracted without being there.
At the end the tables must be those that a batch query makes of all orders and rates. With `--servers` orders come from Kafka, the rows go to PostgreSQL instead of SQLite, and the changes
to Kafka, too, where each must be once. With `--driver spark` the statement runs on Spark, whose JVM ends with the process; `--workers` Python workers are killed besides,
while the process continues, `--worker-points` ones kill themselves at each named point of a share's task, and `--executors` ones of `local-cluster[2,1,1024]` are killed. With `--frames` orders come from a streaming DataFrame of Spark. With `--objects` the files, the checkpoints and a watched folder of orders are on a server of S3, that of $AWS_ENDPOINT_URL or one that is started. With `--functions` the totals are those of
two process table functions with values, lists, maps and timers, and a join.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

import killing_daemon
import stream_functions
from stream_places import PARTITIONS, Frames, Local, Objects, Servers, places_of

from table_api import EnvironmentSettings, TableEnvironment
from table_common.connector import DynamicTableSource
from table_common.factories import DynamicTableFactory
from table_runtime.connectors.values import ValuesTableFactory
from table_runtime.streaming.checkpoints import failure_points
from table_testing.line_log import LineLog, LineLogSource, append_lines

POINTS = {
    "arrow": ("state written", "prepared", "decided", "committed sink 0", "committed sink 1", "committed", "done"),
    "spark": ("planned", "ran", "prepared", "decided", "committed sink 0", "committed sink 1", "committed", "done"),
}
WORKER_FILE = "worker"
"""The file in the folder of the proof that names the point at which a worker kills itself."""
FUNCTIONS = "functions"
"""The file in the folder of the proof that says that totals are computed by process table functions."""
WORKER_POINTS = ("share written", "share prepared", "share mapped")
START_SECONDS = {"arrow": 0.0, "spark": 20.0}
"""What a driver needs before its first epoch."""
KEYS = 20
END = 10**9
"""The time, in seconds, of the last orders: all windows before are over."""
LAST = "2001-09-09"
"""The day of these orders."""
PROCESSES = multiprocessing.get_context("forkserver")
"""Processes that are killed are forks of one that has imported what they need, and has run nothing."""
JOINED = "SELECT totals.k, n, v, rate FROM totals JOIN rates ON totals.k = rates.k"
WINDOWS = "SELECT CAST(window_start AS STRING) AS s, k, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, k"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", choices=list(POINTS), default="arrow")
    parser.add_argument("--servers", action="store_true", help="with Kafka and PostgreSQL, which are started")
    parser.add_argument("--objects", action="store_true", help="with files and checkpoints on a server of S3")
    parser.add_argument("--frames", action="store_true", help="with orders from a streaming DataFrame; needs --driver spark")
    parser.add_argument("--functions", action="store_true", help="with process table functions")
    parser.add_argument("--points", type=int, default=20)
    parser.add_argument("--random", type=int, default=100)
    parser.add_argument("--workers", type=int, default=0, help="how many of Spark's Python workers are killed at random")
    parser.add_argument("--worker-points", type=int, default=0, help="how many workers kill themselves at each point of a share's task")
    parser.add_argument("--executors", type=int, default=0, help="how many executors are killed at random")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="seconds after which nothing more is killed")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    with tempfile.TemporaryDirectory(prefix="kill-stream") as folder:
        kinds = {arguments.objects: Objects, arguments.servers: Servers, arguments.frames: Frames}
        places = kinds.get(True, Local)(Path(folder))
        PROCESSES.set_forkserver_preload(["__main__", *places.modules])
        places.create()
        if arguments.functions:
            (Path(folder) / FUNCTIONS).touch()
        kills = Kills(Path(folder), places, random.Random(arguments.seed), time.monotonic() + arguments.seconds, arguments.driver)
        kills.all(arguments)


def environment(folder: Path, *, streaming: bool, driver: str = "arrow", master: str = "") -> TableEnvironment:
    """Returns an environment with the tables; in batch mode the sources end. ``master`` is that of Spark."""

    def create(_: object, context: DynamicTableFactory.Context) -> DynamicTableSource:
        row_type = context.catalog_table.resolved_schema.to_physical_row_type()
        name = context.catalog_table.options["data-id"]
        return LineLogSource(LineLog(str(folder / name), row_type, with_kinds=name == "rates", bounded=not streaming))

    ValuesTableFactory.create_dynamic_table_source = create  # type: ignore[method-assign,assignment]
    builder = EnvironmentSettings.new_instance().with_planner(driver)
    places = places_of(folder)
    settings = (builder.in_streaming_mode() if streaming else builder.in_batch_mode()).build()
    env = TableEnvironment.create(settings, external=places.external(master) if streaming else {})
    env.get_config().set("table.local-time-zone", "UTC").set("table.exec.sink.commit-interval", "100 ms").set("pipeline.name", "kills")
    env.get_config().set("execution.checkpointing.dir", places.path("checkpoints"))
    env.get_config().set("table.exec.source.idle-timeout", "0 ms")  # rows of a partition that was silent for a minute would be late
    places.define(env, streaming=streaming)
    env.execute_sql("CREATE TABLE rates (k INT, rate INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'values', 'data-id' = 'rates')")
    totals = "SELECT k, COUNT(*) AS n, SUM(v) AS v FROM orders GROUP BY k"
    if (folder / FUNCTIONS).exists():
        env.create_temporary_system_function("numbered", stream_functions.Numbered)
        env.create_temporary_system_function("marked", stream_functions.Marked)
        totals = stream_functions.TOTALS
    env.execute_sql(f"CREATE TEMPORARY VIEW totals AS {totals}")
    env.execute_sql(f"CREATE TEMPORARY VIEW joined AS {JOINED}")
    for name, columns in (
        ("changes", "op STRING, k INT, n BIGINT, v BIGINT, rate INT"),
        ("windows", "s STRING, k INT, n BIGINT"),
    ):
        env.execute_sql(
            f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{places.path(f'out/{name}')}', 'format' = 'csv')"
        )
    return env


def run_job(folder: Path, kill_at: str | None, driver: str, master: str) -> None:
    point, _, epochs = (kill_at or "").partition(":")
    left = int(epochs or 0)

    def kill(passed: str, epoch: int) -> None:
        nonlocal left
        if passed == point:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    failure_points.listeners.append(kill)
    if driver == "spark":
        os.environ[killing_daemon.FILE] = str(folder / WORKER_FILE)
        os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    env = environment(folder, streaming=True, driver=driver, master=master)
    if driver == "spark":
        env.get_config().set("spark.master", master).set("spark.python.daemon.module", killing_daemon.__name__)
    statements = env.create_statement_set()
    statements.add_insert_sql("INSERT INTO changes SELECT * FROM TO_CHANGELOG(TABLE joined)")
    statements.add_insert_sql("INSERT INTO current_rows SELECT * FROM joined")
    statements.add_insert_sql(f"INSERT INTO windows {WINDOWS}")
    places_of(folder).add_inserts(statements)
    statements.execute().wait()


class Kills:
    """The process, its kills, and what the tables must be."""

    def __init__(self, folder: Path, places: Local, chosen: random.Random, deadline: float, driver: str) -> None:
        self.folder = folder
        self.places = places
        self.chosen = chosen
        self.deadline = deadline
        self.driver = driver
        self.now = 0
        self.rates: dict[int, int] = {}
        self.kills = 0
        self.killed_parts = 0
        self.looks = 0

    def all(self, counts: argparse.Namespace) -> None:
        """Kills as often as the arguments say, and compares the tables."""
        for _ in range(counts.points):
            for point in POINTS[self.driver]:
                if time.monotonic() < self.deadline:
                    self.run_until_killed(f"{point}:{self.chosen.randint(1, 3)}")
        self.print_progress()
        for _ in range(counts.random):
            if time.monotonic() < self.deadline:
                self.run_until_killed(None)
        self.print_progress()
        self.kill_parts(counts.workers, "local[2,8]", workers_of)
        self.kill_at_worker_points(counts.worker_points)
        self.print_progress()
        self.kill_parts(counts.executors, "local-cluster[2,1,1024]", executors_of)
        self.finish()
        print(f"killed {self.kills} times, and {self.killed_parts} parts, looked {self.looks} times: the tables are those of batch mode")

    def print_progress(self) -> None:
        """Prints how many kills there were."""
        print(f"killed {self.kills} times, and {self.killed_parts} parts, so far", flush=True)

    def feed(self) -> None:
        """Adds some orders and rates."""
        for _ in range(self.chosen.randint(1, 4)):
            self.now += self.chosen.randint(0, 4)
            rows = [[self.chosen.randrange(KEYS), self.chosen.randrange(100), self.now] for _ in range(self.chosen.randint(1, 30))]
            self.places.add_orders(self.chosen.randrange(PARTITIONS), rows)
        key, rate = self.chosen.randrange(KEYS), self.chosen.randrange(1000)
        old = self.rates.get(key)
        self.rates[key] = rate
        append_lines(self.folder / "rates", "0", [["+I", key, rate]] if old is None else [["-U", key, old], ["+U", key, rate]])

    def start(self, point: str | None, master: str = "local[2,8]") -> BaseProcess:
        process = PROCESSES.Process(
            target=run_job, args=(self.folder, point, self.driver, master), daemon=True
        )  # it ends with this one, whatever happens here
        process.start()
        return process

    def run_until_killed(self, point: str | None) -> None:
        process = self.start(point)
        began = time.monotonic()
        start = START_SECONDS[self.driver]
        end = (
            began
            + start
            + (
                self.places.limit_seconds
                if point is not None
                else self.chosen.uniform(self.places.random_seconds[0] - start, self.places.random_seconds[1])
            )
        )
        while process.is_alive() and time.monotonic() < end:
            self.feed()
            self.look()
            time.sleep(self.places.pause)
        if process.is_alive():
            if point is not None:
                process.kill()
                raise SystemExit(f"the process did not come to '{point}' within {self.places.limit_seconds:g} s")
            process.kill()
        process.join()
        if process.exitcode != -signal.SIGKILL:
            raise SystemExit(f"the process ended with {process.exitcode} and not by a kill at {point}")
        self.kills += 1
        self.look()

    def kill_parts(self, count: int, master: str, parts_of: Callable[[int], list[int]]) -> None:
        """Kills processes of Spark below one that continues."""
        killed = 0
        process = self.start(None, master) if count else None
        while process is not None and killed < count and time.monotonic() < self.deadline:
            self.feed()
            self.look()
            time.sleep(self.chosen.uniform(0.0, 2.0))
            self.require_alive(process, f"{killed} parts were killed")
            found = parts_of(process.pid or 0)
            if found:
                with suppress(ProcessLookupError):
                    os.kill(self.chosen.choice(found), signal.SIGKILL)
                    killed += 1
        self.killed_parts += killed
        if process is not None:
            process.kill()
            process.join()

    def kill_at_worker_points(self, count: int) -> None:
        """Lets workers of a job that continues kill themselves."""
        process = self.start(None) if count else None
        file = self.folder / WORKER_FILE
        for point in WORKER_POINTS * count if process is not None else ():
            assert process is not None
            hidden = file.with_suffix(".new")
            hidden.write_text(point, encoding="utf-8")
            hidden.replace(file)
            end = time.monotonic() + self.places.limit_seconds + START_SECONDS[self.driver]
            while file.exists() and time.monotonic() < self.deadline:
                self.feed()
                self.look()
                time.sleep(self.places.pause)
                self.require_alive(process, f"a worker came to '{point}'")
                if time.monotonic() > end:
                    process.kill()
                    raise SystemExit(f"no worker came to '{point}' within {self.places.limit_seconds:g} s")
            self.killed_parts += not file.exists()
        if process is not None:
            process.kill()
            process.join()

    def require_alive(self, process: BaseProcess, when: str) -> None:
        """Ends the proof if the process has ended."""
        if not process.is_alive():
            raise SystemExit(f"the process ended with {process.exitcode} when {when}")

    def look(self) -> Counter[str]:
        """Checks what is visible now; returns the rows that the changes make."""
        lines = self.lines("changes")
        counts = Counter[str]()
        for line in lines:
            kind, _, row = line.partition(",")
            counts[row] += 1 if kind in ("INSERT", "UPDATE_AFTER") else -1
        wrong = {row: count for row, count in counts.items() if count not in (0, 1)}
        if wrong:
            raise SystemExit(f"the changes make no table: {wrong}")
        self.looks += 1
        return +counts

    def lines(self, name: str) -> list[str]:
        with environment(self.folder, streaming=False) as env:
            table = env.execute_sql(f"SELECT * FROM {name}").to_arrow() if self.places.exists(f"out/{name}") else None
        if table is None:
            return []
        return [",".join("" if value is None else str(value) for value in row.values()) for row in table.to_pylist()]

    def finish(self) -> None:
        process = self.start(None)
        for partition in range(PARTITIONS):
            self.places.add_orders(partition, [[0, 0, END]])
        with environment(self.folder, streaming=False) as env:
            rows = [tuple(row) for row in env.execute_sql(JOINED).collect()]
            windows = Counter(f"{row[0]},{row[1]},{row[2]}" for row in env.execute_sql(WINDOWS).collect() if not row[0].startswith(LAST))
        wanted = Counter(",".join(map(str, row)) for row in rows)
        self.wait(process, self.look, wanted, "changes")
        self.wait(process, self.places.current_rows, wanted, "current rows")
        if self.places.has_changes:
            self.wait(process, self.places.changes, wanted, "changes in Kafka")
        self.wait(process, lambda: Counter(self.lines("windows")), windows, "windows")
        process.kill()
        process.join()

    def wait(self, process: BaseProcess, look: Callable[[], Counter[str]], wanted: Counter[str], what: str) -> None:
        deadline = time.monotonic() + self.places.limit_seconds + START_SECONDS[self.driver]
        while (found := look()) != wanted:
            if time.monotonic() > deadline or not process.is_alive():
                code = process.exitcode
                process.kill()
                raise SystemExit(
                    f"the {what} did not become those of batch mode; the process ended with {code}\n"
                    f"missing: {sorted((wanted - found).elements())[:20]}\ntoo many: {sorted((found - wanted).elements())[:20]}"
                )
            time.sleep(max(0.05, self.places.pause / 4))


def workers_of(pid: int) -> list[int]:
    """Returns the Python workers below a process: forks of Spark's daemons."""
    below = processes_below(pid)
    daemons = {each for each, (_, command) in below.items() if killing_daemon.__name__.encode() in command}
    return sorted(each for each in daemons if below[each][0] in daemons)


def executors_of(pid: int) -> list[int]:
    """Returns the executors below a process."""
    return sorted(each for each, (_, command) in processes_below(pid).items() if b"CoarseGrainedExecutorBackend" in command)


def processes_below(pid: int) -> dict[int, tuple[int, bytes]]:
    """Returns parent and command of each process below one."""
    found = dict[int, tuple[int, bytes]]()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            found[int(folder.name)] = (parent, (folder / "cmdline").read_bytes())

    def is_below(each: int) -> bool:
        while each in found and each != pid:
            each = found[each][0]
        return each == pid

    return {each: process for each, process in found.items() if each != pid and is_below(each)}


if __name__ == "__main__":
    main()
