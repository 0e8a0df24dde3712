"""Creates sources and sinks of Python callables.

SQL names importable objects, as in CREATE FUNCTION, and like CREATE FUNCTION this needs no option to be enabled. The object is called
without arguments or with arguments of the scan, never with values of the statement, except for the dict ``options`` of a callable with that
parameter.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory, FactoryUtil, InferredSchema
from table_runtime.connectors.python.sink import PythonTableSink
from table_runtime.connectors.python.source import PythonTableSource
from table_runtime.connectors.python.user_code import UserCode, row_taker, rows_giver

CALLABLE = (
    ConfigOptions.key("callable")
    .string_type()
    .no_default_value()
    .with_description("The callable or iterable that returns the rows: 'package.module:name', or a name of register_callable.")
)
SINK_CALLABLE = (
    ConfigOptions.key("sink.callable")
    .string_type()
    .no_default_value()
    .with_description("The callable that receives each inserted pyarrow.RecordBatch, named like 'callable'.")
)
BOUNDED = (
    ConfigOptions.key("bounded")
    .boolean_type()
    .default_value(True)
    .with_description("Whether the rows of 'callable' end. Unbounded rows are read in streaming mode, each at most once.")
)
OPTIONS_PREFIX = "options."
"""Prefix of the keys that are passed to the callable in its argument ``options``."""


class PythonTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Creates sources and sinks of Python objects."""

    reads_objects_of_program = True

    @property
    @override
    def factory_identifier(self) -> str:
        return "python"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (CALLABLE, SINK_CALLABLE, BOUNDED)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> PythonTableSource:
        table = context.catalog_table
        bounded = ReadableConfig(table.options).get(BOUNDED)
        return PythonTableSource(self._rows_giver(context), table.resolved_schema.to_physical_row_type(), bounded=bounded)

    @override
    def infer_schema(self, context: DynamicTableFactory.Context) -> InferredSchema | None:
        """Returns the columns of the Arrow data that the callable returns; None if it returns rows, or if the table is write-only."""
        from table_runtime.connectors.python.returned_rows import given_type

        if CALLABLE.key not in context.catalog_table.options:
            return None
        row_type = given_type(self._rows_giver(context))
        return None if row_type is None else InferredSchema(row_type)

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> PythonTableSink:
        name = self._named(context, SINK_CALLABLE, CALLABLE, "written")
        return PythonTableSink(row_taker(name, context.object_identifier.as_summary_string()))

    def _rows_giver(self, context: DynamicTableFactory.Context) -> UserCode:
        name = self._named(context, CALLABLE, SINK_CALLABLE, "read")
        table_options = context.catalog_table.options
        options = {key.removeprefix(OPTIONS_PREFIX): value for key, value in table_options.items() if key.startswith(OPTIONS_PREFIX)}
        return rows_giver(name, context.object_identifier.as_summary_string(), options)

    def _named(self, context: DynamicTableFactory.Context, option: ConfigOption[str], other: ConfigOption[str], use: str) -> str:
        helper = FactoryUtil.create_table_factory_helper(self, context)
        name = helper.validate_except(OPTIONS_PREFIX).get_optional(option)
        if name is None:
            reason = f"only '{other.key}' is set" if other.key in context.catalog_table.options else "it is not set"
            raise ValidationException(
                f"Table {context.object_identifier.as_summary_string()} cannot be {use} without the option '{option.key}': {reason}.",
                hint=f"'{option.key}' = 'package.module:name'",
            )
        return name
