"""The factory: reads the options, and checks that the table in SQLite has the declared columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from connector_sqlite.database import Database
from connector_sqlite.options import BUSY_TIMEOUT, MAX_RETRIES, PARTITIONS, PATH, RETRY_DELAY, TABLE_NAME, TRACE_FILE
from connector_sqlite.sink import SqliteTableSink
from connector_sqlite.source import SqliteTableSource
from connector_sqlite.sqlite_table import SqliteTable
from connector_sqlite.storage import require_storable, storage_class
from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import DynamicTableSource, LookupOptions, LookupSettings
from table_common.connector.sql import SqlQuery, quote_name
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory
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
        return (PARTITIONS, MAX_RETRIES, RETRY_DELAY, BUSY_TIMEOUT, TRACE_FILE, *LookupOptions.ALL)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        config, database, table = self._table(context)
        lookup = LookupSettings.from_options(context.catalog_table.options, config.get(RETRY_DELAY))
        return SqliteTableSource(database, SqlQuery.of(table, context.physical_row_type), config.get(PARTITIONS), lookup)

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> SqliteTableSink:
        _, database, table = self._table(context)
        return SqliteTableSink(database, table, context.physical_row_type, context.primary_key)

    def _table(self, context: DynamicTableFactory.Context) -> tuple[ReadableConfig, Database, SqliteTable]:
        config, where = self.validated_options(context, at_least={PARTITIONS: 1, MAX_RETRIES: 0}), context.where
        path = config.get(PATH).removeprefix("sqlite:///").removeprefix("file://")
        database = Database(
            context.gate.path(path, f"The option '{PATH.key}' of {where}"),
            config.get(MAX_RETRIES),
            config.get(RETRY_DELAY),
            config.get(BUSY_TIMEOUT),
            context.gate.path(trace, f"The option '{TRACE_FILE.key}' of {where}") if (trace := config.get_optional(TRACE_FILE)) else None,
        )
        require_storable(context.physical_row_type, where)
        table = _load_table(database, config.get(TABLE_NAME), context.physical_row_type)
        table.require_columns(context.physical_row_type, where)
        return config, database, table


def _load_table(database: Database, name: str, row_type: RowType) -> SqliteTable:
    """Returns SQLite's table.

    Raises:
        ValidationException: there is no such table; the message names similar ones.
    """
    with database.session() as session:
        found = {row[1]: str(row[2]) for row in session.rows(f"PRAGMA table_xinfo({quote_name(name)})")}
        ((encoding,),) = session.rows("PRAGMA encoding")
        tables = [] if found else [row[0] for row in session.rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")]
    if found:
        return SqliteTable(name, found, str(encoding) == "UTF-8")
    columns = ", ".join(f"{quote_name(field.name)} {storage_class(field.type)}" for field in row_type.fields)
    raise ValidationException.unknown(
        "The SQLite table",
        name,
        tables,
        where=f"the database '{database.path}'",
        hint=f"create it in that database: CREATE TABLE {quote_name(name)} ({columns})",
    )
