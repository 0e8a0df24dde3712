"""Compares a table in the log with the columns that a scan reads, and with the table as it is now."""

from __future__ import annotations

import logging

from connector_jdbc import PostgresTable, find_table
from connector_postgres_cdc.capture import Capture
from connector_postgres_cdc.relations import Relation
from connector_postgres_cdc.rows import CapturedTable
from table_common.exceptions import TableRuntimeException

LOG = logging.getLogger("table.connector.postgres-cdc")


class RelationCheck:
    """Checks each description of a table that the log has."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._told: set[tuple[str, str]] = set()

    def __call__(self, table: CapturedTable, relation: Relation) -> None:
        """Reports columns that were added.

        Raises:
            TableRuntimeException: a column that is read was dropped, or has another type now.
        """
        in_log = {column.name: column for column in relation.columns}
        for name in in_log.keys() - table.columns.keys():
            if (table.shown, name) not in self._told:
                self._told.add((table.shown, name))
                LOG.warning(
                    "%s has a new column '%s', which the job does not read: ALTER TABLE … ADD in the session and a new start of the job read it.",
                    table.where,
                    name,
                )
        suspects = [
            field.name
            for field in self._capture.shape.fields
            if field.name not in in_log or (in_log[field.name].type_oid, in_log[field.name].modifier) != table.types.get(field.name)
        ]
        if suspects:
            self._require_same(table, suspects)

    def _require_same(self, table: CapturedTable, names: list[str]) -> None:
        """Raises unless the table has the columns now as they were when the job began: the changes are then older ones."""
        with self._capture.session() as session:
            found = find_table(session, (table.schema, table.name))
        if not isinstance(found, PostgresTable):
            raise TableRuntimeException(
                f"{table.where} does not exist any more.",
                hint="create it again, or take it out of 'table-name' and start the job without its checkpoint",
            )
        for name in names:
            before, now = table.columns[name], found.columns.get(name)
            if now is None:
                raise TableRuntimeException(
                    f"{table.where} has no column '{name}' any more, which the job reads.",
                    hint=f"run ALTER TABLE … DROP `{name}` for the table of this session and start the job again; a column that is added again has other values",
                )
            if now.shown != before.shown:
                raise TableRuntimeException(
                    f"The column '{name}' of {table.where} is {now.shown} now, and was {before.shown} when the job began.",
                    hint=f"run ALTER TABLE … MODIFY `{name}` … for the table of this session and start the job again, or change it back in PostgreSQL: "
                    f'ALTER TABLE {table.sql} ALTER COLUMN "{name}" TYPE {before.shown}',
                )
