"""The factory: reads the options, and checks that the table in PostgreSQL has the declared columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from connector_jdbc.database import Database, quote_name
from connector_jdbc.options import (
    ASYNC,
    CONNECT_TIMEOUT,
    CONNECTOR,
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
from connector_jdbc.postgres_types import (
    column_type,
    is_unreadable,
    require_no_objects,
    require_readable,
    require_storable,
    select_sql,
    suggested_column,
)
from connector_jdbc.query import TableQuery
from connector_jdbc.reading import PartitionSettings
from connector_jdbc.sink import JdbcTableSink
from connector_jdbc.source import JdbcTableSource, LookupSettings
from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import CacheReloadTrigger, DefaultLookupCache, LookupOptions
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory, validate_options
from table_common.types import RowType

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
            CONNECTOR,
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
            LookupOptions.CACHE_TYPE,
            LookupOptions.MAX_RETRIES,
            *LookupOptions.PARTIAL_CACHE,
            *LookupOptions.FULL_CACHE,
            *WITHOUT_EFFECT,
        )

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> JdbcTableSource:
        config, database, row_type, table, where = self._table(context)
        require_no_objects(row_type, table.shown)
        options = context.catalog_table.options
        cache = config.get(LookupOptions.CACHE_TYPE)
        lookup = LookupSettings(
            config.get(LookupOptions.MAX_RETRIES),
            DefaultLookupCache.from_options(options) if cache == "PARTIAL" else None,
            cache == "FULL",
            CacheReloadTrigger.from_options(options) if cache == "FULL" else None,
            config.get(ASYNC),
        )
        query = TableQuery.of(table, row_type)
        return JdbcTableSource(database, query, _partitions(config, table, where), config.get(FETCH_SIZE), lookup)

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> JdbcTableSink:
        config, database, row_type, table, where = self._table(context)
        require_readable(row_type, table.shown)
        generated = [field.name for field in row_type.fields if table.columns[field.name].is_generated]
        if generated:
            raise ValidationException(
                f"PostgreSQL computes the column {', '.join(generated)} of '{table.shown}', so {where} cannot write it.",
                hint="declare a second table without these columns for writing",
            )
        key = context.catalog_table.resolved_schema.primary_key
        keys = tuple(key.columns) if key is not None else ()
        return JdbcTableSink(database, table, row_type, keys, config.get(FLUSH_ROWS), config.get(SINK_RETRIES))

    def _table(self, context: DynamicTableFactory.Context) -> tuple[ReadableConfig, Database, RowType, PostgresTable, str]:
        where = f"table {context.object_identifier.as_summary_string()}"
        config = validate_options(context.catalog_table.options, self.required_options, self.optional_options, where)
        for option, least in ((FETCH_SIZE, 0), (SINK_RETRIES, 0), (FLUSH_ROWS, 1)):
            if config.get(option) < least:
                raise ValidationException(f"The option '{option.key}' of {where} must be at least {least}, but is {config.get(option)}.")
        seconds = max(2, int(config.get(CONNECT_TIMEOUT).total_seconds()))  # libpq knows no shorter time
        database = Database.of(
            context.gate.url(config.get(URL), f"The option '{URL.key}' of {where}"), config.get(USERNAME), config.get(PASSWORD), seconds
        )
        row_type = context.catalog_table.resolved_schema.to_physical_row_type()
        readable = [field for field in row_type.fields if not is_unreadable(field.type)]
        for field in readable:
            require_storable(field.type, f"Column '{field.name}' of {where}")
        columns = ", ".join(f"{quote_name(field.name)} {column_type(field.type)}" for field in readable)
        table = load_table(database, config.get(TABLE_NAME), f"create it in that database: CREATE TABLE … ({columns})")
        _require_columns(table, row_type, where)
        return config, database, row_type, table, where


def _require_columns(table: PostgresTable, row_type: RowType, where: str) -> None:
    """Raises a ``ValidationException`` that shows both schemas, unless PostgreSQL has each declared column with a type that fits."""
    declared = {field.name: field for field in row_type.fields}
    lacking = [name for name in declared if name not in table.columns]
    readable = {name: field for name, field in declared.items() if name in table.columns and not is_unreadable(field.type)}
    others = [name for name, field in readable.items() if select_sql(table.columns[name], field.type) is None]
    if not lacking and not others:
        return
    lines = [f"  {'declared':<40} in PostgreSQL"]
    for name in {**declared, **table.columns}:
        right = f"{name} {table.columns[name].shown}" if name in table.columns else "-"
        left = f"{name} {declared[name].type}" if name in declared else "-"
        lines.append(f"  {left:<40} {right}")
    problem = f"has no column {', '.join(lacking)}" if lacking else f"has other types for {', '.join(others)}"
    hint = None
    if others and not lacking:
        hint = "declare " + ", ".join(f"{name} as {suggested_column(table.columns[name])}" for name in others)
    raise ValidationException(f"PostgreSQL's table '{table.shown}' {problem}, which {where} declares:\n" + "\n".join(lines), hint=hint)


def _partitions(config: ReadableConfig, table: PostgresTable, where: str) -> PartitionSettings | None:
    given = [option.key for option in (*_PARTITIONING, PARTITION_LOWER, PARTITION_UPPER) if config.get(option) is not None]
    if not given:
        return None
    missing = [option.key for option in _PARTITIONING if option.key not in given]
    if missing:
        raise ValidationException(f"The option '{given[0]}' of {where} needs '{missing[0]}' too.")
    name, count = config.get(PARTITION_COLUMN), config.get(PARTITION_NUM)
    lower, upper = config.get(PARTITION_LOWER), config.get(PARTITION_UPPER)
    if count < 1:
        raise ValidationException(f"The option '{PARTITION_NUM.key}' of {where} must be at least 1, but is {count}.")
    if None not in (lower, upper) and lower > upper:
        raise ValidationException(
            f"The option '{PARTITION_LOWER.key}' of {where} is {lower}, which is greater than '{PARTITION_UPPER.key}', {upper}."
        )
    column = table.columns.get(name)
    if column is None:
        raise ValidationException.unknown("The partition column", name, sorted(table.columns), where=f"PostgreSQL's table '{table.shown}'")
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
