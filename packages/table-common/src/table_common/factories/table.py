"""Factories of table sources and sinks, and what they are told."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from table_common.catalog import ObjectIdentifier, ResolvedCatalogTable
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import DynamicTableSink, DynamicTableSource
from table_common.factories.factory import Factory
from table_common.factories.option_validation import validate_options
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType

__all__ = ["DynamicTableFactory", "DynamicTableSinkFactory", "DynamicTableSourceFactory", "InferredSchema"]


@dataclass(frozen=True, slots=True)
class InferredSchema:
    """What a table was found to be: all its columns, and the names of those that partition it."""

    row_type: RowType
    partition_keys: tuple[str, ...] = ()


class DynamicTableFactory(Factory):
    """What source and sink factories share."""

    GROUP: ClassVar[str] = "table.connectors"
    KIND: ClassVar[str] = "connector"
    CONNECTOR: ClassVar[ConfigOption[str]] = (
        ConfigOptions.key("connector").string_type().no_default_value().with_description("The identifier of the table's connector.")
    )
    """The option of tables that names the factory."""
    WATERMARK_EMIT_STRATEGY: ClassVar[ConfigOption[str]] = (
        ConfigOptions.key("scan.watermark.emit.strategy")
        .enum_type("on-periodic", "on-event")
        .default_value("on-periodic")
        .with_description(
            "When a source that makes watermarks emits one: every pipeline.auto-watermark-interval, or after all that move time."
        )
    )
    """Every table may have it."""

    @dataclass(frozen=True, slots=True)
    class Context:
        """The table that is made: its name, its resolved definition, and the session's configuration."""

        object_identifier: ObjectIdentifier
        catalog_table: ResolvedCatalogTable
        configuration: ReadableConfig
        is_temporary: bool = False

        @property
        def physical_row_type(self) -> RowType:
            """The row of the table's physical columns: neither computed ones nor metadata."""
            return self.catalog_table.resolved_schema.to_physical_row_type()

    def validated_options(self, context: DynamicTableFactory.Context) -> ReadableConfig:
        """Returns the table's options after checking them against those that the factory declares; formats are for ``FactoryUtil``.

        Raises:
            ValidationException: names every missing and unknown key at once, with the closest accepted one; a value cannot be read.
        """
        where = f"table {context.object_identifier.as_summary_string()}"
        for_all = (self.CONNECTOR, self.WATERMARK_EMIT_STRATEGY)
        return validate_options(context.catalog_table.options, self.required_options, (*for_all, *self.optional_options), where)


class DynamicTableSourceFactory(DynamicTableFactory):
    """Makes sources."""

    @abstractmethod
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        """Returns the source of a table; validates its options (``FactoryUtil`` in ``option_validation``)."""

    def infer_schema(self, context: DynamicTableFactory.Context) -> InferredSchema | None:
        """Returns the columns that a table has by itself, for CREATE TABLE without columns; None where that is not known.

        Raises:
            ValidationException: the options are wrong.
            TableRuntimeException: what is there cannot be read.
        """
        return None


class DynamicTableSinkFactory(DynamicTableFactory):
    """Makes sinks."""

    @abstractmethod
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
        """Returns the sink of a table; validates its options.

        Declare the class that is returned: errors then recommend the connector for what that class can do.
        """
