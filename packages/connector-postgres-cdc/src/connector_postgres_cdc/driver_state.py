"""What the driver's provider holds while it is in use: its session, its cursor over the log, and messages for a reader of the same process."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from connector_jdbc import Session, is_transient
from connector_postgres_cdc.capture import RETRIES, Capture
from connector_postgres_cdc.copying import Snapshot
from connector_postgres_cdc.cursor import LogCursor, advance_slot
from connector_postgres_cdc.messages import MessageBuffer, commit_ends
from connector_postgres_cdc.offsets import Position, lsn_text
from connector_postgres_cdc.slot import SlotState, find_slot, lost_slot, prepare_slot, require_server, take_lock
from connector_postgres_cdc.table_watch import States, TableWatch
from table_common.annotation import override
from table_common.connector.sql import quote_text
from table_common.exceptions import TableError

LOG = logging.getLogger("table.connector.postgres-cdc")
_T = TypeVar("_T")
_MOST_BYTES = 64 << 20
"""The most bytes of messages that wait for the reader; a longer transaction is read again, as a stream."""
_SHORTEST_WAIT, _LONGEST_WAIT = 0.01, 0.05
"""The seconds between two looks at the end of the log: under load, and while nothing happens."""

_LONGEST_STATEMENT = 1.0
"""The most seconds for which the server waits in one statement: a job that ends waits for it."""


class DriverState:
    """Belongs to one provider; pickled copies are empty."""

    def __init__(self) -> None:
        self.has_reader = False
        """Whether a reader of this process takes the messages."""
        self.snapshot: Snapshot | None = None
        self._session: Session | None = None
        self._cursor: LogCursor | None = None
        self._fetched: tuple[int, int, Sequence[pa.Array]] | None = None
        self._seen = 0
        """Up to where the log was looked at."""
        self._confirmed: int | None = None
        self._pause = _SHORTEST_WAIT
        self._watch = TableWatch()
        self.beat()

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return DriverState, ()

    # --- the slot ----------------------------------------------------------------------------------------------------------------

    def begin(self, capture: Capture) -> tuple[SlotState, States]:
        """Finds or creates the slot, and returns it with the states of the tables.

        Raises:
            TableError: the server does not allow it.
        """
        try:
            session = self._locked(capture)
            found = prepare_slot(session, capture)
            states = self._watch.begin(session, capture)
        except BaseException:
            self._disconnect()
            raise
        self._confirmed = found.confirmed
        return found, states

    def flushed(self, capture: Capture) -> int:
        """Returns where the log ends.

        Raises:
            TableError: the server cannot be reached.
        """
        return self._repeated(capture, self._flushed)

    def _flushed(self, capture: Capture) -> int:
        rows = self._locked(capture).rows("SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::int8")
        return int(rows[0][0])

    def require_slot(self, capture: Capture, position: Position) -> None:
        """Checks, once for a session, that the slot has all changes after a position.

        Raises:
            TableError: it is lost, or was moved on.
        """
        if self._confirmed is not None:
            return
        session = self._locked(capture)
        require_server(session, capture)
        found = find_slot(session, capture)
        if found is None:
            raise lost_slot(capture, "does not exist any more")
        if found.confirmed > position.lsn:
            raise lost_slot(capture, "was moved on by another reader, or created again")
        if self._flushed(capture) < position.lsn:
            raise lost_slot(capture, "has a log that ends before the position of the job: the server is another one, or was restored")
        self._confirmed = found.confirmed

    def watched(self, capture: Capture, before: States) -> States:
        """Returns the states of the tables, which are compared with those before at the start and then each second.

        Raises:
            TableError: a table or the publication is another one, so changes are missing.
        """
        return self._repeated(capture, lambda capture: self._watch.checked(self._locked(capture), capture, before))

    def commit(self, capture: Capture, lsn: int) -> None:
        """Moves the slot on, so that the server can remove its log; the lag of the slot is looked at.

        Raises:
            TableError: the server cannot be reached.
        """
        if self._confirmed is not None and lsn <= self._confirmed:
            return

        def advance(capture: Capture) -> None:
            session = self._locked(capture)
            advance_slot(session, capture.slot, lsn)
            rows = session.rows(
                "SELECT (pg_current_wal_flush_lsn() - restart_lsn)::int8, safe_wal_size FROM pg_replication_slots WHERE slot_name = $1",
                [capture.slot],
            )
            if rows and rows[0][0] is not None and rows[0][0] > capture.lag_warning:
                left = f", and gives the slot up after {rows[0][1]} more" if rows[0][1] is not None else ""
                LOG.warning(
                    "The server keeps %d bytes of its log for the replication slot '%s'%s: the job is behind, or a transaction is open for long.",
                    rows[0][0],
                    capture.slot,
                    left,
                )

        self._repeated(capture, advance)
        self._confirmed = lsn

    # --- the log -----------------------------------------------------------------------------------------------------------------

    def wait(self, capture: Capture, lsn: int, seconds: float) -> bool:
        """Waits until the log is longer than what was looked at, or a heartbeat is due. The server looks, in one statement: questions would cost more."""
        if self.is_beat_due(capture, lsn) or self._watch.is_due:
            return True
        left = min(seconds, _LONGEST_STATEMENT)
        pauses = []
        while left > 0:
            pauses.append(min(self._pause, left))
            left -= pauses[-1]
            self._pause = min(self._pause * 1.2, _LONGEST_WAIT)
        is_longer = f"pg_current_wal_flush_lsn() > {quote_text(lsn_text(max(self._seen, lsn)))}::pg_lsn"
        # A pause is never NULL, so it chooses no row and the next one is looked at.
        statement = (
            f"SELECT 1 FROM unnest(ARRAY{[*pauses, 0.0]}::float8[]) AS pause "
            f"WHERE CASE WHEN {is_longer} THEN TRUE ELSE pg_sleep(pause) IS NULL END LIMIT 1"
        )
        return bool(self._repeated(capture, lambda capture: self._locked(capture).rows(statement)))

    def is_beat_due(self, capture: Capture, lsn: int) -> bool:
        """Whether the offset moves on without rows, so that the slot can follow."""
        return self._seen > lsn and time.monotonic() - self._beat >= capture.heartbeat

    def beat(self) -> None:
        """Begins the time until the next heartbeat."""
        self._beat = time.monotonic()

    def next_end(self, capture: Capture, start: int, until: int | None, rows: int | None) -> int:
        """Returns the end of the last transaction of the next range of the log; ``start`` if there is none.

        Raises:
            TableError: the server cannot be reached, or the slot is lost or in use.
        """
        taken = self._fetched
        if taken is not None and taken[0] == start and (until is None or taken[1] <= until):
            return taken[1]
        end = self.flushed(capture) if until is None else until
        if end <= start or (until is None and end <= self._seen and not self.is_beat_due(capture, start)):
            return start
        self._watch.read_log()
        found = self._repeated(capture, lambda capture: self._looked_at(capture, start, end, rows))
        if found is not None and found > start:
            self._pause = _SHORTEST_WAIT
            self.beat()
            self._seen = found if rows is not None else end
            return found
        self._seen = end
        if until is None and self.is_beat_due(capture, start):
            self.beat()
            return end
        return start

    def _looked_at(self, capture: Capture, start: int, end: int, rows: int | None) -> int | None:
        if self._cursor is None:
            self._cursor = LogCursor(capture)
        cursor = self._cursor
        if not self.has_reader:
            return cursor.last_commit(start, end, rows)
        self._fetched = None
        fetched: list[pa.Array] | None = []
        size, last = 0, None
        for messages in cursor.read(start, end, rows):
            ends = commit_ends(MessageBuffer(messages))
            last = int(np.max(ends)) if len(ends) else last
            size += messages.nbytes
            if fetched is not None and size <= _MOST_BYTES:
                fetched.append(messages)
            else:
                fetched = None
        cursor.position = end if last is None or rows is None else last
        if fetched is not None and last is not None and last > start:
            self._fetched = (start, last, fetched)
        return last

    def take(self, start: int, end: int) -> Sequence[pa.Array] | None:
        """Returns the messages of a range if they are here; they then are the reader's."""
        fetched = self._fetched
        if fetched is None or fetched[:2] != (start, end):
            return None
        self._fetched = None
        return fetched[2]

    # --- sessions ----------------------------------------------------------------------------------------------------------------

    def _locked(self, capture: Capture) -> Session:
        """Returns the session of the driver, which keeps other jobs from the slot."""
        if self._session is None:
            session = capture.open()
            try:
                take_lock(session, capture)
            except BaseException:
                session.close()
                raise
            self._session = session
        return self._session

    def _repeated(self, capture: Capture, call: Callable[[Capture], _T]) -> _T:
        """Returns the result of a call, which is repeated over new sessions while the server restarts."""

        def attempt() -> _T:
            try:
                return call(capture)
            except TableError as error:
                if is_transient(error):
                    self._disconnect()
                raise

        return capture.database.retried(attempt, RETRIES)

    def _disconnect(self) -> None:
        session, self._session = self._session, None
        cursor, self._cursor = self._cursor, None
        if session is not None:
            session.close()
        if cursor is not None:
            cursor.close()
        self._confirmed = None
        self._watch.reset()

    def end_snapshot(self) -> None:
        """Ends the snapshot in which tables were copied."""
        snapshot, self.snapshot = self.snapshot, None
        if snapshot is not None:
            snapshot.close()

    def close(self, capture: Capture) -> None:
        """Ends all sessions, and says what becomes of the slot."""
        self.end_snapshot()
        self._fetched = None
        session = self._session
        cursor, self._cursor = self._cursor, None
        if cursor is not None:
            cursor.close()
        if session is not None and capture.drops_slot:
            with suppress(TableError):
                session.rows(capture.drop_statement)
                LOG.info("The replication slot '%s' is dropped.", capture.slot)
        elif session is not None:
            LOG.warning(
                "The server keeps its log for the replication slot '%s' of %s until a job reads it again. If none will, run %s",
                capture.slot,
                capture.database.place,
                capture.drop_statement,
            )
        self._session = None
        if session is not None:
            session.close()
