"""Opening a database: where it is, how often that is tried, and errors that say what was done."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import quote

from table_common.exceptions import TableRuntimeException
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
    """A connection with its cursor."""

    def __init__(self, connection: Any, cursor: Any) -> None:
        self._connection = connection
        self._cursor = cursor

    def execute(self, sql: str, parameters: Any = None) -> None:
        """Runs a statement; logs it."""
        LOG.debug("%s", sql)
        self._cursor.execute(sql, parameters)

    def rows(self, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Returns the rows of a query."""
        self.execute(sql, parameters)
        found: list[tuple[Any, ...]] = self._cursor.fetchall()
        return found

    def reader(self, sql: str, parameters: Any = None) -> Any:
        """Returns a reader of the record batches of a query."""
        self.execute(sql, parameters)
        return self._cursor.fetch_record_batch()

    def execute_many(self, sql: str, batch: Any) -> None:
        """Runs a statement for each row of a record batch."""
        LOG.debug("%s -- %d rows", sql, batch.num_rows)
        self._cursor.executemany(sql, batch)

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

    def open(self, *, writable: bool = False) -> Session:
        """Returns a session, tried once; statements take effect at once, unless between BEGIN and COMMIT.

        Raises:
            Exception: the driver's own, which ``retried`` explains.
        """
        from adbc_driver_sqlite import StatementOptions, dbapi

        # Readers open the file for writing too, where they may: only so SQLite can undo what a writer that died left half done.
        uri = f"file:{quote(self.path)}?mode=rw"
        connection = dbapi.connect(uri, autocommit=True)
        cursor = None
        try:
            cursor = connection.cursor()
            cursor.adbc_statement.set_options(**{StatementOptions.BATCH_ROWS.value: BATCH_ROWS})
            session = Session(connection, cursor)
            session.rows(f"PRAGMA busy_timeout = {int(self.busy_timeout.total_seconds() * 1000)}")
            session.rows(f"PRAGMA mmap_size = {MAPPED_BYTES}")
            session.rows(f"PRAGMA query_only = {'OFF' if writable else 'ON'}")
        except BaseException:
            if cursor is not None:
                cursor.close()
            connection.close()
            raise
        return session

    @contextmanager
    def session(self, *, writable: bool = False) -> Iterator[Session]:
        """Opens a session, as often as the options say, and closes it."""
        session = self.retried(lambda: self.open(writable=writable), "cannot be opened")
        try:
            yield session
        finally:
            session.close()

    def retried(self, call: Callable[[], _T], what: str) -> _T:
        """Returns what the call returns, tried again as often as the options say.

        Raises:
            TableRuntimeException: it failed each time; the message has the last failure.
        """
        from adbc_driver_sqlite.dbapi import OperationalError

        attempts = self.max_retries + 1
        for attempt in range(attempts):
            try:
                return call()
            except OperationalError as error:
                if attempt + 1 == attempts:
                    raise self.failure(what, error, attempts) from error
            time.sleep(self.retry_delay.total_seconds() * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def failure(self, what: str, error: Exception, attempts: int = 1) -> TableRuntimeException:
        """Returns the error that says what could not be done with the database."""
        times = f", tried {attempts} times" if attempts > 1 else ""
        text = str(error).replace("failed to allocate memory", "there is no such file, or it may not be read")
        return TableRuntimeException(
            f"The SQLite database '{self.path}' {what}{times}: {text}",
            hint="the option 'path' names the file; a database is not created, SQLite's own shell does that",
        )
