"""Opening a database and running statements: how often that is tried, and errors that say what was done."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import quote

from connector_sqlite.failures import is_locked, reason_of, refused, unusable
from table_common.exceptions import TableError, TableRuntimeException
from table_common.frozen_dataclass import dataclass

__all__ = ["Database", "Session", "quote_name"]

_T = TypeVar("_T")
LOG = logging.getLogger("table.connector.sqlite")
BATCH_ROWS = "65536"
MAPPED_BYTES = 1 << 30
"""How much of the file is read through memory mapping: lookups of scattered rows are several times faster so."""


def quote_name(name: str) -> str:
    """Returns a name as SQLite reads it, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'


class Session:
    """A connection with its cursor. Statements that meet a lock are tried again; what SQLite refuses is a ``TableError``."""

    def __init__(self, database: Database, connection: Any, cursor: Any) -> None:
        self._database = database
        self._connection = connection
        self._cursor = cursor

    def rows(self, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Returns the rows of a statement."""
        self._database.trace(sql)

        def run() -> list[tuple[Any, ...]]:
            self._cursor.execute(sql, parameters)
            found: list[tuple[Any, ...]] = self._cursor.fetchall()
            return found

        return self._database.retried(run, sql)

    def reader(self, sql: str, parameters: Any = None) -> Any:
        """Returns a reader of the record batches of a query."""
        self._database.trace(sql)

        def run() -> Any:
            self._cursor.execute(sql, parameters)
            return self._cursor.fetch_record_batch()

        return self._database.retried(run, sql)

    def execute_many(self, sql: str, batch: Any) -> None:
        """Runs a statement for each row of a record batch, in a transaction that has the lock for writing."""
        self._database.trace(f"{sql} -- {batch.num_rows} rows")
        try:
            self._cursor.executemany(sql, batch)
        except self._database.errors as error:
            raise self._database.failure(error, sql) from error

    def close(self) -> None:
        """Closes both."""
        try:
            self._cursor.close()
        finally:
            self._connection.close()


@dataclass(frozen=True, slots=True)
class Database:
    """A database file that exists."""

    path: str
    max_retries: int = 3
    retry_delay: timedelta = timedelta(milliseconds=500)
    busy_timeout: timedelta = timedelta(seconds=30)
    trace_file: str | None = None

    def trace(self, text: str) -> None:
        """Logs a statement that SQLite is given, and adds it to the file of traces: other processes' logs may be far away."""
        LOG.debug("%s", text)
        if self.trace_file is not None:
            with open(self.trace_file, "a", encoding="utf-8") as file:
                file.write(f"{' '.join(text.splitlines())}\n")

    @property
    def errors(self) -> type[Exception]:
        """What the driver raises."""
        from adbc_driver_sqlite.dbapi import Error

        raised: type[Exception] = Error
        return raised

    def open(self, *, writable: bool = False) -> Session:
        """Returns a session; statements take effect at once, unless between BEGIN and COMMIT.

        Raises:
            ValidationException: the file does not exist or is no database, at once.
            TableRuntimeException: it stayed locked, after all tries.
        """
        problem = unusable(self.path)
        if problem is not None:
            raise problem
        return self.retried(lambda: self._connect(writable=writable), "opening it")

    def _connect(self, *, writable: bool) -> Session:
        from adbc_driver_sqlite import StatementOptions, dbapi

        # Readers open the file for writing too, where they may: only so SQLite can undo what a writer that died left half done.
        uri = f"file:{quote(self.path)}?mode=rw"
        connection = dbapi.connect(uri, autocommit=True)
        cursor = None
        try:
            cursor = connection.cursor()
            cursor.adbc_statement.set_options(**{StatementOptions.BATCH_ROWS.value: BATCH_ROWS})
            for setting in (
                f"busy_timeout = {int(self.busy_timeout.total_seconds() * 1000)}",
                f"mmap_size = {MAPPED_BYTES}",
                f"query_only = {'OFF' if writable else 'ON'}",
            ):
                cursor.execute(f"PRAGMA {setting}")
                cursor.fetchall()
        except BaseException:
            if cursor is not None:
                cursor.close()
            connection.close()
            raise
        return Session(self, connection, cursor)

    @contextmanager
    def session(self, *, writable: bool = False) -> Iterator[Session]:
        """Opens a session and closes it."""
        session = self.open(writable=writable)
        try:
            yield session
        finally:
            session.close()

    def retried(self, call: Callable[[], _T], sql: str) -> _T:
        """Returns what the call returns, tried again as often as the options say while the database is locked.

        Raises:
            TableError: the lock was there each time; anything else that the driver raises, at once.
        """
        for attempt in range(self.max_retries + 1):
            try:
                return call()
            except self.errors as error:
                if attempt == self.max_retries or not is_locked(error):
                    raise self.failure(error, sql, attempt + 1) from error
            time.sleep(self.retry_delay.total_seconds() * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def failure(self, error: Exception, sql: str, attempts: int = 1) -> TableError:
        """Returns the error that says what could not be done with the database."""
        if is_locked(error):
            times = f"tried {attempts} times" if attempts > 1 else "tried once"
            waited = f"{self.busy_timeout.total_seconds():g} s"
            return TableRuntimeException(
                f"The SQLite database '{self.path}' is locked by somebody else, {times} for up to {waited} each: {reason_of(error)}.",
                hint="'connection.busy-timeout', 'connection.max-retries' and 'connection.retry-delay' say how long is waited",
            )
        return refused(self.path, sql, error)
