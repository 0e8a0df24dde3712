"""A table of PostgreSQL: what the catalog says of its columns, keys and size, and the dialect, which says how PostgreSQL compares."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from connector_jdbc.database import Database, Session, table_path
from connector_jdbc.postgres_column import PostgresColumn
from connector_jdbc.postgres_types import INTEGERS, is_unreadable, select_sql, staging_type, suggested_column
from table_common.annotation import override
from table_common.connector.sql import SqlTable, quote_name, quote_text
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.types import (
    EXACT_INTEGERS,
    DateType,
    DecimalType,
    LocalZonedTimestampType,
    LogicalType,
    RowField,
    TimestampType,
)

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
_CASTS = {
    "number": "numeric",
    "double": "float8",
    "boolean": "bool",
    "text": "text",
    "date": "date",
    "timestamp": "timestamp",
    "instant": "timestamptz",
}
"""The types of PostgreSQL for constants, by kind."""
_MICROSECONDS = 1000
"""The nanoseconds of a microsecond, PostgreSQL's precision."""


@dataclass(frozen=True)
class PostgresTable(SqlTable):
    """A table or view of PostgreSQL.

    Constants are written as quoted literals with their types: COPY, through which scans stream, takes no parameters.
    """

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

    DATABASE = "PostgreSQL"
    KEYS = (
        "numbers but FLOAT and DOUBLE and with all digits, texts but char(n) and citext, booleans, dates and timestamps with microseconds"
    )
    KINDS = (
        ((*EXACT_INTEGERS, DecimalType), "number"),
        *SqlTable.KINDS[1:],
        (DateType, "date"),
        (TimestampType, "timestamp"),
        (LocalZonedTimestampType, "instant"),
    )
    NAN_IS_GREATEST = True

    @property
    @override
    def sql(self) -> str:
        return f"{quote_name(self.schema)}.{quote_name(self.name)}"

    @property
    @override
    def shown(self) -> str:
        return f"{self.schema}.{self.name}"

    @override
    def selected(self, name: str, type_: LogicalType) -> str | None:
        return "NULL" if is_unreadable(type_) else select_sql(self.columns[name], type_)

    @override
    def suggested_type(self, name: str) -> str:
        return suggested_column(self.columns[name])

    @override
    def operand(self, name: str, type_: LogicalType, *, ordered: bool = False) -> str | None:
        column = self.columns.get(name)
        kind = self.kind_of(type_)
        selected = select_sql(column, type_) if column is not None else None
        if column is None or kind is None or selected is None or column.is_array:
            return None
        quoted = quote_name(name)
        if kind == "text":
            if column.type_name in ("bpchar", "citext") or (ordered and not self.is_utf8):
                return None  # compared without spaces at the end, or without case
            compares_bytes = column.is_deterministic and column.type_name in ("text", "varchar")
            return selected if compares_bytes and not ordered else f'{selected} COLLATE "C"'
        if kind == "double":
            return quoted if column.type_name == "float8" else None
        if isinstance(type_, (TimestampType, LocalZonedTimestampType)):
            return quoted if type_.precision >= 6 or 0 <= column.modifier <= type_.precision else None
        if isinstance(type_, DecimalType):
            return quoted if column.type_name in INTEGERS or column.digits == (type_.precision, type_.scale) else selected
        return quoted

    @override
    def operands(self, comparison: CallExpression, *, ordered: bool = False) -> list[str] | None:
        # Two columns may have different collations, between which PostgreSQL does not choose.
        has_collations = sum(not isinstance(arg, ValueLiteralExpression) for arg in comparison.args) > 1
        return super().operands(comparison, ordered=ordered or has_collations)

    @override
    def literal(self, literal: ValueLiteralExpression) -> str | None:
        value, kind, plain = literal.value, self.kind_of(literal.output_type), super().literal(literal)
        cast = _CASTS.get(kind or "")
        if cast is None or isinstance(value, bool):
            return plain
        if value is None:
            return f"NULL::{cast}"
        if plain is not None and kind == "number":
            return f"({plain})" if plain.startswith("-") else plain
        if plain is not None:
            return f"{plain}::{cast}" if kind == "text" else f"{quote_text(plain)}::{cast}"
        if isinstance(value, (int, Decimal)) and kind == "number":
            return f"{quote_text(f'{Decimal(value):f}')}::{cast}"
        if isinstance(value, datetime.date) and kind == "date":
            return f"{quote_text(value.isoformat())}::{cast}"
        if isinstance(value, int) and kind in ("timestamp", "instant") and value % _MICROSECONDS == 0:
            seconds, microseconds = divmod(value // _MICROSECONDS, 1_000_000)
            epoch = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds, microseconds=microseconds)
            return f"{quote_text(epoch.isoformat(' ') + ('+00' if kind == 'instant' else ''))}::{cast}"
        return None

    @override
    def identifies(self, name: str, type_: LogicalType) -> bool:
        digits = self.columns[name].digits
        is_rounded = isinstance(type_, DecimalType) and digits is not None and digits[1] > type_.scale
        return not is_rounded and super().identifies(name, type_)

    @override
    def group_key(self, name: str, type_: LogicalType, selected: str) -> str | None:
        column = self.columns.get(name)
        if column is None or not column.is_deterministic or self.key_operand(name, type_) is None:
            return None  # PostgreSQL would put texts that its collation calls equal into one group
        return selected

    @override
    def aggregate(self, name: str, argument: FieldReferenceExpression, result: RowField) -> str | None:
        operand, kind = self.operand(argument.name, argument.output_type, ordered=True), self.kind_of(argument.output_type)
        if operand is None or kind in ("double", "boolean"):
            return None  # NaN is the greatest value in PostgreSQL, and the sum of floating-point numbers depends on their order
        total = f"{name}({operand})"
        if kind != "number":
            return total if name != "SUM" else None
        type_ = result.type
        if not isinstance(type_, DecimalType):
            return f"{total}::{staging_type(type_)}"  # fails where the engine's own would overflow
        cast = f"{total}::{_CASTS[kind]}({type_.precision},{type_.scale})"
        # A sum that DECIMAL cannot hold is NULL, as in the engines; NaN stays, and so fails.
        is_out = f"abs({total}) >= 1e{type_.precision - type_.scale} AND {total} <> 'NaN'"
        return f"CASE WHEN {is_out} THEN NULL ELSE {cast} END" if name == "SUM" else cast


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
