"""The catalog ``jdbc``: the databases of a PostgreSQL server, with their tables and views as tables of the connector."""

from __future__ import annotations

from collections.abc import Mapping

from connector_jdbc.database import Database, table_path
from connector_jdbc.postgres_table import PostgresTable, find_table
from connector_jdbc.postgres_types import declared_type, unreadable_type
from table_common.annotation import override
from table_common.catalog import Catalog, CatalogDatabase, CatalogTable, CatalogTableStatistics, ObjectPath, Schema
from table_common.connector.sql import quote_name
from table_common.exceptions import CatalogException, ValidationException

_DATABASES = 'SELECT datname::text FROM pg_catalog.pg_database WHERE datallowconn AND NOT datistemplate ORDER BY datname COLLATE "C"'
_TABLES = """
SELECT n.nspname::text, c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
AND c.relname NOT LIKE '\\_table\\_staging\\_%' AND c.relname <> '_table_epochs'
"""
_PUBLIC = "public"


class JdbcCatalog(Catalog):
    """A read-only catalog of one server: tables are named ``schema.table``; in the schema ``public`` also ``table``.

    Views are tables that can be read. DDL is PostgreSQL's own.

    Example:
        >>> JdbcCatalog("shop", Database.of("postgresql://ada@db.example.com"), "orders", {}).default_database
        'orders'
    """

    def __init__(self, name: str, server: Database, default_database: str, options: Mapping[str, str]) -> None:
        """``options`` are those of the connector that reaches the server, without ``url``."""
        self._name = name
        self._server = server
        self._default_database = default_database
        self._options = dict(options)

    @property
    @override
    def default_database(self) -> str:
        return self._default_database

    @override
    def open(self) -> None:
        """Connects once, so that a wrong address or password fails here and not with the first table."""
        databases = self.list_databases()
        if self._default_database not in databases:
            raise CatalogException.unknown("Database", self._default_database, databases, where=self._server.place)

    @override
    def list_databases(self) -> list[str]:
        with self._server.with_name(self._default_database).session() as session:
            return [row[0] for row in session.rows(_DATABASES)]

    @override
    def database_exists(self, database_name: str) -> bool:
        return database_name in self.list_databases()

    @override
    def get_database(self, database_name: str) -> CatalogDatabase:
        with self._server.with_name(self._default_database).session() as session:
            found = session.rows(
                "SELECT shobj_description(oid, 'pg_database') FROM pg_catalog.pg_database WHERE datname = $1::text AND datallowconn AND NOT datistemplate",
                [database_name],
            )
        if not found:
            raise self._no_database(database_name)
        return CatalogDatabase({}, found[0][0])

    @override
    def list_tables(self, database_name: str) -> list[str]:
        with self._database(database_name).session() as session:
            rows = session.rows(_TABLES)
        return sorted(table if schema == _PUBLIC and _is_plain(table) else _shown(schema, table) for schema, table in rows)

    @override
    def list_views(self, database_name: str) -> list[str]:
        """Returns none: PostgreSQL's views are tables here, because their SQL is PostgreSQL's."""
        if not self.database_exists(database_name):
            raise self._no_database(database_name)
        return []

    @override
    def table_exists(self, table_path: ObjectPath) -> bool:
        return self.database_exists(table_path.database_name) and self._found(table_path) is not None

    @override
    def get_table(self, table_path: ObjectPath) -> CatalogTable:
        table = self._found(table_path)
        if table is None:
            raise CatalogException.unknown(
                "Table", table_path.object_name, self.list_tables(table_path.database_name), where=f"database '{table_path.database_name}'"
            )
        return self._catalog_table(table_path, table)

    @override
    def find_table(self, table_path: ObjectPath) -> CatalogTable | None:
        if not self.database_exists(table_path.database_name):
            return None
        table = self._found(table_path)
        return self._catalog_table(table_path, table) if table is not None else None

    @override
    def get_table_statistics(self, table_path: ObjectPath) -> CatalogTableStatistics:
        """Returns the rows and bytes that PostgreSQL estimated at the last ANALYZE or VACUUM."""
        table = self._found(table_path)
        if table is None:
            self.get_table(table_path)
            raise AssertionError("a missing table is an error")
        with self._database(table_path.database_name).session() as session:
            ((size,),) = session.rows("SELECT pg_total_relation_size(to_regclass($1))::int8", [table.sql])
        return CatalogTableStatistics(row_count=table.estimated_rows, total_size=None if table.is_view else size)

    def _catalog_table(self, path: ObjectPath, table: PostgresTable) -> CatalogTable:
        builder = Schema.new_builder()
        for column in table.columns.values():
            type_ = declared_type(column) or unreadable_type(column)
            builder = builder.column(column.name, type_)
            if column.comment is not None:
                builder = builder.with_comment(column.comment)
        if table.primary_key:
            builder = builder.primary_key_named(table.primary_key_name or "PK", *table.primary_key)
        url = self._server.with_name(path.database_name).url
        options = {"connector": "jdbc", "url": url, **self._options, "table-name": f"{quote_name(table.schema)}.{quote_name(table.name)}"}
        return CatalogTable(builder.build(), table.comment, options)

    def _found(self, path: ObjectPath) -> PostgresTable | None:
        if path.object_name != path.object_name.strip():
            return None  # spaces around the name would be ignored, and another table found
        try:
            parts = table_path(path.object_name)
        except ValidationException:
            return None  # no table of PostgreSQL has such a name here
        with self._database(path.database_name).session() as session:
            return find_table(session, parts if len(parts) == 2 else (_PUBLIC, *parts))

    def _database(self, name: str) -> Database:
        if not self.database_exists(name):
            raise self._no_database(name)
        return self._server.with_name(name)

    def _no_database(self, name: str) -> CatalogException:
        return CatalogException.unknown("Database", name, self.list_databases(), where=self._server.place)


def _shown(schema: str, table: str) -> str:
    return ".".join(part if _is_plain(part) else quote_name(part) for part in (schema, table))


def _is_plain(part: str) -> bool:
    """Returns whether a part of a name means itself without quotes."""
    return part == part.strip() and "." not in part and '"' not in part
