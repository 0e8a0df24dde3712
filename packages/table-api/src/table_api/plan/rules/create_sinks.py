"""Makes the sink of an INSERT and tells it about OVERWRITE and PARTITION."""

from __future__ import annotations

from dataclasses import replace

from table_api.operations import ModifyOperation, SinkModifyOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.create_sources import factory_context, table_factory
from table_common.connector.sink.abilities import SupportsOverwrite, SupportsPartitioning
from table_common.exceptions import TableError, ValidationException
from table_common.factories import DynamicTableSinkFactory, FactoryUtil

__all__ = ["create_sink"]


def create_sink(operation: ModifyOperation, context: RuleContext) -> ModifyOperation:
    """Asks the connector's factory for the sink; what it cannot do is refused here.

    Raises:
        ValidationException: the connector cannot be written to, or takes no OVERWRITE or PARTITION.
    """
    if not isinstance(operation, SinkModifyOperation) or operation.sink is not None:
        return operation
    identifier, table = operation.table.identifier, operation.table.table
    named = table.options.get(FactoryUtil.CONNECTOR.key)
    of_module = context.session.modules.get_table_sink_factory(named) if named is not None else None
    factory = of_module or table_factory(identifier, table)
    if not isinstance(factory, DynamicTableSinkFactory):
        raise ValidationException(f"The connector '{factory.factory_identifier}' of {identifier} can only be read.")
    try:
        sink = factory.create_dynamic_table_sink(factory_context(operation.table, operation.options, context))
    except TableError as error:
        error.message = f"Cannot write {identifier}: {error.message}"
        raise
    written = [column for column in table.resolved_schema.columns if column.is_persisted and not column.is_physical]
    if written:
        raise ValidationException(
            f"The connector '{factory.factory_identifier}' of {identifier} cannot write the metadata column '{written[0].name}'.",
            hint=f"Declare it METADATA VIRTUAL, so that it is only read: `{written[0].name}` {written[0].data_type} METADATA VIRTUAL",
        )
    if operation.overwrite:
        if not isinstance(sink, SupportsOverwrite):
            raise ValidationException(f"INSERT OVERWRITE is not supported by the connector '{factory.factory_identifier}' of {identifier}.")
        sink.apply_overwrite(True)
    if isinstance(sink, SupportsPartitioning) and table.partition_keys:
        sink.apply_static_partition(operation.static_partition)
    elif operation.static_partition:
        raise ValidationException(f"PARTITION is not supported by the connector '{factory.factory_identifier}' of {identifier}.")
    return replace(operation, sink=sink)
