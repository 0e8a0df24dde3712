"""Factories of table sources and sinks, and their context."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from table_common.catalog import ObjectIdentifier, ResolvedCatalogTable
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import DynamicTableSink, DynamicTableSource
from table_common.exceptions import ValidationException
from table_common.factories.factory import Factory
from table_common.factories.option_validation import validate_options
from table_common.frozen_dataclass import dataclass, field
from table_common.gate import Gate, current_gate
from table_common.types import RowType


@dataclass(frozen=True, slots=True)
class InferredSchema:
    """The inferred schema of a table: all columns, the names of its partition keys, and options that its data needs besides those given.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> InferredSchema(parse_logical_type("ROW<id INT, day DATE> NOT NULL"), partition_keys=("day",)).row_type.field_names
        ('id', 'day')
    """

    row_type: RowType
    partition_keys: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)


class DynamicTableFactory(Factory):
    """The common base of source and sink factories.

    Source: Flink's ``org.apache.flink.table.factories.DynamicTableFactory``.

    Example:
        >>> from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
        >>> from table_common.configuration import Configuration
        >>> class PagesFactory(DynamicTableFactory):
        ...     factory_identifier = "pages"
        ...     required_options = (ConfigOptions.key("url").string_type().no_default_value(),)
        >>> table = CatalogTable(Schema.new_builder().build(), options={"connector": "pages", "url": "https://example.org"})
        >>> resolved = ResolvedCatalogTable(table, ResolvedSchema(()))
        >>> context = DynamicTableFactory.Context(ObjectIdentifier("c", "d", "pages"), resolved, Configuration())
        >>> PagesFactory().validated_options(context).get("url")
        'https://example.org'
    """

    GROUP: ClassVar[str] = "table.connectors"
    KIND: ClassVar[str] = "connector"
    CONNECTOR: ClassVar[ConfigOption[str]] = (
        ConfigOptions.key("connector").string_type().no_default_value().with_description("The identifier of the table's connector.")
    )
    """The option of a table that selects the factory."""

    @dataclass(frozen=True, slots=True)
    class Context:
        """The table to create: its name, its resolved definition, and the session's configuration."""

        object_identifier: ObjectIdentifier
        catalog_table: ResolvedCatalogTable
        configuration: ReadableConfig
        is_temporary: bool = False

        @property
        def gate(self) -> Gate:
            """Makes what the table's options name, such as paths and URLs, into values that the restrictions of the session allow."""
            return current_gate()

        @property
        def physical_row_type(self) -> RowType:
            """The row type of the table's physical columns, without computed and metadata columns."""
            return self.catalog_table.resolved_schema.to_physical_row_type()

        @property
        def primary_key(self) -> tuple[str, ...]:
            """The columns of the table's primary key; empty if none is declared."""
            key = self.catalog_table.resolved_schema.primary_key
            return tuple(key.columns) if key is not None else ()

        @property
        def where(self) -> str:
            """The table, for messages."""
            return f"table {self.object_identifier.as_summary_string()}"

    def validated_options(
        self, context: DynamicTableFactory.Context, at_least: Mapping[ConfigOption[int], int] | None = None
    ) -> ReadableConfig:
        """Returns the table's options, validated against those that the factory declares; for tables with formats use ``FactoryUtil``.

        Args:
            at_least: the least values of options.

        Raises:
            ValidationException: an option is missing, unknown or invalid; the message lists all of them, with the closest accepted keys.
        """
        where = context.where
        config = validate_options(context.catalog_table.options, self.required_options, (self.CONNECTOR, *self.optional_options), where)
        for option, least in (at_least or {}).items():
            value = config.get_optional(option)
            if value is not None and value < least:
                raise ValidationException(f"The option '{option.key}' of {where} must be at least {least}, but is {value}.")
        return config


class DynamicTableSourceFactory(DynamicTableFactory):
    """Creates table sources. Register it under the entry point group ``table.connectors``.

    Source: Flink's ``org.apache.flink.table.factories.DynamicTableSourceFactory``.

    Example:
        >>> class PagesFactory(DynamicTableSourceFactory):
        ...     factory_identifier = "pages"
        ...     def create_dynamic_table_source(self, context):
        ...         return PagesSource(self.validated_options(context).get("url"), context.physical_row_type)
        >>> PagesFactory.GROUP
        'table.connectors'
    """

    reads_objects_of_program: ClassVar[bool] = False
    """Whether all rows come from objects that the program made. Only tables of such connectors have RAW columns: their bytes are unpickled."""

    @abstractmethod
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        """Returns the source of a table; must validate its options, with ``FactoryUtil`` or ``validate_options``.

        Raises:
            ValidationException: an option is missing, unknown or invalid.
        """

    def infer_schema(self, context: DynamicTableFactory.Context) -> InferredSchema | None:
        """Returns the schema of the external table, for CREATE TABLE without columns; None if the connector cannot infer it.

        Raises:
            ValidationException: the options are invalid.
            TableRuntimeException: the external table cannot be read.
        """
        return None


class DynamicTableSinkFactory(DynamicTableFactory):
    """Creates table sinks. Register it under the entry point group ``table.connectors``.

    Source: Flink's ``org.apache.flink.table.factories.DynamicTableSinkFactory``.

    Example:
        >>> class PagesFactory(DynamicTableSinkFactory):
        ...     factory_identifier = "pages"
        ...     def create_dynamic_table_sink(self, context):
        ...         return PagesSink(self.validated_options(context).get("url"), context.physical_row_type)
        >>> PagesFactory.KIND
        'connector'
    """

    @abstractmethod
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
        """Returns the sink of a table; must validate its options.

        Annotate the concrete class as the result type: error messages recommend connectors by the abilities of that class.

        Raises:
            ValidationException: an option is missing, unknown or invalid.
        """
