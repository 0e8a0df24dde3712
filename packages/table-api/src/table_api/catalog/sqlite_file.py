"""The file of a ``sqlite`` catalog: schema versions, transactions, and retries while another process holds a lock.

A transaction takes the write lock at its beginning, so that concurrent writers wait for each other and do not fail half-way. Readers see the
last committed state without waiting (write-ahead log).
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from table_common.exceptions import CatalogException
from table_common.gate import AllowedPath
from table_common.secrets import make_private

_APPLICATION_ID = 0x7461626C
"""Marks a SQLite file as a catalog ("tabl")."""

_FIRST_TABLES = """
CREATE TABLE databases (name TEXT PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tables (
  database TEXT NOT NULL REFERENCES databases (name) ON DELETE CASCADE, name TEXT NOT NULL, is_view INTEGER NOT NULL,
  definition TEXT NOT NULL, PRIMARY KEY (database, name)
);
CREATE TABLE functions (
  database TEXT NOT NULL REFERENCES databases (name) ON DELETE CASCADE, name TEXT NOT NULL,
  definition TEXT NOT NULL, PRIMARY KEY (database, name)
);
"""
_PARTITIONS_AND_STATISTICS = """
CREATE TABLE partitions (
  database TEXT NOT NULL, table_name TEXT NOT NULL, spec TEXT NOT NULL, definition TEXT NOT NULL,
  statistics TEXT, column_statistics TEXT, PRIMARY KEY (database, table_name, spec),
  FOREIGN KEY (database, table_name) REFERENCES tables (database, name) ON UPDATE CASCADE ON DELETE CASCADE
);
ALTER TABLE tables ADD COLUMN statistics TEXT;
ALTER TABLE tables ADD COLUMN column_statistics TEXT;
"""
SCHEMA_STEPS = (_FIRST_TABLES, _PARTITIONS_AND_STATISTICS)
"""The migrations from each schema version to the next; the version is their number. Released steps never change."""


class SqliteFile:
    """One open file; safe to use from several threads, and in child processes after a fork."""

    def __init__(self, path: AllowedPath, where: str, lock_timeout: float) -> None:
        """``where`` names the catalog in messages; ``lock_timeout`` is the time to wait for other processes, in seconds."""
        self.path = path
        self._where = where
        self._lock_timeout = lock_timeout
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._inherited: list[sqlite3.Connection | None] = []
        self._process = 0
        self._depth = 0

    def open(self) -> None:
        """Opens the file, creates it if it does not exist, and migrates it to the current schema version.

        Raises:
            CatalogException: the folder does not exist, the file is not a catalog, or a newer version of this program has written it.
        """
        if not self.path.parent.is_dir():
            raise CatalogException(f"The folder '{self.path.parent}' of the {self._where} does not exist.", hint="create it first")
        if self.path.is_dir():
            raise CatalogException(f"The path '{self.path}' of the {self._where} is a folder, but must be a file.")
        with self._lock:
            self._connect()
            version = self._version()
            if version > len(SCHEMA_STEPS):
                self.close()
                raise CatalogException(
                    f"The {self._where} in '{self.path}' has version {version}; this program supports versions up to {len(SCHEMA_STEPS)}.",
                    hint="a newer version of table-api has written it: upgrade this one",
                )
            if version < len(SCHEMA_STEPS):
                self._upgrade()

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commits the changes of the context, or rolls them back on an error; other threads and writers of other processes wait.

        Raises:
            CatalogException: other processes held the lock for longer than ``lock_timeout``.
        """
        with self._lock:
            connection = self._connect()
            if self._depth == 0:
                self._retry_while_locked(lambda: connection.execute("BEGIN IMMEDIATE"))
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if self._depth == 0:
                    connection.rollback()
                raise
            self._depth -= 1
            if self._depth == 0:
                try:
                    self._retry_while_locked(connection.commit)
                except BaseException:
                    connection.rollback()
                    raise

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Returns the rows of a query, from one snapshot."""
        with self._lock:
            connection = self._connect()
            found: list[tuple[Any, ...]] = self._retry_while_locked(lambda: connection.execute(sql, values).fetchall())
            return found

    def row(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        """Returns the first row of a query, or None."""
        return next(iter(self.rows(sql, *values)), None)

    def change(self, sql: str, *values: object) -> int:
        """Runs a change, in its own transaction if none is open; returns the number of changed rows."""
        with self.transaction():
            connection = self._connect()
            changed: int = self._retry_while_locked(lambda: connection.execute(sql, values).rowcount)
            return changed

    # --- parts -------------------------------------------------------------------------------------------------------------------

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None or self._process != os.getpid():
            # After a fork, the parent's connection must be neither used nor closed here: keep a reference to it.
            self._inherited.append(self._connection)
            self._depth, self._process = 0, os.getpid()
            self._connection = self._retry_while_locked(self._connected)
        return self._connection

    def _connected(self) -> sqlite3.Connection:
        self._keep_private()
        connection = sqlite3.connect(self.path, timeout=min(1.0, self._lock_timeout), isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _keep_private(self) -> None:
        """Makes the file, and SQLite's files beside it, readable for their owner only."""
        try:
            make_private(self.path, create=True)
        except OSError as error:
            raise CatalogException(f"The file '{self.path}' of the {self._where} cannot be used: {error.strerror}.") from error
        for suffix in ("-wal", "-shm", "-journal"):
            make_private(f"{self.path}{suffix}")

    def _version(self) -> int:
        (marked,) = self.row("PRAGMA application_id") or (0,)
        (version,) = self.row("PRAGMA user_version") or (0,)
        (tables,) = self.row("SELECT COUNT(*) FROM sqlite_master") or (0,)
        if marked != _APPLICATION_ID and (tables or version):
            self.close()
            raise CatalogException(f"The file '{self.path}' of the {self._where} is a SQLite database of another application.")
        return int(version)

    def _upgrade(self) -> None:
        with self.transaction():
            # Another process may have migrated the file before this one got the lock.
            for position in range(self._version(), len(SCHEMA_STEPS)):
                for statement in _statements(SCHEMA_STEPS[position]):
                    self.change(statement)
            self.change(f"PRAGMA application_id = {_APPLICATION_ID}")
            self.change(f"PRAGMA user_version = {len(SCHEMA_STEPS)}")

    def _retry_while_locked(self, call: Any) -> Any:
        """Returns the result of ``call``, and repeats it while another process holds a lock."""
        deadline = time.monotonic() + self._lock_timeout
        pause = 0.001
        while True:
            try:
                return call()
            except sqlite3.OperationalError as error:
                if not _is_busy(error):
                    raise self._failed(error) from error
                if time.monotonic() > deadline:
                    raise CatalogException(
                        f"Another process has locked the {self._where} in '{self.path}' for more than {self._lock_timeout:g} s.",
                        hint="wait for it to end, or increase the catalog's option 'lock-timeout'",
                    ) from error
                time.sleep(pause)
                pause = min(2 * pause, 0.05)
            except sqlite3.Error as error:
                raise self._failed(error) from error

    def _failed(self, error: sqlite3.Error) -> CatalogException:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
            return CatalogException(f"The file '{self.path}' of the {self._where} is not a SQLite database.")
        return CatalogException(f"The file '{self.path}' of the {self._where} cannot be used: {error}.")


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _statements(script: str) -> Sequence[str]:
    return [statement for statement in map(str.strip, script.split(";")) if statement]
