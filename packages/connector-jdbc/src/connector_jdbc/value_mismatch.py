"""Finds the value of a staging table that does not fit its column, because PostgreSQL's own error names neither."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from connector_jdbc.database import Session
from connector_jdbc.failures import state_of
from connector_jdbc.postgres_table import PostgresTable
from table_common.connector.sql import quote_name, quote_text
from table_common.exceptions import TableError, TableRuntimeException

_DATA_EXCEPTION = "22"
"""The first digits of the SQLSTATE of values that do not fit."""
_MOST_CHARACTERS = 100


def explained_mismatch(
    error: TableError, session: Session, table: PostgresTable, names: Sequence[str], stagings: Sequence[str], number: str
) -> TableError:
    """Returns an error with the column and the row of a value that does not fit, or the error itself.

    Args:
        error: what the statement that wrote the rows failed with; its transaction is rolled back.
        names: the written columns.
        stagings: the quoted names of the staging tables.
        number: the column of the staging tables that numbers the rows of a task, from 0.
    """
    if not state_of(error).startswith(_DATA_EXCEPTION):
        return error
    with suppress(TableError):  # PostgreSQL 15 and earlier cannot tell
        for staging in stagings:
            for name in names:
                column = table.columns[name]
                text = f"{quote_name(name)}::text"
                found = session.rows(
                    f"SELECT {quote_name(number)} + 1, left({text}, {_MOST_CHARACTERS}) FROM {staging} "
                    f"WHERE NOT pg_input_is_valid({text}, {quote_text(column.shown)}) ORDER BY {quote_name(number)} LIMIT 1"
                )
                if found:
                    row, value = found[0]
                    reason = str(error).partition(" rejects a statement: ")[2].partition(". The statement was ")[0]
                    return TableRuntimeException(
                        f"Column '{name}' of PostgreSQL's table '{table.shown}' is {column.shown} and cannot hold {value!r}, "
                        f"in row {row} of those that a task wrote: {reason}.",
                        hint="TRY_CAST or WHERE can leave such values out; ALTER TABLE in PostgreSQL can widen the column",
                    )
    return error
