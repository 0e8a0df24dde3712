"""The rows of all memory tables of this process, by name; each change replaces all rows of a table."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pyarrow as pa

from table_common.connector import CommitContext

_TABLES: dict[str, pa.Table] = {}
_COMMITTED: dict[str, set[CommitContext]] = {}
_LOCK = threading.RLock()


def put_memory_table(name: str, rows: pa.Table) -> None:
    """Sets the rows of the tables with this name, replacing previous rows; columns are matched by name."""
    with _LOCK:
        _TABLES[name] = rows


def read_memory_table(name: str) -> pa.Table | None:
    """Returns the rows of a table, or None if nothing was written to it."""
    with _LOCK:
        return _TABLES.get(name)


def drop_memory_table(name: str) -> None:
    """Removes the rows of a table; does nothing if there are none."""
    with _LOCK:
        _TABLES.pop(name, None)
        _COMMITTED.pop(name, None)


def rows_of(rows: pa.Table | None, schema: pa.Schema) -> pa.Table:
    """Returns the rows with exactly the columns of the schema; missing columns are NULL."""
    if rows is None:
        return schema.empty_table()
    columns = [
        rows.column(field.name).cast(field.type) if field.name in rows.column_names else pa.nulls(rows.num_rows, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def change_rows(name: str, schema: pa.Schema, change: Callable[[pa.Table], pa.Table], commit: CommitContext | None = None) -> None:
    """Replaces the rows by ``change(rows)``; idempotent per commit."""
    with _LOCK:
        done = _COMMITTED.setdefault(name, set())
        if commit is not None and commit in done:
            return
        _TABLES[name] = change(rows_of(_TABLES.get(name), schema))
        if commit is not None:
            done.add(commit)
