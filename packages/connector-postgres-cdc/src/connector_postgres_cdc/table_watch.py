"""Watches that the tables of a job stay those that it began with: each start and, while the log grows, each second."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from typing import Any

from connector_jdbc import Session
from connector_postgres_cdc.capture import Capture
from connector_postgres_cdc.rows import CapturedTable
from connector_postgres_cdc.slot import prepare_publication
from connector_postgres_cdc.tables import matching_tables
from table_common.connector.sql import quote_name, quote_text
from table_common.exceptions import TableError, TableRuntimeException

LOG = logging.getLogger("table.connector.postgres-cdc")
States = Mapping[str, Any]
"""What identifies each table, its columns and its place in the publication, as JSON; part of an offset."""
_SECONDS = 1.0
_STATES = """
SELECT v.shown, c.relreplident::text, (
    SELECT min(l.oid::regclass::text) FROM pg_catalog.pg_partition_tree(c.oid) t JOIN pg_catalog.pg_class l ON l.oid = t.relid
    WHERE t.isleaf AND c.relkind = 'p' AND l.relreplident <> 'f'
), json_build_object('oid', c.oid::int8, 'publication', p.oid::int8, 'member', r.oid::int8, 'file', CASE c.relkind WHEN 'p' THEN (
    SELECT coalesce(sum(l.relfilenode::int8), 0)::int8 FROM pg_catalog.pg_partition_tree(c.oid) t JOIN pg_catalog.pg_class l ON l.oid = t.relid
) ELSE c.relfilenode::int8 END, 'columns', (
    SELECT json_object_agg(a.attname, json_build_array(a.attnum, a.atttypid::int8, a.atttypmod, a.xmin::text::int8))
    FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
))::text
FROM (VALUES {tables}) AS v (shown, namespace, name)
JOIN pg_catalog.pg_namespace n ON n.nspname = v.namespace JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = v.name
LEFT JOIN pg_catalog.pg_publication p ON p.pubname = {publication}
LEFT JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid AND r.prrelid = c.oid
"""


class TableWatch:
    """Belongs to the driver. A check compares the tables with what the offset says of them."""

    def __init__(self) -> None:
        self._told: set[object] = set()
        self.reset()

    def reset(self) -> None:
        """Makes the next check due, in a new session."""
        self._checked = self._published = float("-inf")
        self._is_read_since = False

    def begin(self, session: Session, capture: Capture) -> States:
        """Returns the states of the tables of a job that begins, whose publication was checked."""
        self._checked = self._published = time.monotonic()
        return {shown: state for shown, (state, *_) in _found(session, capture).items()}

    def read_log(self) -> None:
        """Notes that a part of the log was read, which may hide a change of a table."""
        self._is_read_since = True

    @property
    def is_due(self) -> bool:
        """Whether a part of the log waits for a check."""
        return self._is_read_since and time.monotonic() - self._checked >= _SECONDS

    def checked(self, session: Session, capture: Capture, before: States) -> States:
        """Returns the states of the tables, compared with those before if a check is due.

        Raises:
            TableError: changes are missing, or will be: a table, the publication or an identity is another one now.
        """
        now = time.monotonic()
        if now - self._checked < _SECONDS:
            return before
        found = _found(session, capture)
        for table in capture.tables:
            if before:
                self._require_same(session, capture, table, before.get(table.shown), found.get(table.shown))
        if now - self._published >= capture.heartbeat:
            prepare_publication(session, capture, creates=False)
            self._warn_of_new(session, capture)
            self._published = now
        self._checked, self._is_read_since = now, False
        return {shown: state for shown, (state, *_) in found.items()}

    def _require_same(self, session: Session, capture: Capture, table: CapturedTable, before: Any, found: tuple[Any, ...] | None) -> None:
        if before is None:
            raise _changed(
                capture,
                f"{table.where} matches 'table-name' now, but its rows were not copied when the job began",
                "or leave the table out of 'table-name'",
            )
        if found is None:
            names = session.rows(
                "SELECT relnamespace::regnamespace::text || '.' || quote_ident(relname) FROM pg_class WHERE oid = $1::int8", [before["oid"]]
            )
            if names:
                raise TableRuntimeException(
                    f"{table.where} was renamed to {names[0][0]}, so the log has its changes by another name.",
                    hint=f"run ALTER TABLE {names[0][0]} RENAME TO {quote_name(table.name)}, or SET SCHEMA, and start the job again; or set 'table-name', run {capture.drop_statement}, and "
                    "start the job without its checkpoint",
                )
            raise _changed(capture, f"{table.where} was dropped", "after it was created again")
        state, identity, weak = found
        if state["oid"] != before["oid"]:
            raise _changed(capture, f"{table.where} was dropped and created again, or another one has its name")
        if state["publication"] is None:
            raise _changed(capture, f"The publication '{capture.publication}' was dropped")
        if state["publication"] != before["publication"]:
            raise _changed(capture, f"The publication '{capture.publication}' was dropped and created again")
        if state["member"] != before["member"]:
            problem = "was taken out of" if state["member"] is None else "was taken out of, or added again to,"
            added = f"run ALTER PUBLICATION {quote_name(capture.publication)} ADD TABLE {table.sql} first"
            raise _changed(
                capture, f"{table.where} {problem} the publication '{capture.publication}'", added if state["member"] is None else ""
            )
        self._require_columns(capture, table, before, state)
        if not capture.shape.is_upsert and (identity != "f" or weak is not None):
            which, sql = (table.where, table.sql) if identity != "f" or weak is None else (f"The partition {weak} of {table.where}", weak)
            raise TableRuntimeException(
                f"{which} does not have REPLICA IDENTITY FULL now, so the log lacks old rows, which the job gives.",
                hint=f"run ALTER TABLE {sql} REPLICA IDENTITY FULL and start the job again",
            )

    def _require_columns(self, capture: Capture, table: CapturedTable, before: Any, now: Any) -> None:
        for field in capture.shape.fields:
            old, new = before["columns"].get(field.name), now["columns"].get(field.name)
            if old is None and (table.shown, field.name) not in self._told:
                self._told.add((table.shown, field.name))
                LOG.warning(
                    "%s got the column '%s' after the job began: rows that were read before keep NULL in it, also if the column has a DEFAULT.",
                    table.where,
                    field.name,
                )
            if old is None or new is None:  # what the log says of the table tells it
                continue
            if old[0] != new[0]:
                raise _changed(
                    capture, f"The column '{field.name}' of {table.where} is another one now, dropped and added again or renamed"
                )
            is_rewritten = before["file"] != now["file"] and old[3] != new[3]
            if is_rewritten and old[1:3] == new[1:3]:
                raise _changed(
                    capture,
                    f"The column '{field.name}' of {table.where} was rewritten by ALTER TABLE … TYPE, which is no change of single rows",
                )

    def _warn_of_new(self, session: Session, capture: Capture) -> None:
        known = {(table.schema, table.name) for table in capture.tables}
        if not all(capture.pattern) or capture.pattern in known:
            return
        for schema, name in matching_tables(session, *capture.pattern):
            if (schema, name) not in known and (schema, name) not in self._told:
                self._told.add((schema, name))
                LOG.warning(
                    "PostgreSQL's table '%s.%s' matches 'table-name', but is not read, since it is new: run %s and start the job without its checkpoint, so that it copies all tables anew.",
                    schema,
                    name,
                    f"ALTER PUBLICATION {quote_name(capture.publication)} ADD TABLE {quote_name(schema)}.{quote_name(name)}, then {capture.drop_statement}",
                )


def _found(session: Session, capture: Capture) -> dict[str, tuple[Any, str, str | None]]:
    """Returns the state, the replica identity and a partition without REPLICA IDENTITY FULL of each table that exists."""
    tables = ", ".join(f"({quote_text(table.shown)}, {quote_text(table.schema)}, {quote_text(table.name)})" for table in capture.tables)
    rows = session.rows(_STATES.format(tables=tables, publication=quote_text(capture.publication)))
    found = {}
    names = {field.name for field in capture.shape.fields}
    for shown, identity, weak, text in rows:
        state = json.loads(text)
        state["columns"] = {name: column for name, column in (state["columns"] or {}).items() if name in names}
        found[shown] = (state, identity, weak)
    return found


def _changed(capture: Capture, problem: str, more: str = "") -> TableError:
    return TableRuntimeException(
        f"{problem}, so changes are missing.",
        hint=f"run {capture.drop_statement} and start the job without its checkpoint, so that it copies the tables anew{f'; {more}' if more else ''}",
    )
