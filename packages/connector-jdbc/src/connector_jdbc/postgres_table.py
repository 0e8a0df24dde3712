"""What PostgreSQL's catalog says of a table: its columns with their types, its keys, and the size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector_jdbc.database import Database, Session, quote_name, table_path
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, field

_RELATION = """
SELECT n.nspname::text, c.relname::text, c.relkind::text, greatest(c.reltuples, -1)::float8, current_setting('server_encoding'), obj_description(c.oid, 'pg_class'), c.oid::int8
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass($1) AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
"""


def _name_of(type_: str) -> str:
    """Returns the SQL of a type's name: with its schema, unless it is PostgreSQL's own or that of the extension citext."""
    return (
        f"CASE WHEN {type_}.typnamespace = 'pg_catalog'::regnamespace OR ({type_}.typname = 'citext' AND {type_}.typtype = 'b') "
        f"THEN {type_}.typname::text ELSE {type_}.typnamespace::regnamespace || '.' || {type_}.typname END"
    )


_COLUMNS = f"""
SELECT a.attname::text, {_name_of("t")}, t.typtype::text, pg_catalog.format_type(a.atttypid, a.atttypmod), base.modifier,
       a.attnotnull AND NOT EXISTS (
           SELECT FROM pg_catalog.pg_constraint c WHERE c.conrelid = a.attrelid AND c.contype = 'n' AND c.conkey = ARRAY[a.attnum]
           AND (NOT c.convalidated OR c.connoinherit)
       ),
       {_name_of("e")}, e.typtype::text,
       col_description(a.attrelid, a.attnum), a.attgenerated::text, a.attidentity::text, coalesce(co.collisdeterministic, TRUE)
FROM pg_catalog.pg_attribute a
CROSS JOIN LATERAL (
    WITH RECURSIVE types (oid, modifier) AS (
        SELECT a.atttypid, a.atttypmod
        UNION ALL SELECT d.typbasetype, greatest(types.modifier, d.typtypmod) FROM types JOIN pg_catalog.pg_type d ON d.oid = types.oid AND d.typtype = 'd'
    )
    SELECT types.oid, types.modifier::int4 FROM types JOIN pg_catalog.pg_type d ON d.oid = types.oid AND d.typtype <> 'd'
) AS base
JOIN pg_catalog.pg_type t ON t.oid = base.oid
LEFT JOIN pg_catalog.pg_collation co ON co.oid = a.attcollation
LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
WHERE a.attrelid = $1::int8::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_KEYS = """
SELECT i.indisprimary, coalesce(con.conname, ic.relname)::text, array_to_json(ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k(n, o)
       JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.n WHERE k.o <= i.indnkeyatts ORDER BY k.o))::text
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid
LEFT JOIN pg_catalog.pg_constraint con ON con.conindid = i.indexrelid AND con.contype = 'p'
WHERE i.indrelid = $1::int8::oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class p ON p.oid = h.inhparent WHERE p.oid = i.indrelid AND p.relkind <> 'p')
ORDER BY i.indisprimary DESC
"""
_NEAR = """
SELECT CASE WHEN n.nspname = ANY (current_schemas(false)) THEN c.relname ELSE n.nspname || '.' || c.relname END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' AND c.relname NOT LIKE '\\_table\\_%' LIMIT 1000
"""


@dataclass(frozen=True, slots=True)
class PostgresColumn:
    """A column as PostgreSQL declares it; a domain counts as its base type."""

    name: str
    type_name: str
    """The internal name of the type, such as ``int4``; of an array, that of its elements."""
    kind: str
    """``b`` for a base type, ``e`` for an enum, as in ``pg_type.typtype``."""
    shown: str
    """The type as CREATE TABLE writes it."""
    modifier: int = -1
    not_null: bool = False
    is_array: bool = False
    comment: str | None = None
    is_generated: bool = False
    is_deterministic: bool = True
    """Whether the column's collation calls only equal texts equal; others ignore case or accents."""

    @property
    def digits(self) -> tuple[int, int] | None:
        """Precision and scale of a NUMERIC, None if it has none."""
        if self.modifier < 4:
            return None
        scale = (self.modifier - 4) & 0x7FF
        return ((self.modifier - 4) >> 16) & 0xFFFF, (scale ^ 1024) - 1024

    @property
    def length(self) -> int | None:
        """The length of a character type, None if it has none."""
        return self.modifier - 4 if self.modifier >= 4 else None


@dataclass(frozen=True, slots=True)
class PostgresTable:
    """A table or view of PostgreSQL."""

    schema: str
    name: str
    columns: Mapping[str, PostgresColumn] = field(hash=False)
    is_view: bool = False
    is_utf8: bool = True
    """Whether the server stores UTF-8, so that the collation C orders by code points, as SQL does here."""
    estimated_rows: int | None = None
    primary_key: tuple[str, ...] = ()
    primary_key_name: str | None = None
    unique_keys: tuple[tuple[str, ...], ...] = ()
    comment: str | None = None

    @property
    def sql(self) -> str:
        """The quoted name."""
        return f"{quote_name(self.schema)}.{quote_name(self.name)}"

    @property
    def shown(self) -> str:
        """The name in messages."""
        return f"{self.schema}.{self.name}"


def load_table(database: Database, name: str, hint: str | None = None) -> PostgresTable:
    """Returns the table of a name, looked up in the search path if it has no schema.

    Raises:
        ValidationException: there is no such table; the message names similar ones.
    """
    with database.session() as session:
        found = find_table(session, table_path(name))
        if found is not None:
            return found
        names = [row[0] for row in session.rows(_NEAR)]
    raise ValidationException.unknown("The table", name, names, where=database.place, hint=hint)


def find_table(session: Session, path: tuple[str, ...]) -> PostgresTable | None:
    """Returns the table of a path, or None if there is none."""
    import json

    relations = session.rows(_RELATION, [".".join(map(quote_name, path))])
    if not relations:
        return None
    ((schema, table, kind, rows, encoding, comment, oid),) = relations
    if (schema, table)[-len(path) :] != path:
        return None  # PostgreSQL cuts names that are too long, and found another table
    columns = {row[0]: _column(row) for row in session.rows(_COLUMNS, [oid])}
    keys: list[tuple[bool, str, tuple[str, ...]]] = [(row[0], row[1], tuple(json.loads(row[2]))) for row in session.rows(_KEYS, [oid])]
    primary = next(((name, key) for is_primary, name, key in keys if is_primary), (None, ()))
    return PostgresTable(
        schema,
        table,
        columns,
        kind in ("v", "m"),
        encoding == "UTF8",
        int(rows) if rows >= 0 and kind in ("r", "m", "p") else None,
        primary[1],
        primary[0],
        tuple(key for _, _, key in keys),
        comment,
    )


def _column(row: tuple[Any, ...]) -> PostgresColumn:
    name, type_name, kind, shown, modifier, not_null, element, element_kind, comment, generated, identity, is_deterministic = row
    is_array = element is not None
    return PostgresColumn(
        name,
        element if is_array else type_name,
        element_kind if is_array else kind,
        shown,
        modifier,
        bool(not_null),
        is_array,
        comment,
        bool(generated) or identity == "a",
        bool(is_deterministic),
    )
