"""Kills processes in the middle of commits and looks at what is left: `python proofs/kill_sinks.py [--points 50] [--seed N] [--sink NAME]`.

For each sink that commits (files, partitioned files, SQLite with either of its journals) a table holds the rows of a job that ended. A process
writes another job's rows and dies by SIGKILL somewhere in its commit, which begins when its writer prepares it. Up to four of five points are
different system calls that change a file, and it dies before them: between two such calls nobody could tell when it died. The other points are
calls of Python functions and random moments. Then a reader must see the old rows alone or together with all new ones; once the job is run again,
under its name, all rows once and no file that only the commit needed.

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
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
from system_calls import forked, is_traceable, marked, traced

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
    """A kind of table: how it is made, written and read, and the calls that commit, one after the other."""

    name: str
    make: Callable[[Path], None]
    writer: Callable[[Path, Operator], Operator]
    reader: Callable[[Path], Operator]
    commit: tuple[tuple[type, str], ...]


class Rows(Operator):
    """Some rows, in several batches."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__(to_arrow_schema(ROW))
        self._rows = rows

    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(self._rows), 16):
            yield from_python_rows(self._rows[start : start + 16], ROW)


def _make_database(folder: Path, journal: str) -> None:
    with closing(sqlite3.connect(folder / "table.db")) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
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


def _sqlite(name: str, journal: str) -> Sink:
    commit = ((sqlite_sink._Writer, "prepare_commit"), (sqlite_sink._Committer, "commit"))
    return Sink(name, lambda folder: _make_database(folder, journal), _write_database, _read_database, commit)


def _files(name: str, keys: tuple[str, ...]) -> Sink:
    commit = ((StagedWrite, "commit"),)
    return Sink(
        name, lambda folder: None, lambda folder, rows: _write_files(folder, rows, keys), lambda folder: _read_files(folder, keys), commit
    )


SINKS = (_files("files", ()), _files("partitioned-files", ("part",)), _sqlite("sqlite", "DELETE"), _sqlite("sqlite-wal", "WAL"))
ORIGINALS = {method: getattr(*method) for sink in SINKS for method in sink.commit}
Part = Callable[[], None]
Die = Callable[[Part], None]
"""Runs a part of a commit, perhaps not to its end."""


def run(operator: Operator, job_id: str = "reader") -> list[pa.RecordBatch]:
    """Runs an operator to its end, as a job of this name."""
    context = ExecutionContext(job_id=job_id, parallelism=1)
    try:
        return list(operator.batches(context))
    finally:
        context.close()


def write(sink: Sink, folder: Path, rows: list[Row], job_id: str, die: Die | None = None) -> None:
    """Writes and commits rows; ``die`` runs the parts of the commit if it is given."""
    if die is not None:
        dies_in_commit(sink, die)
    run(sink.writer(folder, Rows(rows)), job_id)


def write_and_die(sink: Sink, folder: Path, ended: Path, die: Die) -> None:
    """Writes the new rows and dies in the commit, or, where that was over too early, right after it: ``ended`` exists then."""
    write(sink, folder, NEW, "new", die)
    ended.touch()
    os.kill(os.getpid(), signal.SIGKILL)


def dies_in_commit(sink: Sink, die: Die) -> None:
    """Lets ``die`` run the parts of the commit instead of them being called."""
    for method in sink.commit:
        setattr(*method, _replacement(ORIGINALS[method], die))


def _replacement(original: Callable[..., Any], die: Die) -> Callable[..., Any]:
    def part(self: object, *arguments: object) -> Any:
        results: list[Any] = []
        die(lambda: results.append(original(self, *arguments)))
        return results[0]

    return part


def at_call(number: int | None, counted: Callable[[int], None] = lambda count: None) -> Die:
    """Dies at the call or return with this number; None only counts them, and gives their number after each part."""
    count = 0

    def event(frame: object, kind: str, argument: object) -> None:
        nonlocal count
        count += 1
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)

    def die(part: Part) -> None:
        sys.setprofile(event)
        try:
            part()
        finally:
            sys.setprofile(None)
        counted(count)

    return die


def after(seconds: float) -> Die:
    """Is killed by a child of its own some time after the commit began, wherever it is then."""
    has_begun = False

    def die(part: Part) -> None:
        nonlocal has_begun
        victim = os.getpid()
        if not has_begun and os.fork() == 0:
            time.sleep(seconds)
            if os.getppid() == victim:  # else it has ended already, and the number may be somebody else's
                os.kill(victim, signal.SIGKILL)
            os._exit(0)
        has_begun = True
        part()

    return die


@dataclass(frozen=True)
class Commit:
    """What one commit does: how many calls it makes, which system calls that change files, and how long it takes."""

    calls: int
    system_calls: list[str]
    seconds: float


def import_all(sink: Sink, folder: Path) -> None:
    """Imports what writing and reading import, so that no fork has to."""
    place, found = folder / "imported", folder / "modules"
    place.mkdir()
    sink.make(place)

    def action() -> None:
        write(sink, place, OLD, "old")
        run(sink.reader(place))
        found.write_text("\n".join(sys.modules))

    assert forked(action) == 0, f"{sink.name} cannot be written and read"
    for name in found.read_text().splitlines():
        with suppress(ImportError):
            import_module(name)


def measure(sink: Sink, folder: Path) -> Commit:
    """Returns what a commit does that nobody disturbs."""
    seconds, counts = 0.0, [0]

    def timed(part: Part) -> None:
        nonlocal seconds
        started = time.perf_counter()
        part()
        seconds += time.perf_counter() - started

    def place(name: str) -> Path:
        made = folder / name
        made.mkdir()
        sink.make(made)
        assert forked(partial(write, sink, made, OLD, "old")) == 0, f"{sink.name} cannot be written"
        return made

    def action() -> None:
        write(sink, first, NEW, "timed", timed)
        write(sink, second, NEW, "counted", at_call(None, counts.append))
        found.write_text(f"{counts[-1]} {seconds}")

    first, second, found = place("timed"), place("counted"), folder / "measured"
    assert forked(action) == 0, f"{sink.name} cannot be written"
    system_calls: list[str] = []
    if is_traceable():
        code, system_calls = traced(partial(write, sink, place("traced"), NEW, "traced", marked), None)
        assert code == 0, f"{sink.name} cannot be written"
    calls, took = found.read_text().split()
    return Commit(int(calls), system_calls, float(took))


def check(sink: Sink, folder: Path, allowed: list[list[Row]]) -> None:
    """Ends the process with an error unless the table holds exactly one of these lists of rows."""

    def action() -> None:
        rows = sorted(to_python_rows(run(sink.reader(folder)), ROW))
        if rows not in [sorted(one) for one in allowed]:
            raise AssertionError(f"{len(rows)} rows, of which {len(set(rows))} different; allowed were {[len(one) for one in allowed]}")

    assert forked(action) == 0, f"{sink.name}: {folder} holds other rows than it may"


def require_tidy(sink: Sink, folder: Path) -> None:
    """Raises an ``AssertionError`` if a file is left that only a commit needs."""
    left = [path.name for path in folder.iterdir() if path.name != "t" and not path.name.startswith("table.db")]
    left += [path.name for path in folder.glob("table.db.*")]
    assert not left, f"{sink.name}: {', '.join(left)} left in {folder}"


def prove(sink: Sink, points: int, rng: random.Random, folder: Path) -> str:
    """Kills at that many points; returns what was done."""
    import_all(sink, folder)
    commit = measure(sink, folder)
    order = list(range(1, len(commit.system_calls) + 1))
    rng.shuffle(order)
    systematic = min(len(order), points * 4 // 5)
    late, calls, ended = 0, set[int](), folder / "ended"
    for number in range(points):
        place = folder / f"point-{number}"
        place.mkdir()
        sink.make(place)
        assert forked(partial(write, sink, place, OLD, "old")) == 0, f"{sink.name} cannot be written"
        if number < systematic:
            at = order[number]
            code, _ = traced(partial(write_and_die, sink, place, ended, marked), at)
        elif number % 2 == 0:
            at = rng.randint(1, commit.calls)
            calls.add(at)
            code = forked(partial(write_and_die, sink, place, ended, at_call(at)))
        else:
            code = forked(partial(write_and_die, sink, place, ended, after(rng.random() * commit.seconds)))
        assert code == -signal.SIGKILL, f"{sink.name} failed instead of being killed"
        check(sink, place, [OLD + NEW] if ended.exists() else [OLD, OLD + NEW])
        late += ended.exists()
        ended.unlink(missing_ok=True)
        assert forked(partial(write, sink, place, NEW, "new")) == 0, f"{sink.name} cannot be written again after a kill"
        check(sink, place, [OLD + NEW])
        require_tidy(sink, place)
        shutil.rmtree(place)
    kinds = ", ".join(f"{commit.system_calls.count(name)} {name}" for name in sorted(set(commit.system_calls)))
    return (
        f"{points} points, {points - late} inside the commit and {late} right after it; nothing lost, doubled, half visible or left behind\n"
        f"  before {systematic} of {len(order)} system calls that change files ({kinds}), at {len(calls)} of {commit.calls} calls, "
        f"the others at moments of {commit.seconds * 1000:.1f} ms"
    )


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
            done = prove(sink, arguments.points, random.Random(f"{arguments.seed} {sink.name}"), Path(folder))
        print(f"{sink.name}: {done}", flush=True)


if __name__ == "__main__":
    main()
