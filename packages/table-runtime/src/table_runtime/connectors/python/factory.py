"""Creates sources and sinks of Python callables.

SQL names importable objects, as CREATE FUNCTION does, and like that needs no option to be allowed: the object is called without arguments,
or with what the scan knows, never with values that the statement chooses, but for the dict ``options`` of a callable that asks for it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory, FactoryUtil, InferredSchema
from table_runtime.connectors.python.sink import PythonTableSink
from table_runtime.connectors.python.source import PythonTableSource
from table_runtime.connectors.python.user_code import UserCode, row_taker, rows_giver

__all__ = ["PythonTableFactory"]

CALLABLE = (
    ConfigOptions.key("callable")
    .string_type()
    .no_default_value()
    .with_description("What gives the rows: 'package.module:name', or a name given to register_callable.")
)
SINK_CALLABLE = (
    ConfigOptions.key("sink.callable")
    .string_type()
    .no_default_value()
    .with_description("What is called with each pyarrow.RecordBatch that is inserted, named like 'callable'.")
)
OPTIONS_PREFIX = "options."
"""Begins the keys of what the callable gets as its argument ``options``."""


class PythonTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Makes sources and sinks of objects of a program."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "python"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (CALLABLE, SINK_CALLABLE)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> PythonTableSource:
        return PythonTableSource(self._rows_giver(context), context.catalog_table.resolved_schema.to_physical_row_type())

    @override
    def infer_schema(self, context: DynamicTableFactory.Context) -> InferredSchema | None:
        """Returns the columns of the Arrow data that the callable gives; None if it gives rows, or if the table is only written."""
        from table_runtime.connectors.python.given_rows import given_type

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
        given = context.catalog_table.options
        options = {key.removeprefix(OPTIONS_PREFIX): value for key, value in given.items() if key.startswith(OPTIONS_PREFIX)}
        return rows_giver(name, context.object_identifier.as_summary_string(), options)

    def _named(self, context: DynamicTableFactory.Context, option: ConfigOption[str], other: ConfigOption[str], use: str) -> str:
        helper = FactoryUtil.create_table_factory_helper(self, context)
        name = helper.validate_except(OPTIONS_PREFIX).get_optional(option)
        if name is None:
            has = f"only '{other.key}' is set" if other.key in context.catalog_table.options else "it is not set"
            raise ValidationException(
                f"Table {context.object_identifier.as_summary_string()} cannot be {use} without the option '{option.key}': {has}.",
                hint=f"'{option.key}' = 'package.module:name'",
            )
        return name
