"""Concurrent changes of one sqlite catalog by several processes: no lost updates, no partial changes, no lock errors in programs.

    python proofs/catalog_processes.py [--seconds 60] [--seed N] [--processes 2]

Each process runs SQL: it creates, alters, renames and drops its own tables, views, databases and partitions, sets options of a table that all processes
share, increments a counter in a transaction, and creates and drops one table that the others create and drop too. Before and after each change it
writes a line to its journal. Another process does the same and is repeatedly killed (SIGKILL) during a change.

At the end the content of the catalog must equal the journals. The unfinished change of a killed process may be applied
or not. The exit status is 1 if anything differs, if a process failed, or if SQLite's integrity check fails.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from table_api import EnvironmentSettings, TableEnvironment
from table_common.catalog import CatalogTable, ObjectPath
from table_common.exceptions import CatalogException

SHARED = ObjectPath("default", "shared")
COUNTER = ObjectPath("default", "counter")


def environment(path: Path) -> TableEnvironment:
    """Returns an environment in the catalog of a file."""
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '{path}')")
    env.execute_sql("USE CATALOG c")
    return env


# --- a process --------------------------------------------------------------------------------------------------------------------


@dataclass
class Worker:
    """Changes its own objects and shared ones, and tracks the expected state."""

    name: str
    env: TableEnvironment
    random: random.Random
    journal: Path
    tables: dict[str, int] = field(default_factory=dict)
    """The value of the option ``n`` by table name; -1 for views."""
    made: int = 0

    def run(self, until: float) -> None:
        """Makes changes until a point in time (of ``time.time``)."""
        with self.journal.open("a", encoding="utf-8") as file:
            while time.time() < until:
                self.made += 1
                change = self.random.choice(
                    [self.create, self.create, self.alter, self.alter, self.rename, self.drop, self.share, self.count, self.common]
                )
                for statement in change():
                    file.write(json.dumps(["begin", *statement]) + "\n")
                    file.flush()
                    self.execute(*statement)
                    file.write('["end"]\n')
                    file.flush()

    def execute(self, verb: str, name: str, value: object) -> None:
        """Makes one change."""
        match verb:
            case "create":
                if value == -1:
                    self.env.execute_sql(f"CREATE VIEW {name} AS SELECT a FROM shared")
                else:
                    self.env.execute_sql(
                        f"CREATE TABLE {name} (a INT, p STRING) PARTITIONED BY (p) WITH ('connector' = 'x', 'n' = '{value}')"
                    )
            case "alter":
                self.env.execute_sql(f"ALTER TABLE {name} SET ('n' = '{value}')")
                self.env.execute_sql(f"ALTER TABLE {name} ADD IF NOT EXISTS PARTITION (p = '{value}')")
            case "rename":
                self.env.execute_sql(f"ALTER TABLE {name} RENAME TO {value}")
            case "drop":
                self.env.execute_sql(f"DROP {'VIEW' if value == -1 else 'TABLE'} {name}")
            case "share":
                self.env.execute_sql(f"ALTER TABLE shared SET ('{name}' = '{value}')")
            case "count":
                catalog = self.env.get_catalog("c")
                assert catalog is not None
                with catalog.transaction():
                    table = catalog.get_table(COUNTER)
                    counted = int(table.options.get(self.name, "0")) + 1
                    total = int(table.options.get("total", "0")) + 1
                    catalog.alter_table(COUNTER, table.copy({**table.options, self.name: str(counted), "total": str(total)}), False)
            case "common":
                self.env.execute_sql(f"CREATE TABLE IF NOT EXISTS common (a INT) WITH ('connector' = '{self.name}')")
                self.env.execute_sql("CREATE DATABASE IF NOT EXISTS common_database")
                self.refused(f"ALTER TABLE common SET ('{self.name}' = '1')", "'common' does not exist")
                self.env.execute_sql("DROP TABLE IF EXISTS common")
                self.refused("DROP DATABASE common_database", "'common_database' does not exist")

    def refused(self, statement: str, reason: str) -> None:
        """Runs a statement that may fail because another process was faster."""
        try:
            self.env.execute_sql(statement)
        except CatalogException as error:
            if reason not in str(error):
                raise

    def create(self) -> Iterator[tuple[str, str, object]]:
        name, value = f"{self.name}_{self.made}", self.random.choice([-1, 0, 0])
        yield "create", name, value
        self.tables[name] = value

    def alter(self) -> Iterator[tuple[str, str, object]]:
        altered = [name for name, value in self.tables.items() if value >= 0]
        if altered:
            name = self.random.choice(altered)
            yield "alter", name, self.tables[name] + 1
            self.tables[name] += 1

    def rename(self) -> Iterator[tuple[str, str, object]]:
        renamed = [name for name, value in self.tables.items() if value >= 0]
        if renamed:
            name = self.random.choice(renamed)
            yield "rename", name, f"{name}_r"
            self.tables[f"{name}_r"] = self.tables.pop(name)

    def drop(self) -> Iterator[tuple[str, str, object]]:
        if len(self.tables) > 5:
            name = self.random.choice(list(self.tables))
            yield "drop", name, self.tables[name]
            del self.tables[name]

    def share(self) -> Iterator[tuple[str, str, object]]:
        yield "share", f"{self.name}.{self.random.randrange(20)}", self.made

    def count(self) -> Iterator[tuple[str, str, object]]:
        yield "count", "counter", 0

    def common(self) -> Iterator[tuple[str, str, object]]:
        yield "common", "common", 0


# --- the expected state -----------------------------------------------------------------------------------------------------------


@dataclass
class Expected:
    """The state according to a journal; ``open`` is a change that was begun but not finished."""

    tables: dict[str, int] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)
    counted: int = 0
    changes: int = 0
    open: list[list[object]] = field(default_factory=list)

    @classmethod
    def of(cls, journal: Path) -> Expected:
        """Reads a journal; the last line of a killed process may be incomplete."""
        found, begun = cls(), None
        for line in journal.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if entry[0] == "begin":
                if begun is not None:
                    found.open.append(begun)
                begun = entry[1:]
            elif begun is not None:
                found.apply(*begun)
                begun = None
        if begun is not None:
            found.open.append(begun)
        return found

    def apply(self, verb: str, name: str, value: object) -> None:
        """Makes a change."""
        self.changes += 1
        match verb:
            case "create" | "alter":
                assert isinstance(value, int)
                self.tables[name] = value
            case "rename":
                self.tables[str(value)] = self.tables.pop(name)
            case "drop":
                del self.tables[name]
            case "share":
                self.shared[name] = str(value)
            case "count":
                self.counted += 1


def differences(env: TableEnvironment, journals: dict[str, Expected]) -> Iterator[str]:
    """Yields the differences between the catalog and the journals."""
    catalog = env.get_catalog("c")
    assert catalog is not None
    found: dict[str, int] = {}
    for name in catalog.list_tables("default"):
        table = catalog.get_table(ObjectPath("default", name))
        found[name] = int(table.options.get("n", "0")) if isinstance(table, CatalogTable) else -1
    shared, counter = catalog.get_table(SHARED).options, catalog.get_table(COUNTER).options
    for worker, expected in journals.items():
        # An interrupted change may be applied or not, so its object is not compared.
        unsure = {str(part) for change in expected.open for part in change[1:]}
        own = {name: n for name, n in found.items() if name.startswith(f"{worker}_") and name not in unsure}
        wanted = {name: n for name, n in expected.tables.items() if name not in unsure}
        for name in sorted({*own, *wanted}):
            if own.get(name) != wanted.get(name):
                yield f"table {name}: the journal says {wanted.get(name)}, the catalog has {own.get(name)}"
        for key, value in expected.shared.items():
            if key not in unsure and shared.get(key) != value:
                yield f"option {key} of the shared table: the journal says {value}, the catalog has {shared.get(key)}"
        counts = range(expected.counted, expected.counted + 1 + sum(change[0] == "count" for change in expected.open))
        if int(counter.get(worker, "0")) not in counts:
            yield f"counter: the journal of {worker} says {expected.counted}, the catalog has {counter.get(worker)}"
    total = sum(int(value) for key, value in counter.items() if key in journals)
    if int(counter.get("total", "0")) != total:
        yield f"counter: the total is {counter.get('total')}, its parts add up to {total}"


# --- the program ------------------------------------------------------------------------------------------------------------------


class Process:
    """A process that changes the catalog; ``go`` starts it."""

    def __init__(self, name: str, folder: Path, seed: int) -> None:
        command = [sys.executable, __file__, "--worker", name, "--folder", str(folder), "--seed", str(seed)]
        self.name = name
        self.errors = (folder / f"{name}.err").open("w+", encoding="utf-8")
        self.popen = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)

    def ready(self) -> None:
        """Waits until the process has opened the catalog."""
        assert self.popen.stdout is not None
        self.popen.stdout.readline()

    def go(self, until: float) -> None:
        """Starts the changes, which end at the given time."""
        assert self.popen.stdin is not None
        if self.popen.poll() is None:
            self.popen.stdin.write(f"{until}\n")
            self.popen.stdin.flush()

    def kill_after(self, seconds: float) -> str | None:
        """Kills the process after some time; returns its standard error if it had already ended."""
        try:
            self.popen.wait(seconds)
            return self.end(0)
        except subprocess.TimeoutExpired:
            self.popen.send_signal(signal.SIGKILL)
            self.end(60)
            return None

    def end(self, timeout: float) -> str:
        """Waits for the end of the process; returns its standard error."""
        self.popen.wait(timeout)
        for pipe in (self.popen.stdin, self.popen.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.errors.seek(0)
        text = self.errors.read()
        self.errors.close()
        return f"ended with status {self.popen.returncode}: {text}"


def work(arguments: argparse.Namespace) -> None:
    """Runs as one of the processes."""
    folder = Path(arguments.folder)
    with environment(folder / "catalog.db") as env:
        worker = Worker(arguments.worker, env, random.Random(arguments.seed), folder / f"{arguments.worker}.jsonl")
        print("ready", flush=True)
        worker.run(float(sys.stdin.readline()))


def prove(seconds: float, seed: int, processes: int, folder: Path) -> int:
    """Runs the processes and compares the result with the journals; returns the number of differences."""
    choices = random.Random(seed)
    with environment(folder / "catalog.db") as env:
        for name in ("shared", "counter"):
            env.execute_sql(f"CREATE TABLE {name} (a INT) WITH ('connector' = 'x')")
    workers = [Process(f"w{number}", folder, seed + number) for number in range(processes)]
    victim = Process("k0", folder, seed + 1000)
    killed = 0
    failures: list[str] = []
    for process in (*workers, victim):
        process.ready()
    until = time.time() + seconds
    for process in workers:
        process.go(until)
    while True:
        victim.go(until + 600)
        failure = victim.kill_after(choices.uniform(0.2, 2.0))
        killed += 1
        if failure is not None:
            failures.append(f"{victim.name} {failure}")
        if time.time() >= until:
            break
        victim = Process(f"k{killed}", folder, seed + 1000 + killed)
        victim.ready()
    for process in workers:
        ended = process.end(300)
        if process.popen.returncode:
            failures.append(f"{process.name} {ended}")
    journals = {file.stem: Expected.of(file) for file in sorted(folder.glob("*.jsonl"))}
    with environment(folder / "catalog.db") as env:
        failures += differences(env, journals)
    connection = sqlite3.connect(folder / "catalog.db")
    ((integrity,),) = connection.execute("PRAGMA integrity_check").fetchall()
    orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    connection.close()
    if integrity != "ok" or orphans:
        failures.append(f"the file is damaged: {integrity} {orphans}")
    changes = {name: expected.changes for name, expected in journals.items()}
    in_the_middle = sum(bool(expected.open) for expected in journals.values())
    steady = [process.name for process in workers]
    of_killed = sum(count for name, count in changes.items() if name not in steady)
    print(f"changes: {', '.join(f'{changes.get(name, 0)} of {name}' for name in steady)}, {of_killed} of {killed} killed processes")
    print(f"killed in the middle of a change: {in_the_middle}; integrity: {integrity}; differences: {len(failures)}")
    for failure in failures[:20]:
        print(f"  {failure}")
    return len(failures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="printed at the start; random by default")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        work(arguments)
        return
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}, {arguments.processes} processes for {arguments.seconds:g} s", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        if prove(arguments.seconds, seed, arguments.processes, Path(folder)):
            raise SystemExit(1)


if __name__ == "__main__":
    main()
