"""The factory: reads the options, and checks that the table in PostgreSQL has the declared columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from connector_jdbc.database import Database
from connector_jdbc.options import (
    ASYNC,
    CONNECT_TIMEOUT,
    FETCH_SIZE,
    FLUSH_ROWS,
    PARTITION_COLUMN,
    PARTITION_LOWER,
    PARTITION_NUM,
    PARTITION_UPPER,
    PASSWORD,
    SINK_RETRIES,
    TABLE_NAME,
    URL,
    USERNAME,
    WITHOUT_EFFECT,
)
from connector_jdbc.postgres_table import PostgresTable, load_table
from connector_jdbc.postgres_types import column_type, is_unreadable, require_no_objects, require_readable, require_storable
from connector_jdbc.reading import PartitionSettings
from connector_jdbc.sink import JdbcTableSink
from connector_jdbc.source import JdbcTableSource
from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import LookupOptions, LookupSettings
from table_common.connector.sql import SqlQuery, quote_name
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory

_PARTITIONING = (PARTITION_COLUMN, PARTITION_NUM)
_NUMERIC = ("int2", "int4", "int8", "numeric", "float4", "float8")


class JdbcTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Creates sources and sinks of PostgreSQL tables.

    Example:
        >>> JdbcTableFactory().factory_identifier
        'jdbc'
    """

    # RAW is only the type of columns that cannot be read: `require_no_objects` refuses other ones, and a scan refuses these.
    reads_objects_of_program = True

    @property
    @override
    def factory_identifier(self) -> str:
        return "jdbc"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (URL, TABLE_NAME)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (
            USERNAME,
            PASSWORD,
            CONNECT_TIMEOUT,
            PARTITION_COLUMN,
            PARTITION_NUM,
            PARTITION_LOWER,
            PARTITION_UPPER,
            FETCH_SIZE,
            FLUSH_ROWS,
            SINK_RETRIES,
            ASYNC,
            *LookupOptions.ALL,
            *WITHOUT_EFFECT,
        )

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> JdbcTableSource:
        config, database, table = self._table(context)
        require_no_objects(context.physical_row_type, table.shown)
        lookup = LookupSettings.from_options(context.catalog_table.options)
        query = SqlQuery.of(table, context.physical_row_type)
        partitions = _partitions(config, table, context.where)
        return JdbcTableSource(database, query, partitions, config.get(FETCH_SIZE), lookup, config.get(ASYNC))

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> JdbcTableSink:
        config, database, table = self._table(context)
        row_type = context.physical_row_type
        require_readable(row_type, table.shown)
        generated = [field.name for field in row_type.fields if table.columns[field.name].is_generated]
        if generated:
            raise ValidationException(
                f"PostgreSQL computes the column {', '.join(generated)} of '{table.shown}', so {context.where} cannot write it.",
                hint="declare a second table without these columns for writing",
            )
        return JdbcTableSink(database, table, row_type, context.primary_key, config.get(FLUSH_ROWS), config.get(SINK_RETRIES))

    def _table(self, context: DynamicTableFactory.Context) -> tuple[ReadableConfig, Database, PostgresTable]:
        where, row_type = context.where, context.physical_row_type
        config = self.validated_options(context, at_least={FETCH_SIZE: 0, SINK_RETRIES: 0, FLUSH_ROWS: 1, PARTITION_NUM: 1})
        seconds = max(2, int(config.get(CONNECT_TIMEOUT).total_seconds()))  # libpq knows no shorter time
        database = Database.of(
            context.gate.url(config.get(URL), f"The option '{URL.key}' of {where}"), config.get(USERNAME), config.get(PASSWORD), seconds
        )
        readable = [field for field in row_type.fields if not is_unreadable(field.type)]
        for field in readable:
            require_storable(field.type, f"Column '{field.name}' of {where}")
        columns = ", ".join(f"{quote_name(field.name)} {column_type(field.type)}" for field in readable)
        table = load_table(database, config.get(TABLE_NAME), f"create it in that database: CREATE TABLE … ({columns})")
        table.require_columns(row_type, where)
        return config, database, table


def _partitions(config: ReadableConfig, table: PostgresTable, where: str) -> PartitionSettings | None:
    given = [option.key for option in (*_PARTITIONING, PARTITION_LOWER, PARTITION_UPPER) if config.get(option) is not None]
    if not given:
        return None
    missing = [option.key for option in _PARTITIONING if option.key not in given]
    if missing:
        raise ValidationException(f"The option '{given[0]}' of {where} needs '{missing[0]}' too.")
    name, count = config.get(PARTITION_COLUMN), config.get(PARTITION_NUM)
    lower, upper = config.get(PARTITION_LOWER), config.get(PARTITION_UPPER)
    if None not in (lower, upper) and lower > upper:
        raise ValidationException(
            f"The option '{PARTITION_LOWER.key}' of {where} is {lower}, which is greater than '{PARTITION_UPPER.key}', {upper}."
        )
    column = table.columns.get(name)
    if column is None:
        raise ValidationException.unknown("The partition column", name, sorted(table.columns), where=table.described)
    quoted = quote_name(name)
    operands = {
        **dict.fromkeys(_NUMERIC, quoted),
        "date": f"({quoted} - DATE '1970-01-01')",
        "timestamp": f"(extract(epoch FROM {quoted}) * 1000)",
        "timestamptz": f"(extract(epoch FROM {quoted}) * 1000)",
    }
    if column.is_array or column.type_name not in operands:
        raise ValidationException(
            f"The partition column '{name}' of {where} must be a number, date or timestamp, but is {column.shown} in PostgreSQL."
        )
    return PartitionSettings(name, count, lower, upper, operands[column.type_name])
