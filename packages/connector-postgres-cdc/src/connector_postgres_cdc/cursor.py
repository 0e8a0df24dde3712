"""Reads the log forward: over a temporary copy of the job's slot, so that no change is decoded twice, and the slot itself moves only with commits."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress

import pyarrow as pa

from connector_jdbc import Session, state_of
from connector_postgres_cdc.capture import Capture
from connector_postgres_cdc.offsets import lsn_text
from table_common.connector.sql import quote_text
from table_common.exceptions import TableError, TableRuntimeException

_IN_USE = "55006"
_NO_FREE_SLOT = "53400"
_BUSY_SECONDS = 10.0
"""How long to wait for a slot that another session uses: a commit, or a session whose client is gone."""


class LogCursor:
    """A position in the log that moves forward. One thread uses it."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._session: Session | None = None
        self._slot = ""
        self.position = -1
        """Where the next read begins; -1: nowhere yet."""

    def read(self, start: int, until: int, rows: int | None = None) -> Iterator[pa.Array]:
        """Yields the messages of transactions that end after ``start`` and up to ``until``; with ``rows`` it stops after the transaction that has the last one.

        Earlier transactions may come too. A reader that does not read to the end closes the cursor.

        Raises:
            TableError: the server cannot be reached, or the slot is lost or in use.
        """
        session = self._at(start)
        self.position = -1  # unknown until the end
        try:
            with session.reader(self._capture.changes_sql(self._slot, lsn_text(until), rows)) as reader:
                for batch in reader:
                    yield batch.column(0)
        except BaseException:
            self.close()
            raise
        if rows is None:
            self.position = until

    def last_commit(self, start: int, until: int, rows: int | None = None) -> int | None:
        """Moves on as ``read`` does, and returns the end of the last transaction, None if there is none. The server keeps the messages.

        Raises:
            TableError: as of ``read``.
        """
        session = self._at(start)
        self.position = -1
        found = session.rows(
            "SELECT max(('x' || encode(substr(data, 11, 8), 'hex'))::bit(64)::int8) FROM ("
            f"{self._capture.changes_sql(self._slot, lsn_text(until), rows)}) AS changes WHERE get_byte(data, 0) = {ord('C')}"
        )
        end: int | None = found[0][0]
        self.position = end if rows is not None and end is not None else until
        return end

    def _at(self, start: int) -> Session:
        if self._session is not None and 0 <= self.position <= start:
            return self._session
        self.close()
        session = self._capture.open()
        name = f"table_cdc_{os.getpid()}_{uuid.uuid4().hex[:8]}"
        try:
            self._copy_slot(session, name)
            if start:
                _advance(session, name, start)
        except BaseException:
            session.close()
            raise
        self._session, self._slot = session, name
        return session

    def _copy_slot(self, session: Session, name: str) -> None:
        slot = quote_text(self._capture.slot)
        statement = f"SELECT 1 FROM pg_copy_logical_replication_slot({slot}, {quote_text(name)}, true)"
        try:
            when_free(lambda: session.rows(statement))
        except TableError as error:
            if state_of(error) == _NO_FREE_SLOT:
                raise TableRuntimeException(
                    f"{self._capture.database.place} has no free replication slot: a job needs two, its own and a temporary one while it reads.",
                    hint="raise max_replication_slots in postgresql.conf and restart the server, or drop a slot that nobody uses: "
                    "SELECT slot_name, active FROM pg_replication_slots shows them, SELECT pg_drop_replication_slot('…') drops one",
                ) from error
            raise

    def close(self) -> None:
        """Ends the session, and with it the temporary slot."""
        session, self._session, self.position = self._session, None, -1
        if session is not None:
            with suppress(TableError):
                session.rows(f"SELECT pg_drop_replication_slot({quote_text(self._slot)})::text")
            session.close()


def _advance(session: Session, slot: str, lsn: int) -> None:
    """Moves a slot on, unless it is there already."""
    name = quote_text(slot)
    rows = session.rows(
        "SELECT (confirmed_flush_lsn - '0/0'::pg_lsn)::int8, (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::int8 "
        f"FROM pg_replication_slots WHERE slot_name = {name}"
    )
    if not rows:
        raise TableRuntimeException(
            f"The replication slot '{slot}' was dropped while the job read it, so changes are missing.",
            hint="start the job without its checkpoint, so that it copies the tables anew",
        )
    ((confirmed, flushed),) = rows
    if confirmed < lsn <= flushed:
        session.rows(f"SELECT 1 FROM pg_replication_slot_advance({name}, {quote_text(lsn_text(lsn))})")


def advance_slot(session: Session, slot: str, lsn: int) -> None:
    """Moves the slot of a job on, and waits while another session uses it.

    Raises:
        TableError: the server cannot be reached, or the slot is lost or in use.
    """
    when_free(lambda: _advance(session, slot, lsn))


def when_free(call: Callable[[], object]) -> None:
    """Calls what uses a slot, again while another session uses it."""
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            call()
        except TableError as error:
            if state_of(error) != _IN_USE or time.monotonic() > end:
                raise
        else:
            return
        time.sleep(0.02)
