"""The factory: reads the options, and checks that the table in SQLite has the declared columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from connector_sqlite.comparing import StoredColumns
from connector_sqlite.database import Database, quote_name
from connector_sqlite.options import BUSY_TIMEOUT, CONNECTOR, MAX_RETRIES, PARTITIONS, PATH, RETRY_DELAY, TABLE_NAME, TRACE_FILE
from connector_sqlite.query import TableQuery
from connector_sqlite.sink import SqliteTableSink
from connector_sqlite.source import LookupSettings, SqliteTableSource
from connector_sqlite.storage import require_storable, storage_class
from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import CacheReloadTrigger, DefaultLookupCache, DynamicTableSource, LookupOptions
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory, validate_options
from table_common.types import RowType


class SqliteTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Creates sources and sinks for tables in SQLite databases.

    Example:
        >>> SqliteTableFactory().factory_identifier
        'sqlite'
    """

    @property
    @override
    def factory_identifier(self) -> str:
        return "sqlite"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (PATH, TABLE_NAME)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (
            CONNECTOR,
            PARTITIONS,
            MAX_RETRIES,
            RETRY_DELAY,
            BUSY_TIMEOUT,
            TRACE_FILE,
            LookupOptions.CACHE_TYPE,
            LookupOptions.MAX_RETRIES,
            *LookupOptions.PARTIAL_CACHE,
            *LookupOptions.FULL_CACHE,
        )

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        config, database, row_type, columns = self._table(context)
        options = context.catalog_table.options
        cache = config.get(LookupOptions.CACHE_TYPE)
        lookup = LookupSettings(
            config.get(LookupOptions.MAX_RETRIES),
            DefaultLookupCache.from_options(options) if cache == "PARTIAL" else None,
            cache == "FULL",
            CacheReloadTrigger.from_options(options) if cache == "FULL" else None,
        )
        return SqliteTableSource(database, TableQuery.of(config.get(TABLE_NAME), row_type), columns, config.get(PARTITIONS), lookup)

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> SqliteTableSink:
        config, database, row_type, columns = self._table(context)
        key = context.catalog_table.resolved_schema.primary_key
        return SqliteTableSink(database, config.get(TABLE_NAME), row_type, columns, tuple(key.columns) if key is not None else ())

    def _table(self, context: DynamicTableFactory.Context) -> tuple[ReadableConfig, Database, RowType, StoredColumns]:
        where = f"table {context.object_identifier.as_summary_string()}"
        config = validate_options(context.catalog_table.options, self.required_options, self.optional_options, where)
        for option, least in ((PARTITIONS, 1), (MAX_RETRIES, 0)):
            if config.get(option) < least:
                raise ValidationException(f"The option '{option.key}' of {where} must be at least {least}, but is {config.get(option)}.")
        path = config.get(PATH).removeprefix("sqlite:///").removeprefix("file://")
        database = Database(
            context.gate.path(path, f"The option '{PATH.key}' of {where}"),
            config.get(MAX_RETRIES),
            config.get(RETRY_DELAY),
            config.get(BUSY_TIMEOUT),
            context.gate.path(trace, f"The option '{TRACE_FILE.key}' of {where}") if (trace := config.get_optional(TRACE_FILE)) else None,
        )
        row_type = context.catalog_table.resolved_schema.to_physical_row_type()
        require_storable(row_type, where)
        return config, database, row_type, _stored_columns(database, config.get(TABLE_NAME), row_type, where)


def _stored_columns(database: Database, table: str, row_type: RowType, where: str) -> StoredColumns:
    """Returns the columns of SQLite's table.

    Raises:
        ValidationException: a declared column is missing; the message shows both schemas.
    """
    with database.session() as session:
        found = {row[1]: str(row[2]) for row in session.rows(f"PRAGMA table_xinfo({quote_name(table)})")}
        ((encoding,),) = session.rows("PRAGMA encoding")
        tables = [] if found else [row[0] for row in session.rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")]
    declared = {field.name: f"{field.name} {field.type}" for field in row_type.fields}
    if not found:
        columns = ", ".join(f"{quote_name(field.name)} {storage_class(field.type)}" for field in row_type.fields)
        raise ValidationException.unknown(
            "The SQLite table",
            table,
            tables,
            where=f"the database '{database.path}'",
            hint=f"create it in that database: CREATE TABLE {quote_name(table)} ({columns})",
        )
    lacking = [name for name in declared if name not in found]
    if not lacking:
        return StoredColumns(found, str(encoding) == "UTF-8")
    lines = [f"  {'declared':<40} in SQLite"]
    for name in {**declared, **found}:
        right = f"{name} {found[name]}".strip() if name in found else "-"
        lines.append(f"  {declared.get(name, '-'):<40} {right}")
    raise ValidationException(f"SQLite's table '{table}' has no column {', '.join(lacking)}, which {where} declares:\n" + "\n".join(lines))
