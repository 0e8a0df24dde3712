"""Kills processes during commits and checks the table: `python proofs/kill_sinks.py [--points 50] [--seed N] [--sink NAME]`.

For each sink, a table contains the rows of a finished job. The sinks are files and partitioned files, with INSERT INTO and INSERT OVERWRITE; a statement set
with three sinks that write one table; CREATE OR REPLACE TABLE AS; files of Spark's writers; SQLite with both of its journal modes. A process
writes the rows of another job and is killed by SIGKILL during its commit, which begins with the preparation of the writers. Up to four of five points are
different system calls that change files, and the process is killed before the call; all points between two such calls are equivalent. The other points are
calls of Python functions and random times. Then a reader must see either the old state or the complete new state. After the job is repeated
with the same id, the table must contain all rows once, and no temporary files of the commit.

The seed is printed; the same seed kills at the same calls. Each process is a fork of this one, which imports everything and runs nothing.

`kill_jdbc.py` and `kill_kafka.py` do the same with PostgreSQL and Kafka, whose servers they start.

`--spark` kills programs that start Spark and overwrite a table instead, at random times; each point takes some seconds.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from committing_sinks import NEW, OLD, ROW, SINKS, Row, Sink, run
from system_calls import forked, import_what, is_traceable, marked, traced

from table_common.arrow import to_python_rows

ORIGINALS = {method: getattr(*method) for sink in SINKS for method in sink.commit}
Part = Callable[[], None]
Die = Callable[[Part], None]
"""Runs a part of a commit; may kill the process before its end."""


def write(sink: Sink, folder: Path, rows: list[Row], job_id: str, die: Die | None = None) -> None:
    """Writes and commits rows; runs the parts of the commit through ``die``, if given."""
    if die is not None:
        dies_in_commit(sink, die)
    sink.write(folder, rows, job_id)


def write_and_die(sink: Sink, folder: Path, ended: Path, die: Die) -> None:
    """Writes the new rows and is killed during the commit. If the commit ends first, creates the file ``ended`` and kills the process."""
    write(sink, folder, NEW, "new", die)
    ended.touch()
    os.kill(os.getpid(), signal.SIGKILL)


def dies_in_commit(sink: Sink, die: Die) -> None:
    """Replaces the parts of the commit by calls of ``die``."""
    for method in sink.commit:
        setattr(*method, _replacement(ORIGINALS[method], die))


def _replacement(original: Callable[..., Any], die: Die) -> Callable[..., Any]:
    def part(self: object, *arguments: object) -> Any:
        results: list[Any] = []
        die(lambda: results.append(original(self, *arguments)))
        return results[0]

    return part


def at_call(number: int | None, counted: Callable[[int], None] = lambda count: None) -> Die:
    """Kills the process at the call or return with this number; None only counts them, and reports their number after each part."""
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
    """Forks a child that kills this process some time after the beginning of the commit."""
    has_begun = False

    def die(part: Part) -> None:
        nonlocal has_begun
        victim = os.getpid()
        if not has_begun and os.fork() == 0:
            time.sleep(seconds)
            if os.getppid() == victim:  # otherwise it has already ended, and another process may have its id
                os.kill(victim, signal.SIGKILL)
            os._exit(0)
        has_begun = True
        part()

    return die


@dataclass(frozen=True)
class Commit:
    """The profile of one commit: the number of calls, the system calls that change files, and the duration."""

    calls: int
    system_calls: list[str]
    seconds: float


def import_all(sink: Sink, folder: Path) -> None:
    """Imports the modules that writing and reading need."""
    place = folder / "imported"
    place.mkdir()
    sink.make(place)

    def action() -> None:
        write(sink, place, OLD, "old")
        run([sink.reader(place)])

    import_what(action, folder)


def measure(sink: Sink, folder: Path) -> Commit:
    """Returns the profile of an uninterrupted commit."""
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
    """Ends the process with an error unless the table contains exactly one of these lists of rows."""

    def action() -> None:
        rows = sorted(to_python_rows(run([sink.reader(folder)]), ROW))
        if rows not in [sorted(one) for one in allowed]:
            raise AssertionError(f"{len(rows)} rows, of which {len(set(rows))} different; allowed were {[len(one) for one in allowed]}")

    assert forked(action) == 0, f"{sink.name}: {folder} holds other rows than it may"


def require_tidy(sink: Sink, folder: Path) -> None:
    """Raises an ``AssertionError`` if temporary files of a commit remain."""
    left = [path.name for path in folder.iterdir() if path.name != "t" and not path.name.startswith("table.db")]
    left += [path.name for path in folder.glob("table.db.*")] + [str(path.relative_to(folder)) for path in folder.glob("t/.*")]
    assert not left, f"{sink.name}: {', '.join(left)} left in {folder}"


def prove(sink: Sink, points: int, rng: random.Random, folder: Path) -> str:
    """Kills the process at this number of points; returns a summary."""
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
        new = sink.after(OLD, NEW)
        check(sink, place, [new] if ended.exists() else [OLD, new])
        late += ended.exists()
        ended.unlink(missing_ok=True)
        assert forked(partial(write, sink, place, NEW, "new")) == 0, f"{sink.name} cannot be written again after a kill"
        check(sink, place, [new])
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
    parser.add_argument("--spark", action="store_true", help="kill programs that run Spark instead")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    if arguments.spark:
        from kill_spark import prove_spark

        with tempfile.TemporaryDirectory(prefix="kill-sinks-") as folder:
            done = prove_spark(arguments.points, random.Random(f"{arguments.seed} spark"), Path(folder))
        print(f"spark: {done}", flush=True)
        return
    for sink in SINKS:
        if arguments.sink not in (None, sink.name):
            continue
        with tempfile.TemporaryDirectory(prefix="kill-sinks-") as folder:
            done = prove(sink, arguments.points, random.Random(f"{arguments.seed} {sink.name}"), Path(folder))
        print(f"{sink.name}: {done}", flush=True)


if __name__ == "__main__":
    main()
