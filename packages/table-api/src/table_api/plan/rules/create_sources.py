"""Makes the source of every table that is scanned: from here on push-downs change copies of it."""

from __future__ import annotations

from dataclasses import replace

from table_api.operations import ContextResolvedTable, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_common.catalog import ObjectIdentifier, ResolvedCatalogTable
from table_common.configuration import ConfigOptions
from table_common.exceptions import TableError, ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory
from table_common.tree import transform_up

__all__ = ["CONNECTOR", "connector_of", "create_sources", "factory_context"]

CONNECTOR = ConfigOptions.key("connector").string_type().no_default_value().with_description("The identifier of the table's connector.")


def create_sources(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Asks the connector's factory for the source of each scan that has none."""

    def change(node: QueryOperation) -> QueryOperation:
        if not isinstance(node, SourceQueryOperation) or node.source is not None:
            return node
        factory = DynamicTableFactory.discover(connector_of(node.table.identifier, node.table.table))
        if not isinstance(factory, DynamicTableSourceFactory):
            raise ValidationException(f"The connector '{factory.factory_identifier}' of {node.table.identifier} can only be written to.")
        try:
            return replace(node, source=factory.create_dynamic_table_source(factory_context(node.table, node.options, context)))
        except TableError as error:
            error.message = f"Cannot read {node.table.identifier}: {error.message}"
            raise

    return transform_up(root, QueryOperation, change)


def factory_context(table: ContextResolvedTable, options: object, context: RuleContext) -> DynamicTableFactory.Context:
    """Returns what the factory is told: the table with the options of hints laid over its own."""
    resolved = table.table
    extra = dict(options) if isinstance(options, dict) else {}
    if extra:
        resolved = ResolvedCatalogTable(resolved.origin.copy({**resolved.options, **extra}), resolved.resolved_schema)
    return DynamicTableFactory.Context(table.identifier, resolved, context.session.configuration, table.is_temporary)


def connector_of(identifier: ObjectIdentifier, table: ResolvedCatalogTable) -> str:
    """Returns the identifier of a table's connector.

    Raises:
        ValidationException: the table has no option 'connector'.
    """
    connector = table.options.get(CONNECTOR.key)
    if connector is None:
        installed = ", ".join(DynamicTableFactory.identifiers()) or "none"
        raise ValidationException(
            f"Table {identifier} has no option 'connector', so it can be neither read nor written. Installed connectors: {installed}.",
            hint="WITH ('connector' = 'filesystem', 'path' = '…', 'format' = 'parquet')",
        )
    return connector
