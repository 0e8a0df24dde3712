"""Creates sources and sinks of memory tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory, FactoryUtil
from table_runtime.connectors.memory.changes import MemoryChange
from table_runtime.connectors.memory.definition import MemoryDefinition
from table_runtime.connectors.memory.sink import MemoryTableSink
from table_runtime.connectors.memory.source import MemoryTableSource
from table_runtime.connectors.memory.tables import read_memory_table, rows_of

NAME = (
    ConfigOptions.key("name")
    .string_type()
    .no_default_value()
    .with_description("The name of the stored rows; tables with the same name share them. Default: the name of the table.")
)
PUSH_DOWN = (
    ConfigOptions.key("push-down")
    .boolean_type()
    .default_value(True)
    .with_description("Whether the table supports push-down of filters, aggregates and deletions.")
)
SPLITS = ConfigOptions.key("splits").int_type().default_value(1).with_description("The number of splits of the rows.")
ROW_LEVEL_MODE = (
    ConfigOptions.key("row-level-mode")
    .string_type()
    .default_value("CHANGED")
    .with_description("The rows that DELETE and UPDATE write: the CHANGED rows, or ALL rows.")
)


class MemoryTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Creates sources and sinks of rows in this process."""

    reads_objects_of_program = True

    @property
    @override
    def factory_identifier(self) -> str:
        return "memory"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (NAME, PUSH_DOWN, SPLITS, ROW_LEVEL_MODE)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> MemoryTableSource:
        definition = self._definition(context)
        owner = read_memory_table(definition.name)
        return MemoryTableSource(definition, rows_of(owner, definition.schema), owner)

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> MemoryTableSink:
        definition = self._definition(context)
        return MemoryTableSink(definition, MemoryChange(definition, definition.physical_type.field_names), definition.name)

    def _definition(self, context: DynamicTableFactory.Context) -> MemoryDefinition:
        helper = FactoryUtil.create_table_factory_helper(self, context)
        options = helper.validate()
        mode = options.get(ROW_LEVEL_MODE).upper()
        if mode not in ("CHANGED", "ALL"):
            raise ValidationException.unknown(
                "Row-level mode", mode, ("CHANGED", "ALL"), where=context.object_identifier.as_summary_string()
            )
        return MemoryDefinition(
            options.get_optional(NAME) or context.object_identifier.as_summary_string(),
            context.physical_row_type,
            tuple(context.catalog_table.partition_keys),
            context.primary_key,
            options.get(PUSH_DOWN),
            max(1, options.get(SPLITS)),
            mode,
        )
