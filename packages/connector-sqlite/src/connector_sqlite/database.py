"""Connections to a database: statements, retries while it is locked, and errors."""

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
from table_common.gate import AllowedPath

_T = TypeVar("_T")
LOG = logging.getLogger("table.connector.sqlite")
BATCH_ROWS = "65536"
MAPPED_BYTES = 1 << 30
"""The bytes of the file that are memory-mapped, which makes lookups of scattered rows several times faster."""


class Session:
    """A connection with its cursor. Statements are retried while the database is locked; other failures are ``TableError``s."""

    def __init__(self, database: Database, connection: Any, cursor: Any) -> None:
        self._database = database
        self._connection = connection
        self._cursor = cursor

    def rows(self, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Runs a statement and returns its rows."""
        self._database.trace(sql)

        def run() -> list[tuple[Any, ...]]:
            self._cursor.execute(sql, parameters)
            rows: list[tuple[Any, ...]] = self._cursor.fetchall()
            return rows

        return self._database.retried(run, sql)

    def reader(self, sql: str, parameters: Any = None) -> Any:
        """Runs a query and returns a ``pyarrow.RecordBatchReader``."""
        self._database.trace(sql)

        def run() -> Any:
            self._cursor.execute(sql, parameters)
            return self._cursor.fetch_record_batch()

        return self._database.retried(run, sql)

    def execute_many(self, sql: str, batch: Any) -> None:
        """Runs a statement for each row of a record batch; the caller's transaction must hold the write lock."""
        self._database.trace(f"{sql} -- {batch.num_rows} rows")
        try:
            self._cursor.executemany(sql, batch)
        except self._database.errors as error:
            raise self._database.failure(error, sql) from error

    def close(self) -> None:
        """Closes cursor and connection."""
        try:
            self._cursor.close()
        finally:
            self._connection.close()


@dataclass(frozen=True, slots=True)
class Database:
    """An existing database file, with the settings of its connections.

    Example:
        >>> from pathlib import Path
        >>> from table_common.gate import Gate
        >>> Database(Gate.of_program(Path("people.db")), max_retries=5).path.name
        'people.db'
    """

    path: AllowedPath
    max_retries: int = 3
    retry_delay: timedelta = timedelta(milliseconds=500)
    busy_timeout: timedelta = timedelta(seconds=30)
    trace_file: AllowedPath | None = None

    def trace(self, text: str) -> None:
        """Logs a statement, and appends it to the trace file, which collects the statements of all processes.

        Raises:
            TableRuntimeException: the file cannot be written.
        """
        LOG.debug("%s", text)
        if self.trace_file is not None:
            try:
                with open(self.trace_file, "a", encoding="utf-8") as file:
                    file.write(f"{' '.join(text.splitlines())}\n")
            except OSError as error:
                raise TableRuntimeException(
                    f"The trace file '{self.trace_file}' cannot be written: {error.strerror}.",
                    hint="The option 'connection.trace-file' is a file in a folder that exists.",
                ) from error

    @property
    def errors(self) -> type[Exception]:
        """The base class of the driver's errors."""
        from adbc_driver_sqlite.dbapi import Error

        raised: type[Exception] = Error
        return raised

    def open(self, *, writable: bool = False) -> Session:
        """Returns a session in autocommit mode.

        Raises:
            ValidationException: the file does not exist or is not a database; without retries.
            TableRuntimeException: the database was locked at each attempt.
        """
        problem = unusable(self.path)
        if problem is not None:
            raise problem
        return self.retried(lambda: self._connect(writable=writable), "opening it")

    def _connect(self, *, writable: bool) -> Session:
        from adbc_driver_sqlite import StatementOptions, dbapi

        # Readers open the file for writing too, so that SQLite can roll back the transaction of a writer that died.
        uri = f"file:{quote(str(self.path))}?mode=rw"
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
        """Opens a session and closes it at the end of the block; errors are those of ``open``."""
        session = self.open(writable=writable)
        try:
            yield session
        finally:
            session.close()

    def retried(self, call: Callable[[], _T], sql: str) -> _T:
        """Returns the result of a call, and retries it while the database is locked, up to ``max_retries`` times.

        Raises:
            TableError: the database was locked at each attempt, or the driver raised another error.
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
        """Returns the error for a failed statement."""
        if is_locked(error):
            times = f"tried {attempts} times" if attempts > 1 else "tried once"
            waited = f"{self.busy_timeout.total_seconds():g} s"
            return TableRuntimeException(
                f"The SQLite database '{self.path}' is locked by another connection, {times} for up to {waited} each: {reason_of(error)}.",
                hint="'connection.busy-timeout', 'connection.max-retries' and 'connection.retry-delay' set how long to wait",
            )
        return refused(self.path, sql, error)
