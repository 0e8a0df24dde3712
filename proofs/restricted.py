"""Statements and commands of a restricted session reach nothing that its program does not allow.

    python proofs/restricted.py [--count 500] [--seed 1] [--engine arrow|spark|both] [--verbose]

A try is a place that names a path, a module or a host (``restricted_places.py``) with a way to write one that leads out of what is allowed. It is
*through* if a file or folder outside was opened, listed or changed, if a row of it was returned, if a module outside was imported, or if
a listening socket was connected to. With both engines, three quarters of the tries run on the embedded one.

First, each place runs once in a session without restrictions, with a plain name: the proof must see that it gets out.

The exit status is 1 if a try was through, if an error was not one of ours, or if the places that are seen to get out are too few.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from restricted_places import PLACES, Try, World, plain, tries

TOKEN = "CANARY"
VERBOSE = 90
LEAST_SEEN = 0.7
"""Of the places, how many must be seen to get out of a session without restrictions; for some a server or a library is missing."""
ALLOWED_MOD = """
import canary_held
from canary_held import data as imported_data, rows as imported_rows, F as imported_F, sink as imported_sink, instance
from canary_held import *
def own():
    return [("own",)]
class Inheriting(canary_held.F):
    pass
"""
CANARY_MOD = """
from pathlib import Path
from table_api.udf import ScalarFunction
{mark}
data = [("CANARY",)]
def rows():
    {called}
    return [("CANARY",)]
def sink(rows):
    {called}
    list(rows)
starred_rows, starred_F, starred_sink = [("CANARY",)], [("CANARY",)], sink
class F(ScalarFunction):
    rows = [("CANARY",)]
    F = rows
    def eval(self, x: int) -> str:
        {called}
        return "CANARY"
    def sink(self, rows):
        {called}
instance = F()
"""


def world_in(root: Path, port: int) -> World:
    """Makes the folders."""
    world = World(root, root / "in", root / "out", port)
    for folder in (
        world.allowed / "sub",
        world.out / "d",
        world.out / "p" / "k=1",
        world.out / "registry",
        world.out / "lib",
        world.out / "job",
        root / "in2",
    ):
        folder.mkdir(parents=True)
    for name in ("t.csv", "d/t.csv", "p/k=1/t.csv", "plan.json", "registry/1.avsc", "job/savepoint.json", "lib/canary_file.py"):
        (world.out / name).write_text(f"{TOKEN}\n")
    (world.out / "t.json").write_text(f'{{"a": "{TOKEN}"}}\n')
    (world.out / "script.sql").write_text(f"SELECT '{TOKEN}' AS a;\n")
    shutil.copytree(world.out, root / "in2", dirs_exist_ok=True)
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": [TOKEN]}), world.out / "t.parquet")
    for path, value in ((world.out / "t.db", TOKEN), (world.allowed / "a.db", "inside")):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE t (a TEXT)")
            connection.execute("INSERT INTO t VALUES (?)", (value,))
            connection.commit()
    (world.allowed / "a.csv").write_text("inside\n")
    (world.allowed / "m.json").write_bytes(b"\0\0\0\0\1\2a\n")
    (world.allowed / "link").symlink_to(world.out)
    (world.allowed / "link2").symlink_to(world.allowed / "link")
    (world.allowed / "linkfile.csv").symlink_to(world.out / "t.csv")
    modules = root / "modules"
    modules.mkdir()
    mark = f"Path({str(root / 'imported')!r}).touch()"
    (modules / "canary_mod.py").write_text(CANARY_MOD.format(mark=mark, called=mark))
    (modules / "canary_held.py").write_text(CANARY_MOD.format(mark="", called=mark))
    (modules / "allowed_modx.py").write_text(CANARY_MOD.format(mark=mark, called=mark))
    (modules / "allowed_mod.py").write_text(ALLOWED_MOD)
    editor = root / "editor"
    editor.write_text(f"#!/bin/sh\ntouch {world.out}/edited\n")
    editor.chmod(0o700)
    os.environ.update(HOME=str(world.out), CANARY_FOLDER=str(world.out), EDITOR=str(editor), VISUAL=str(editor))
    sys.path.insert(0, str(modules))
    os.chdir(world.allowed)
    return world


def renew(world: World) -> None:
    """Restores what tries may have left in the allowed folder."""
    for path in world.allowed.iterdir():
        if path.name not in ("sub", "a.csv", "a.db", "m.json", "link", "link2", "linkfile.csv"):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    (world.allowed / "linked").mkdir()
    (world.allowed / "linked" / "k=1").symlink_to(world.out / "p" / "k=1")
    sys.path[:] = [entry for entry in sys.path if not entry.startswith(str(world.out))]
    (world.root / "imported").unlink(missing_ok=True)
    for name in ("canary_mod", "canary_file", "allowed_modx"):
        sys.modules.pop(name, None)


@dataclass
class Watch:
    """What happens during a try."""

    world: World
    opened: list[str] = field(default_factory=list)
    connections: list[object] = field(default_factory=list)
    is_on: bool = False

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        """An audit hook of Python."""
        if self.is_on and event in ("open", "os.listdir", "os.scandir", "sqlite3.connect", "import", "socket.connect"):
            self.opened.append(f"{event} {args[1] if event == 'socket.connect' else args[0]}")

    def state(self) -> list[tuple[str, int, bytes]]:
        """Returns the files outside, with their contents."""
        files = sorted(path for folder in (self.world.out, self.world.root / "in2") for path in folder.rglob("*"))
        return [(str(path), path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"") for path in files]

    @contextlib.contextmanager
    def watching(self) -> Iterator[list[str]]:
        """A context whose value has, at its end, what got out."""
        found: list[str] = []
        before = self.state()
        self.opened.clear()
        self.connections.clear()
        self.is_on = True
        try:
            yield found
        finally:
            self.is_on = False
            after = self.state()
            found += [f"changed {path}" for path, *_ in set(before) ^ set(after)]
            found += [text for text in self.opened if self._is_outside(text)]
            found += ["connected"] * len(self.connections)
            found += ["imported"] * (self.world.root / "imported").exists()
            for path in {path for path, *_ in after} - {path for path, *_ in before}:
                shutil.rmtree(path) if os.path.isdir(path) else Path(path).unlink(missing_ok=True)
            for path, _, content in before:
                if not os.path.isdir(path) and (not os.path.exists(path) or Path(path).read_bytes() != content):
                    Path(path).parent.mkdir(parents=True, exist_ok=True)
                    Path(path).write_bytes(content)

    def _is_outside(self, text: str) -> bool:
        event, _, path = text.partition(" ")
        if event == "import":
            return path in ("canary_mod", "canary_file", "allowed_modx")
        if event == "socket.connect":
            return str(self.world.port) in path
        real = os.path.realpath(path.removeprefix("file:").partition("?")[0])
        return real.startswith((f"{self.world.out}/", f"{self.world.root}/in2/")) or real == str(self.world.out)


def run(attempt: Try, world: World, engine: str, *, is_restricted: bool) -> tuple[str, BaseException | None]:
    """Runs a try in a session of its own; returns what it printed, and its error."""
    options = {"table.planner": engine, "table.exec.timeout": "20 s", "execution.runtime-mode": attempt.mode}
    if is_restricted:
        options["table.security.allowed-modules"] = "allowed_mod;connector_kafka;connector_jdbc"
        options["table.security.allowed-paths"] = (
            f"{world.allowed};postgresql://db.invalid/shop;tcp://broker.invalid:9092;http://registry.invalid"
        )
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown), _session(options) as session:
            _run_in(session, attempt)
    except BaseException as error:
        is_wrapped = type(error).__name__ == "StatementFailed" and error.__cause__ is not None
        return shown.getvalue(), error.__cause__ if is_wrapped else error
    return shown.getvalue(), None


def _session(options: dict[str, str]) -> Any:
    from sql_client.session import ClientSession
    from table_api import EnvironmentSettings, TableEnvironment
    from table_common.configuration import Configuration

    if options["table.planner"] != "spark":
        return ClientSession.open(options)
    settings = EnvironmentSettings.new_instance().with_configuration(Configuration(options)).build()
    return ClientSession(TableEnvironment.create(settings, external={"spark": _spark()}))


@cache
def _spark() -> Any:
    """Returns the Spark of all tries: to start one takes longer than a try."""
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )


def _run_in(session: Any, attempt: Try) -> None:
    from sql_client.script import Script

    text = attempt.text
    if text.startswith("-i "):
        prepared, _, text = text[3:].partition(";;;")
        session.prepare(Script(f"{prepared};"))
    if attempt.is_client:
        session.run_script(Script(text))
        session.wait_for_jobs()
        return
    for statement in text.split(";;"):
        result = session.env.execute_sql(statement)
        if result.is_unbounded and result.writes:
            _stop(result)
        else:
            print(*(row for row in result.collect()))
        sys.stdout.flush()


def _stop(result: Any) -> None:
    """Lets a job run for a moment, and stops it with a savepoint if it has checkpoints."""
    time.sleep(0.3)
    client = result.get_job_client()
    try:
        client.stop_with_savepoint()
    except Exception:
        if client.get_job_status().is_terminal_state():
            result.wait()  # it failed by itself
        client.cancel()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the proof."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="the number of tries (default: 500)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=("arrow", "spark", "both"), default="both")
    parser.add_argument("--no-control", action="store_true", help="leaves out the sessions without restrictions")
    parser.add_argument("--verbose", action="store_true", help="prints each try and its error")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="restricted-") as folder, socket.create_server(("127.0.0.1", 0)) as server:
        world = world_in(Path(folder).resolve(), server.getsockname()[1])
        watch = Watch(world)
        threading.Thread(target=_accept, args=(server, watch), daemon=True).start()
        sys.addaudithook(watch.hook)
        seen, missed = (0, []) if arguments.no_control else _control(watch, world)
        generator = random.Random(arguments.seed)
        chosen = list(tries(world, generator, arguments.count))
        engines = [
            arguments.engine if arguments.engine != "both" else ("spark" if number % 4 == 3 else "arrow") for number in range(len(chosen))
        ]
        through, unclear = [], []
        outcomes: Counter[str] = Counter()
        for attempt, engine in zip(chosen, engines, strict=True):
            renew(world)
            with watch.watching() as found:
                shown, error = run(attempt, world, engine, is_restricted=True)
            found += [f"returned {TOKEN}"] * (TOKEN in shown)
            outcomes[_outcome(error)] += 1
            if found:
                through.append((engine, attempt, found, error))
            if error is not None and not _is_ours(error):
                unclear.append((engine, attempt, error))
            if arguments.verbose or found:
                print(
                    f"{'THROUGH' if found else 'held'} {engine} {attempt.place} | {attempt.escape} | {attempt.text!r}\n    {found[:3]} {str(error)[:300]}",
                    flush=True,
                )
        os.chdir("/")
    for engine, attempt, error in unclear:
        print(f"UNCLEAR {engine} {attempt.place} | {attempt.text!r}\n    {type(error).__name__}: {str(error)[:300]}")
    if not arguments.no_control:
        print(
            f"without restrictions: {seen} of {seen + len(missed)} places are seen to get out{'; not: ' * bool(missed)}{'; '.join(missed)}"
        )
    counted = Counter(engines)
    print(f"places: {len({one.place for one in chosen})}, ways out: {len({one.escape for one in chosen})}, outcomes: {dict(outcomes)}")
    print(
        f"{len(chosen)} tries ({', '.join(f'{name} {count}' for name, count in sorted(counted.items()))}), seed {arguments.seed}: {len(through)} through, {len(unclear)} unclear errors"
    )
    return int(bool(through or unclear) or (not arguments.no_control and seen < LEAST_SEEN * (seen + len(missed))))


def _control(watch: Watch, world: World) -> tuple[int, list[str]]:
    missed = []
    places = [place for place in PLACES if not place.is_closed]
    for place in places:
        renew(world)
        attempt = plain(place, world)
        with watch.watching() as found:
            shown, error = run(attempt, world, "arrow", is_restricted=False)
        if not found and TOKEN not in shown:
            missed.append(f"{place.name} ({str(error)[:VERBOSE] if error else 'no error'})")
    return len(places) - len(missed), missed


def _accept(server: socket.socket, watch: Watch) -> None:
    while True:
        try:
            connection, address = server.accept()
        except OSError:
            return
        watch.connections.append(address)
        connection.close()


def _outcome(error: BaseException | None) -> str:
    if error is None:
        return "no error"
    return (
        "refused" if "must not" in str(error) or "cannot be changed" in str(error) or "restrictions" in str(error) else type(error).__name__
    )


def _is_ours(error: BaseException) -> bool:
    from table_common.exceptions import TableError

    return isinstance(error, TableError)


if __name__ == "__main__":
    sys.exit(main())
