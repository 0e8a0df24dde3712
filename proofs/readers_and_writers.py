"""Reads a file table while other processes change it: `python proofs/readers_and_writers.py [--seconds 300] [--reads 10000] [--readers 3] [--spark] [--seed N]`.

One process changes a table continuously: it inserts, overwrites the table or one partition, truncates it, and replaces it as CREATE OR REPLACE TABLE AS
does. It is killed at random times, and another one continues. Before each change it announces the new state, and afterwards it records that
the change is done. Readers in other processes query the table or one partition, some of them slowly. They must read one of the states from the last
one that was done when they began to the last one that was announced when they ended.

In the last fifth of the time two processes overwrite a table concurrently, and every read must return all rows of exactly one change.

`--spark` adds a reader that runs Spark. The proof ends when the time is over and there were enough reads. The seed is printed; it determines the
changes, not their times.
"""

from __future__ import annotations

import argparse
import hashlib
import mmap
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from system_calls import import_what

from table_api import Configuration, EnvironmentSettings, TableEnvironment

Row = tuple[int, int, int, int]
"""The tag of the change, the number of the row in it, the number of its rows, and the partition."""
Rows = frozenset[Row]
PARTS = 6
COLUMNS = "tag BIGINT, number INT, size INT, part INT"
FORMATS = ("csv", "parquet", "json")
STATES = 1 << 16
WIDTH = PARTS + 1
"""A state is a digest of the whole table and one of each partition."""
HEADER = 2 + 2


def digest(rows: Iterable[Row]) -> int:
    """Returns a digest of rows that does not depend on their order."""
    text = repr(sorted(rows)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big") + 1


class Notes:
    """The announced and completed changes of the writer, and the number of reads, in shared memory."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._numbers = memoryview(mmap.mmap(file.fileno(), 0)).cast("q")

    @staticmethod
    def make(path: Path) -> Notes:
        """Returns notes in a new file."""
        path.write_bytes(b"\0" * 8 * (HEADER + STATES * WIDTH))
        return Notes(path)

    @property
    def done(self) -> int:
        """The number of the last completed change."""
        return self._numbers[0]

    @property
    def announced(self) -> int:
        """The number of the last announced change."""
        return self._numbers[1]

    def announce(self, rows: Rows) -> int:
        """Announces the next state of the table; returns the number of the change."""
        number = self.announced + 1
        for column in range(WIDTH):
            wanted = rows if column == 0 else [row for row in rows if row[3] == column - 1]
            self._numbers[HEADER + number * WIDTH + column] = digest(wanted)
        self._numbers[1] = number
        return number

    def finish(self, number: int) -> None:
        """Records that the announced change is complete."""
        self._numbers[0] = number

    def forget(self, number: int) -> None:
        """Records that an announced change did not happen."""
        for column in range(WIDTH):
            self._numbers[HEADER + number * WIDTH + column] = 0

    def is_a_state(self, found: int, column: int, first: int, last: int) -> bool:
        """Returns whether this digest is that of a state between two changes."""
        return any(self._numbers[HEADER + number * WIDTH + column] == found for number in range(first, last + 1))


class Table:
    """The table as one process sees it."""

    def __init__(self, path: Path, format_: str, env: TableEnvironment) -> None:
        self.env = env
        self.options = f"WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}')"
        env.execute_sql(f"CREATE TEMPORARY TABLE t ({COLUMNS}) PARTITIONED BY (part) {self.options}")

    def read(self, condition: str = "", pause: float = 0.0) -> list[Row]:
        """Returns the rows; waits for ``pause`` after the first one."""
        rows: list[Row] = []
        with self.env.execute_sql(f"SELECT tag, number, size, part FROM t {condition}").collect() as found:
            for row in found:
                rows.append(tuple(row))
                if len(rows) == 1 and pause:
                    time.sleep(pause)
        return rows

    def write(self, rows: Iterable[Row], what: str = "INSERT INTO t") -> None:
        """Inserts rows, or runs another statement with them."""
        values = ", ".join(f"(CAST({tag} AS BIGINT), {number}, {size}, {part})" for tag, number, size, part in sorted(rows))
        self.env.execute_sql(f"{what} SELECT * FROM (VALUES {values}) AS v (tag, number, size, part)").wait()


def embedded(path: Path, format_: str) -> Table:
    """Returns the table on the embedded engine."""
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    env = TableEnvironment.create(settings)
    env.get_config().set("table.rtas-ctas.atomicity-enabled", "true")
    return Table(path, format_, env)


def on_spark(path: Path, format_: str) -> Table:
    """Returns the table on Spark."""
    from table_api_bridge import SparkTableEnvironment
    from table_planner_spark import local_session

    session = local_session("local[1]", {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"})
    return Table(path, format_, SparkTableEnvironment.create(session, Configuration({})))


def make_rows(rng: random.Random, tag: int, parts: Iterable[int]) -> Rows:
    """Returns the rows of a change in some partitions."""
    chosen = [part for part in parts for _ in range(rng.randint(1, 6))]
    return frozenset((tag, number, len(chosen), part) for number, part in enumerate(chosen))


def change(table: Table, rng: random.Random, tag: int, before: Rows, notes: Notes) -> None:
    """Makes a random change of the table, which currently has these rows."""
    kind = rng.choice(["insert", "overwrite", "overwrite", "overwrite-partition", "truncate", "replace"])
    part = rng.randrange(PARTS)
    new = make_rows(rng, tag, [part] if kind == "overwrite-partition" else rng.sample(range(PARTS), rng.randint(1, PARTS)))
    match kind:
        case "insert":
            after, work = before | new, partial(table.write, new)
        case "overwrite" | "overwrite-partition":
            # In a partitioned table, only partitions that receive rows are replaced.
            parts = {row[3] for row in new}
            after, work = frozenset(row for row in before if row[3] not in parts) | new, partial(table.write, new, "INSERT OVERWRITE t")
        case "replace":
            statement = f"CREATE OR REPLACE TABLE u PARTITIONED BY (part) {table.options} AS"
            after, work = new, partial(table.write, new, statement)
        case _:
            after, work = frozenset(), lambda: table.env.execute_sql("TRUNCATE TABLE t").wait()
    number = notes.announce(after)
    work()
    notes.finish(number)


def write(path: Path, format_: str, notes_path: Path, seed: str, until: float) -> None:
    """Changes the table until the time is over, continuing from the state that a killed writer left."""
    table, notes, rng = embedded(path, format_), Notes(notes_path), random.Random(seed)
    held = frozenset(table.read())
    if notes.announced != notes.done:
        if notes.is_a_state(digest(held), 0, notes.announced, notes.announced):
            notes.finish(notes.announced)
        else:
            assert notes.is_a_state(digest(held), 0, notes.done, notes.done), "a change that was killed left another state"
            lost = notes.announced
            notes.forget(lost)
            notes.finish(notes.announce(held))
    while time.monotonic() < until and notes.announced < STATES - 2:
        change(table, rng, notes.announced + 1, held, notes)
        held = frozenset(table.read())
        assert notes.is_a_state(digest(held), 0, notes.done, notes.done), "the table does not hold what was written"


def read(make: Callable[[Path, str], Table], path: Path, format_: str, notes_path: Path, count: Path, seed: str, until: float) -> None:
    """Reads the table until the time is over, and counts the reads in a separate file."""
    table, notes, rng = make(path, format_), Notes(notes_path), random.Random(seed)
    reads = 0
    while time.monotonic() < until:
        column = rng.randrange(WIDTH) if rng.random() < 0.4 else 0
        pause = 0.05 if rng.random() < 0.1 else 0.0
        first = notes.done
        rows = table.read("" if column == 0 else f"WHERE part = {column - 1}", pause)
        last = notes.announced
        assert len(rows) == len(set(rows)), f"rows twice: {sorted(rows)}"
        known = notes.is_a_state(digest(rows), column, first, last)
        assert known, f"{len(rows)} rows of column {column} are no state from {first} to {last}: {sorted(rows)}"
        reads += 1
        count.write_text(str(reads))


def overwrite(path: Path, format_: str, number: int, until: float) -> None:
    """Overwrites a table until the time is over, concurrently with another process."""
    table, tag = embedded(path, format_), number
    while time.monotonic() < until:
        tag += 2
        table.write(frozenset((tag, row, PARTS * 3, row % PARTS) for row in range(PARTS * 3)), "INSERT OVERWRITE t")


def read_one_change(path: Path, format_: str, count: Path, until: float) -> None:
    """Reads the table that two processes overwrite."""
    table, reads = embedded(path, format_), 0
    while time.monotonic() < until:
        rows = table.read()
        assert len({row[0] for row in rows}) == 1, f"rows of several changes: {sorted(rows)}"
        assert sorted(row[1] for row in rows) == list(range(PARTS * 3)), f"not all rows: {sorted(rows)}"
        reads += 1
        count.write_text(str(reads))


def start(action: Callable[[], None]) -> int:
    """Runs an action in a new process; returns its process id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        action()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


@contextmanager
def running(actions: Iterable[Callable[[], None]]) -> Iterator[list[int]]:
    """Runs actions in processes; raises an ``AssertionError`` if one of them failed, and ends all."""
    children = [start(action) for action in actions]
    try:
        yield children
        while children:
            code = os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1])
            children.pop(0)
            assert code == 0, "a process failed; see above"
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(child, 0)


def require_alive(children: list[int]) -> None:
    """Raises an ``AssertionError`` if one of the processes has failed."""
    for child in list(children):
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            children.remove(child)
            assert os.waitstatus_to_exitcode(status) == 0, "a process failed; see above"


def beside_one_writer(folder: Path, format_: str, seed: str, seconds: float, readers: int, spark: bool) -> tuple[int, int, int]:
    """Runs readers beside a writer that is killed repeatedly; returns the numbers of reads, changes and kills."""
    rng, until, notes_path, table = random.Random(seed), time.monotonic() + seconds, folder / "notes", folder / "t"
    notes = Notes.make(notes_path)
    notes.finish(notes.announce(frozenset()))
    table.mkdir()
    counts = [folder / f"count-{number}" for number in range(readers + spark)]
    makers = [embedded] * readers + [on_spark] * spark
    actions = [
        partial(read, make, table, format_, notes_path, count, f"{seed} {count.name}", until)
        for make, count in zip(makers, counts, strict=True)
    ]
    kills = 0
    with running(actions) as children:
        while time.monotonic() < until:
            writer = start(partial(write, table, format_, notes_path, f"{seed} {kills}", until))
            end = min(until + 30, time.monotonic() + rng.uniform(1, 6))
            while time.monotonic() < end and os.waitpid(writer, os.WNOHANG)[0] == 0:
                require_alive(children)
                time.sleep(rng.uniform(0, 0.02))
            else:
                if time.monotonic() < end:  # it has already ended
                    assert time.monotonic() >= until, "the writer failed; see above"
                    break
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)
            kills += 1
    return sum(int(count.read_text()) for count in counts if count.exists()), notes.announced, kills


def beside_two_writers(folder: Path, format_: str, seconds: float, readers: int) -> int:
    """Runs readers beside two processes that overwrite one table; returns the number of reads."""
    until, table = time.monotonic() + seconds, folder / "t"
    embedded(table, format_).write(frozenset((0, row, PARTS * 3, row % PARTS) for row in range(PARTS * 3)))
    counts = [folder / f"count-{number}" for number in range(readers)]
    actions = [partial(overwrite, table, format_, number, until) for number in (1, 2)]
    with running([*actions, *(partial(read_one_change, table, format_, count, until) for count in counts)]):
        pass
    return sum(int(count.read_text()) for count in counts if count.exists())


def require_tidy(table: Path, format_: str) -> None:
    """Truncates the table; raises an ``AssertionError`` if unneeded files remain."""
    embedded(table, format_).env.execute_sql("TRUNCATE TABLE t").wait()
    left = [str(path.relative_to(table)) for path in table.rglob("*") if not path.is_dir()]
    assert not left, f"left in {table}: {', '.join(left)}"


def import_all() -> None:
    """Imports the modules that the processes need."""

    def action(path: Path, format_: str) -> None:
        table, notes = embedded(path, format_), Notes.make(path.with_suffix(".notes"))
        held: Rows = frozenset()
        for number in range(6):
            change(table, random.Random(number), number, held, notes)
            table.read("WHERE part = 1")
            held = frozenset(table.read())

    for format_ in FORMATS:
        with tempfile.TemporaryDirectory(prefix="readers-") as name:
            import_what(partial(action, Path(name, "t"), format_), Path(name))


def main() -> None:
    """Runs the proof, in rounds of at most a minute."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--reads", type=int, default=10_000)
    parser.add_argument("--readers", type=int, default=3)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    import_all()
    started, total, number = time.monotonic(), 0, 0
    while (left := started + arguments.seconds - time.monotonic()) > 0 or total < arguments.reads:
        format_ = FORMATS[number % len(FORMATS)]
        seconds = min(60.0, left) if left > 1 else 60.0
        with tempfile.TemporaryDirectory(prefix="readers-") as name:
            one, two = Path(name, "one"), Path(name, "two")
            one.mkdir()
            two.mkdir()
            reads, changes, kills = beside_one_writer(
                one, format_, f"{arguments.seed} {number}", seconds * 0.8, arguments.readers, arguments.spark and number == 0
            )
            others = beside_two_writers(two, format_, seconds * 0.2, arguments.readers)
            for folder in (one, two):
                require_tidy(folder / "t", format_)
        total += reads + others
        number += 1
        print(
            f"{format_}: {reads} reads beside {changes} changes by a writer that was killed {kills} times, {others} beside two writers; "
            "each read one committed state",
            flush=True,
        )
    print(f"{total} reads in {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
