"""Kills processes in the middle of commits and looks at what is left: `python proofs/kill_sinks.py [--points 50] [--seed N] [--sink NAME]`.

For each sink that commits (files, partitioned files, SQLite) a table holds the rows of a job that ended. A process writes another job's rows
and dies by SIGKILL at a random point of its commit: at one of the calls that the commit makes, or, every other time, at a random moment.
Then a reader must see the old rows alone or together with all new ones, and once the job is run again, under its name, all rows once.

The seed is printed; the same seed kills at the same calls. Each process is a fork of this one, which imports everything and runs nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

import connector_sqlite.sink as sqlite_sink
from connector_sqlite import Database, SqliteTableSink
from connector_sqlite.query import TableQuery
from connector_sqlite.reading import SqliteScanProvider
from table_common.arrow import from_python_rows, to_arrow_schema, to_python_rows
from table_common.connector import DynamicTableSink, FileScanProvider, FileSinkProvider
from table_common.types import BigIntType, IntType, RowType, VarCharType
from table_runtime.files import StagedWrite
from table_runtime.operators.arrow_sink import ArrowSink
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.file_sink import FileSink
from table_runtime.operators.operator import Operator
from table_runtime.operators.scan_arrow import ScanArrow
from table_runtime.operators.scan_files import ScanFiles

ROW = RowType.of([("id", BigIntType()), ("name", VarCharType()), ("part", IntType())], nullable=False)
FILE_ROW = RowType(ROW.fields[:2], nullable=False)
Row = tuple[Any, ...]
OLD = [(number, f"old {number}", number % 5) for number in range(20)]
NEW = [(number, f"new {number}", number % 7) for number in range(100, 160)]


@dataclass(frozen=True)
class Sink:
    """A kind of table: how it is made, written and read, and the call that commits."""

    name: str
    make: Callable[[Path], None]
    writer: Callable[[Path, Operator], Operator]
    reader: Callable[[Path], Operator]
    commit: tuple[type, str]


class Rows(Operator):
    """Some rows, in several batches."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__(to_arrow_schema(ROW))
        self._rows = rows

    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(self._rows), 16):
            yield from_python_rows(self._rows[start : start + 16], ROW)


def _make_database(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "table.db")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, name TEXT, part INTEGER)")


def _database(folder: Path) -> Database:
    return Database(str(folder / "table.db"))


def _write_database(folder: Path, rows: Operator) -> Operator:
    provider = SqliteTableSink(_database(folder), "t", ROW).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    return ArrowSink(rows, provider, "t", "sqlite")


def _read_database(folder: Path) -> Operator:
    return ScanArrow(SqliteScanProvider(_database(folder), TableQuery.of("t", ROW)), ROW, to_arrow_schema(ROW), "t", "sqlite")


def _write_files(folder: Path, rows: Operator, keys: tuple[str, ...]) -> Operator:
    return FileSink(rows, FileSinkProvider(str(folder / "t"), "csv", ROW, partition_keys=keys), "t")


def _read_files(folder: Path, keys: tuple[str, ...]) -> Operator:
    provider = FileScanProvider((str(folder / "t"),), "csv", FILE_ROW if keys else ROW, ROW, partition_keys=keys)
    return ScanFiles(provider, to_arrow_schema(ROW), "t")


SINKS = (
    Sink("files", lambda folder: None, lambda f, r: _write_files(f, r, ()), lambda f: _read_files(f, ()), (StagedWrite, "commit")),
    Sink(
        "partitioned-files",
        lambda folder: None,
        lambda f, r: _write_files(f, r, ("part",)),
        lambda f: _read_files(f, ("part",)),
        (StagedWrite, "commit"),
    ),
    Sink("sqlite", _make_database, _write_database, _read_database, (sqlite_sink._Committer, "commit")),
)

ORIGINALS = {sink.name: getattr(*sink.commit) for sink in SINKS}


def run(operator: Operator, job_id: str = "reader") -> list[pa.RecordBatch]:
    """Runs an operator to its end, as a job of this name."""
    context = ExecutionContext(job_id=job_id, parallelism=1)
    try:
        return list(operator.batches(context))
    finally:
        context.close()


def write(sink: Sink, folder: Path, rows: list[Row], job_id: str, die: Callable[[Callable[[], None]], None] | None = None) -> None:
    """Writes and commits rows; ``die`` runs the commit if it is given."""
    if die is not None:
        dies_in_commit(sink, die)
    run(sink.writer(folder, Rows(rows)), job_id)


def forked(action: Callable[[], None]) -> int:
    """Runs an action in a fork and returns its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            action()
            code = 0
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def dies_in_commit(sink: Sink, die: Callable[[Callable[[], None]], None]) -> None:
    """Lets ``die`` run the commit instead of it being called."""
    cls, name = sink.commit
    original = ORIGINALS[sink.name]

    def commit(self: object, *arguments: object) -> None:
        die(lambda: original(self, *arguments))

    setattr(cls, name, commit)


def at_call(number: int | None, counted: Callable[[int], None] = lambda count: None) -> Callable[[Callable[[], None]], None]:
    """Dies at the call or return with this number; None only counts them."""

    def die(commit: Callable[[], None]) -> None:
        count = 0

        def event(frame: object, kind: str, argument: object) -> None:
            nonlocal count
            count += 1
            if count == number:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(event)
        try:
            commit()
        finally:
            sys.setprofile(None)
        counted(count)

    return die


def after(seconds: float) -> Callable[[Callable[[], None]], None]:
    """Is killed by a child of its own some time into the commit, wherever it is then."""

    def die(commit: Callable[[], None]) -> None:
        victim = os.getpid()
        if os.fork() == 0:
            time.sleep(seconds)
            if os.getppid() == victim:  # else it has ended already, and the number may be somebody else's
                os.kill(victim, signal.SIGKILL)
            os._exit(0)
        commit()

    return die


def measure(sink: Sink, folder: Path) -> tuple[int, float]:
    """Returns how many calls a commit makes, and how long it takes."""
    found = folder / "measured"

    def action() -> None:
        started = 0.0

        def die(commit: Callable[[], None]) -> None:
            nonlocal started
            started = time.perf_counter()
            commit()
            started = time.perf_counter() - started

        dies_in_commit(sink, die)
        run(sink.writer(folder / "a", Rows(NEW)), "timed")
        dies_in_commit(sink, at_call(None, lambda count: counts.append(count)))
        run(sink.writer(folder / "b", Rows(NEW)), "counted")
        found.write_text(f"{counts[0]} {started}")

    counts: list[int] = []
    for name in ("a", "b"):
        (folder / name).mkdir()
        sink.make(folder / name)
    assert forked(action) == 0, f"{sink.name} cannot be written"
    calls, seconds = found.read_text().split()
    return int(calls), float(seconds)


def check(sink: Sink, folder: Path, allowed: list[list[Row]]) -> None:
    """Ends the process with an error unless the table holds exactly one of these lists of rows."""

    def action() -> None:
        rows = sorted(to_python_rows(run(sink.reader(folder)), ROW))
        if rows not in [sorted(one) for one in allowed]:
            raise AssertionError(f"{len(rows)} rows, of which {len(set(rows))} different; allowed were {[len(one) for one in allowed]}")

    assert forked(action) == 0, f"{sink.name}: {folder} holds other rows than it may"


def prove(sink: Sink, points: int, rng: random.Random, folder: Path) -> int:
    """Kills at that many points; returns how many processes died before they ended."""
    died = 0
    calls, seconds = measure(sink, folder)
    for number in range(points):
        place = folder / f"point-{number}"
        place.mkdir()
        sink.make(place)
        assert forked(partial(write, sink, place, OLD, "old")) == 0, f"{sink.name} cannot be written"
        die = at_call(rng.randint(1, calls)) if number % 2 == 0 else after(rng.random() * seconds)

        died += forked(partial(write, sink, place, NEW, "new", die)) == -signal.SIGKILL
        check(sink, place, [OLD, OLD + NEW])
        assert forked(partial(write, sink, place, NEW, "new")) == 0, f"{sink.name} cannot be written again after a kill"
        check(sink, place, [OLD + NEW])
        shutil.rmtree(place)
    return died


def main() -> None:
    """Runs the proof and prints a line for each sink."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--sink", choices=[sink.name for sink in SINKS])
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    for sink in SINKS:
        if arguments.sink not in (None, sink.name):
            continue
        with tempfile.TemporaryDirectory(prefix="kill-sinks-") as folder:
            died = prove(sink, arguments.points, random.Random(f"{arguments.seed} {sink.name}"), Path(folder))
        print(
            f"{sink.name}: {arguments.points} points, {died} processes killed before they ended; nothing lost, doubled or half visible",
            flush=True,
        )


if __name__ == "__main__":
    main()
