"""The replication slot and the publication of a job: what the server must allow, and how they are found or created."""

from __future__ import annotations

import logging
import time
from typing import Any

from connector_jdbc import Session, state_of
from connector_postgres_cdc.capture import Capture
from table_common.connector.sql import quote_name, quote_text
from table_common.exceptions import TableError, TableRuntimeException, ValidationException
from table_common.frozen_dataclass import dataclass

LOG = logging.getLogger("table.connector.postgres-cdc")
_LOCK = 0x7AB1ECDC - (1 << 31)
"""The first half of the advisory locks of slots."""
_LOCK_SECONDS = 10.0
_SLOT = """
SELECT plugin::text, database::text, active_pid::int4, wal_status, (confirmed_flush_lsn - '0/0'::pg_lsn)::int8,
       to_jsonb(s) ->> 'invalidation_reason'
FROM pg_replication_slots AS s WHERE slot_name = $1
"""
_PUBLICATION = "SELECT pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot FROM pg_publication WHERE pubname = $1"
_PUBLISHED = """
SELECT schemaname::text, tablename::text, to_jsonb(p) ->> 'attnames', to_jsonb(p) ->> 'rowfilter' FROM pg_publication_tables AS p WHERE pubname = $1
"""


@dataclass(frozen=True, slots=True)
class SlotState:
    """A slot as the server shows it."""

    confirmed: int
    """The position up to which a job has committed."""
    is_new: bool = False


def take_lock(session: Session, capture: Capture) -> None:
    """Makes the session the only one that reads the slot for a job, as long as it lives.

    Raises:
        TableRuntimeException: another job reads it.
    """
    number = f"hashtext({quote_text(capture.slot)})"
    end = time.monotonic() + _LOCK_SECONDS
    while not session.rows(f"SELECT pg_try_advisory_lock({_LOCK}, {number})")[0][0]:
        if time.monotonic() > end:
            holders = session.rows(
                f"SELECT pid::int4 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::int8 = {_LOCK & 0xFFFF_FFFF} "
                f"AND objid::int8 = {number}::int8 & 4294967295"
            )
            pid = holders[0][0] if holders else None
            raise TableRuntimeException(
                f"Another job reads the replication slot '{capture.slot}' of {capture.database.place}"
                f"{f', in the session with the process id {pid}' if pid else ''}.",
                hint="each job has a slot of its own: set another 'slot.name'"
                + (f", or end the other session: SELECT pg_terminate_backend({pid})" if pid else ""),
            )
        time.sleep(0.1)


def require_server(session: Session, capture: Capture) -> None:
    """Raises a ``ValidationException`` with the statement to run if the server does not allow logical decoding, or not this user."""
    ((level, may_replicate, user, is_standby),) = session.rows(
        "SELECT current_setting('wal_level'), rolreplication OR rolsuper, rolname::text, pg_is_in_recovery() FROM pg_roles WHERE rolname = current_user"
    )
    place = capture.database.place
    if is_standby:
        raise ValidationException(f"{place} is a standby, whose log jobs do not read.", hint="connect to the primary server")
    if level != "logical":
        raise ValidationException(
            f"{place} has wal_level = {level}, so its log has no changes of rows.",
            hint="run ALTER SYSTEM SET wal_level = 'logical' as a superuser and restart the server",
        )
    if not may_replicate:
        name = quote_name(user)
        raise ValidationException(f"The user '{user}' of {place} must not read the log.", hint=f"run ALTER ROLE {name} REPLICATION")


def find_slot(session: Session, capture: Capture) -> SlotState | None:
    """Returns the slot, None if there is none.

    Raises:
        ValidationException: it is the slot of something else.
        TableRuntimeException: it is lost, or used by another.
    """
    rows = session.rows(_SLOT, [capture.slot])
    if not rows:
        return None
    ((plugin, database, pid, status, confirmed, reason),) = rows
    place = capture.database.place
    ((current,),) = session.rows("SELECT current_database()::text")
    if plugin != "pgoutput" or database != current:
        what = "physical" if plugin is None else f"of the plugin {plugin} in the database '{database}'"
        raise ValidationException(
            f"The replication slot '{capture.slot}' of {place} is {what}, not one of pgoutput in this database.",
            hint=f"set another 'slot.name', or drop it: {capture.drop_statement}",
        )
    if status == "lost" or reason is not None:
        raise lost_slot(capture, f"is lost: the server has removed the log that it needs{f' ({reason})' if reason else ''}")
    if pid is not None:
        deadline = time.monotonic() + _LOCK_SECONDS
        while pid is not None and time.monotonic() < deadline:
            time.sleep(0.1)
            pid = next(iter(session.rows(_SLOT, [capture.slot])), (None,) * 6)[2]
    if pid is not None:
        raise TableRuntimeException(
            f"The replication slot '{capture.slot}' of {place} is used by another session, with the process id {pid}.",
            hint=f"set another 'slot.name', or end the session: SELECT pg_terminate_backend({pid})",
        )
    return SlotState(confirmed)


def lost_slot(capture: Capture, problem: str) -> TableError:
    """Returns the error for a slot from which a job cannot continue."""
    return TableRuntimeException(
        f"The replication slot '{capture.slot}' of {capture.database.place} {problem}, so changes are missing.",
        hint=f"run {capture.drop_statement} if the slot is there, and start the job without its checkpoint, so that it copies the tables anew; "
        "max_slot_wal_keep_size and idle_replication_slot_timeout say when the server gives a slot up",
    )


def prepare_slot(session: Session, capture: Capture) -> SlotState:
    """Returns the slot, and creates it and the publication if there are none: the publication first, because decoding looks it up as of each change.

    Raises:
        TableError: the server does not allow it.
    """
    require_server(session, capture)
    prepare_publication(session, capture)
    found = find_slot(session, capture)
    if found is not None:
        return found
    if capture.startup == "committed-offset":
        raise ValidationException(
            f"{capture.database.place} has no replication slot '{capture.slot}', but 'scan.startup.mode' is committed-offset.",
            hint="'scan.startup.mode' = 'initial' or 'latest-offset' creates it",
        )
    LOG.info("Creating the replication slot '%s'; it waits for the transactions that are open now.", capture.slot)
    try:
        rows = session.rows(
            f"SELECT (lsn - '0/0'::pg_lsn)::int8 FROM pg_create_logical_replication_slot({quote_text(capture.slot)}, 'pgoutput')"
        )
    except TableError as error:
        if state_of(error) == "53400":
            error.hint = (
                "raise max_replication_slots in postgresql.conf and restart the server, or drop a slot that nobody uses: "
                "SELECT slot_name, active FROM pg_replication_slots shows them, SELECT pg_drop_replication_slot('…') drops one"
            )
        elif state_of(error) == "42602":
            error.hint = "a slot's name has lower-case letters, digits and _: set another 'slot.name'"
        raise
    return SlotState(rows[0][0], is_new=True)


def prepare_publication(session: Session, capture: Capture, *, creates: bool = True) -> None:
    """Creates the publication if there is none, and otherwise checks that it has the tables.

    Without ``creates`` it must exist.

    Raises:
        ValidationException: it lacks a table, a column, or changes; the message has the statement to run.
    """
    name, place = quote_name(capture.publication), capture.database.place
    tables = ", ".join(table.sql for table in capture.tables)
    rows = session.rows(_PUBLICATION, [capture.publication])
    if not rows and not creates:
        raise TableRuntimeException(
            f"The publication '{capture.publication}' of {place} does not exist any more, so changes are missing.",
            hint=f"run {capture.drop_statement} and start the job without its checkpoint, so that it creates the publication and copies the tables anew",
        )
    if not rows:
        create = f"CREATE PUBLICATION {name} FOR TABLE {tables} WITH (publish_via_partition_root = true)"
        try:
            session.rows(create)
        except TableError as error:
            if state_of(error) == "42710":  # another job was faster
                return prepare_publication(session, capture)
            if state_of(error) == "42501":
                error.hint = f"let the owner of the tables run {create}; 'publication.name' names a publication"
            raise
        return None
    ((inserts, updates, deletes, truncates, is_via_root),) = rows
    if not (inserts and updates and deletes and (truncates or capture.ignores_truncate)):
        raise ValidationException(
            f"The publication '{capture.publication}' of {place} does not have all changes.",
            hint=f"run ALTER PUBLICATION {name} SET (publish = 'insert, update, delete, truncate')"
            + ("" if not (inserts and updates and deletes) else "; 'scan.on-truncate' = 'ignore' does without TRUNCATE"),
        )
    published = {
        (schema, table): (columns, condition) for schema, table, columns, condition in session.rows(_PUBLISHED, [capture.publication])
    }
    for table in capture.tables:
        if table.is_partitioned and not is_via_root:
            raise ValidationException(
                f"{table.where} is partitioned, and the publication '{capture.publication}' has the changes of its partitions.",
                hint=f"run ALTER PUBLICATION {name} SET (publish_via_partition_root = true)",
            )
        if (table.schema, table.name) not in published:
            raise ValidationException(
                f"The publication '{capture.publication}' of {place} does not have the table '{table.shown}'.",
                hint=f"run ALTER PUBLICATION {name} ADD TABLE {table.sql}",
            )
        columns, condition = published[table.schema, table.name]
        if condition is not None:
            raise ValidationException(
                f"The publication '{capture.publication}' of {place} has only the rows of '{table.shown}' with {condition}.",
                hint=f"run ALTER PUBLICATION {name} DROP TABLE {table.sql}, then ALTER PUBLICATION {name} ADD TABLE {table.sql}; "
                "a condition of the query chooses rows",
            )
        _require_columns(columns, table.shown, capture)
    return None


def _require_columns(columns: str | None, table: str, capture: Capture) -> None:
    import json

    if columns is None:  # before PostgreSQL 15 all columns are published
        return
    known: list[Any] = json.loads(columns)
    for field in capture.shape.fields:
        if field.name not in known:
            raise ValidationException(
                f"The publication '{capture.publication}' does not have the column '{field.name}' of '{table}'.",
                hint=f"change its list of columns: ALTER PUBLICATION {quote_name(capture.publication)} SET TABLE …; the log has stored generated columns from "
                "PostgreSQL 18 on WITH (publish_generated_columns = stored)",
            )
