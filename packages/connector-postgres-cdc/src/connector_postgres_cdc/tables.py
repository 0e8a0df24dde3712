"""Finds the tables of a scan, and what the log has of their rows."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from connector_jdbc import Database, PostgresTable, Session, find_table
from connector_postgres_cdc.rows import CapturedTable
from table_common.connector.sql import quote_name
from table_common.exceptions import ValidationException
from table_common.types import RowType

_TABLES = """
SELECT n.nspname::text, c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' ORDER BY 1, 2
"""
_DETAILS = """
SELECT c.oid::int8, c.relkind::text, c.relreplident::text, c.relpersistence::text, json_build_object(
    'types', (SELECT json_object_agg(a.attname, json_build_array(a.atttypid::int8, a.atttypmod))
              FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
    'generated', (SELECT json_agg(a.attname) FROM pg_catalog.pg_attribute a
                  WHERE a.attrelid = c.oid AND a.attgenerated <> '' AND NOT a.attisdropped),
    'identity', (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_catalog.pg_index i
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey::int2[])
                 WHERE i.indrelid = c.oid AND CASE c.relreplident WHEN 'i' THEN i.indisreplident WHEN 'd' THEN i.indisprimary END)
)::text
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2
"""
_HEIRS = """
SELECT n.nspname::text, c.relname::text FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE p.oid = $1 AND p.relkind = 'r' ORDER BY 1, 2
"""
_WHOLE_NUMBERS = ("int2", "int4", "int8")
_OLDEST = 140_000


def require_version(session: Session, database: Database) -> None:
    """Raises a ``ValidationException`` if the server is older than PostgreSQL 14, the oldest that is supported."""
    ((number, shown),) = session.rows("SELECT current_setting('server_version_num')::int4, current_setting('server_version')")
    if number < _OLDEST:
        raise ValidationException(f"{database.place} runs PostgreSQL {shown}; the connector 'postgres-cdc' needs PostgreSQL 14 or later.")


def find_tables(session: Session, database: Database, schema: str, name: str, row_type: RowType, where: str) -> tuple[CapturedTable, ...]:
    """Returns the table of a name, or the tables whose schemas and names match regular expressions.

    Raises:
        ValidationException: there is none, or one has not the declared columns, or has no row identity.
    """
    names = [tuple(row) for row in session.rows(_TABLES)]
    found = [path for path in names if path == (schema, name)]
    if not found:
        try:
            schemas, tables = re.compile(schema), re.compile(name)
        except re.error as error:
            raise ValidationException(f"An option of {where} is neither a name nor a regular expression: {error}.") from None
        found = [path for path in names if schemas.fullmatch(path[0]) and tables.fullmatch(path[1])]
    if not found:
        other = find_table(session, (schema, name))
        if other is not None:
            raise ValidationException(
                f"'{other.shown}' in {database.place} is no table, so it has no log of changes.",
                hint="a view is read through the tables that it is made of; a partition through its table",
            )
        raise ValidationException.unknown("The table", f"{schema}.{name}", [".".join(path) for path in names], where=database.place)
    captured = tuple(_captured(session, schema, table, row_type, where) for schema, table in found)
    for parent in captured:
        require_heirs(session, parent, found)
    return captured


def matching_tables(session: Session, schema: str, name: str) -> list[tuple[str, str]]:
    """Returns the tables whose schemas and names match regular expressions."""
    schemas, tables = re.compile(schema), re.compile(name)
    return [(path[0], path[1]) for path in session.rows(_TABLES) if schemas.fullmatch(path[0]) and tables.fullmatch(path[1])]


def require_heirs(session: Session, table: CapturedTable, read: Collection[tuple[str, ...]]) -> None:
    """Raises a ``ValidationException`` if tables inherit from a table that are not read too: a query of the table has their rows, its log has not."""
    for schema, name in session.rows(_HEIRS, [table.oid]):
        if (schema, name) not in read:
            raise ValidationException(
                f"'{schema}.{name}' inherits from {table.where}, which has its rows in queries, but not in the log.",
                hint=f"read both as tables of their own, with 'table-name' = '{table.name}|{name}', or run "
                f"ALTER TABLE {quote_name(schema)}.{quote_name(name)} NO INHERIT {table.sql}",
            )


def _captured(session: Session, schema: str, name: str, row_type: RowType, where: str) -> CapturedTable:
    table = find_table(session, (schema, name))
    assert isinstance(table, PostgresTable)
    table.require_columns(row_type, where)
    ((oid, kind, identity, persistence, details),) = session.rows(_DETAILS, [schema, name])
    described = json.loads(details)
    shown, sql = f"{schema}.{name}", f"{quote_name(schema)}.{quote_name(name)}"
    if persistence != "p":
        raise ValidationException(
            f"PostgreSQL's table '{shown}' is not in the log, because it is UNLOGGED or temporary.",
            hint=f"run ALTER TABLE {sql} SET LOGGED",
        )
    for field in row_type.fields:
        if field.name in (described["generated"] or ()):
            raise ValidationException(
                f"PostgreSQL computes the column '{field.name}' of '{shown}', so the log does not have it.",
                hint=f"declare it as a computed column of {where}: `{field.name}` AS …",
            )
    columns = tuple(described["identity"] or ())
    if identity != "f" and not columns:
        raise ValidationException(
            f"PostgreSQL's table '{shown}' has no replica identity: once it is published, PostgreSQL would refuse its updates and deletions.",
            hint=f"run ALTER TABLE {sql} REPLICA IDENTITY FULL, or give it a primary key: ALTER TABLE {sql} ADD PRIMARY KEY (…)",
        )
    primary = table.primary_key
    key = primary[0] if primary and table.columns[primary[0]].type_name in _WHOLE_NUMBERS else None
    can_tell = key is not None and not table.columns[key].is_array and (identity == "f" or key in columns)
    types = {column: (oid, modifier) for column, (oid, modifier) in described["types"].items()}
    return CapturedTable(oid, schema, name, table.columns, key if can_tell else None, types, identity == "f", kind == "p", columns)
