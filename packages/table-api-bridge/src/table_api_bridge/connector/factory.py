"""The options of the connector ``spark``."""

from __future__ import annotations

from typing import Any

from table_api_bridge.connector.files import files_of
from table_api_bridge.connector.sink import SparkTableSink
from table_api_bridge.connector.source import SparkTableSource
from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions, Configuration
from table_common.connector import DynamicTableSink, DynamicTableSource
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory

TABLE = (
    ConfigOptions.key("table")
    .string_type()
    .no_default_value()
    .with_description("The table or view in Spark: [catalog.][database.]name, with back-ticks around a part that contains dots.")
)
STREAMING = (
    ConfigOptions.key("streaming")
    .boolean_type()
    .default_value(False)
    .with_description("Whether queries read the table as a streaming DataFrame: the rows that it has and those that it gets.")
)
_READER = "streaming."
"""The prefix of options of Spark's streaming reader, such as ``streaming.maxFilesPerTrigger``."""


class SparkTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Creates sources and sinks for tables of Spark; options that begin with ``streaming.`` are those of Spark's reader, unknown ones properties of the table."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "spark"

    @property
    @override
    def required_options(self) -> tuple[ConfigOption[Any], ...]:
        return (TABLE,)

    @property
    @override
    def optional_options(self) -> tuple[ConfigOption[Any], ...]:
        return (STREAMING,)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        table = context.catalog_table
        row_type = table.resolved_schema.to_physical_row_type()
        reader = {key.removeprefix(_READER): value for key, value in table.options.items() if key.startswith(_READER)}
        if Configuration(dict(table.options)).get(STREAMING):
            return SparkTableSource(_name(context), row_type, "its rows are a streaming DataFrame of Spark", reader)
        if reader:
            raise ValidationException(
                f"The option '{_READER}{next(iter(reader))}' is for a table that is read as a streaming DataFrame, and this one is not.",
                hint="'streaming' = 'true'",
            )
        return SparkTableSource(_name(context), row_type, files_of(table.options, row_type, table.partition_keys))

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
        table = context.catalog_table
        if table.options.get("type") == "VIEW":
            raise ValidationException(f"{context.object_identifier} is a view of Spark, which is read-only.")
        columns = table.resolved_schema.to_physical_row_type().field_names
        return SparkTableSink(_name(context), columns, table.partition_keys)


def _name(context: DynamicTableFactory.Context) -> str:
    name = context.catalog_table.options.get(TABLE.key)
    if not name:
        raise ValidationException(
            f"Table {context.object_identifier} of the connector 'spark' needs the option 'table', the name of the table in Spark.",
            hint="'table' = 'spark_catalog.default.events'",
        )
    return name
