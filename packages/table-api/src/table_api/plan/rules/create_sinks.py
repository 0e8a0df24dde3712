"""Creates the sink of an INSERT and applies the abilities that the statement needs: OVERWRITE, PARTITION, metadata, buckets."""

from __future__ import annotations

from collections.abc import Mapping

from table_api.operations import ContextResolvedTable, ModifyOperation, ProjectQueryOperation, SinkModifyOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.create_sources import factory_context, table_factory
from table_api.resolution.casting import cast_to
from table_common.catalog import MetadataColumn
from table_common.connector import ChangelogMode, DynamicTableSink, RowKind
from table_common.connector.sink.abilities import (
    SupportsBucketing,
    SupportsOverwrite,
    SupportsPartitioning,
    SupportsTargetColumnWriting,
    SupportsWritingMetadata,
)
from table_common.exceptions import TableError, ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.factories import DynamicTableSinkFactory, FactoryUtil
from table_common.frozen_dataclass import replace
from table_common.redaction import redact_error
from table_common.types import RowType, supports_explicit_cast


def create_sink(operation: ModifyOperation, context: RuleContext) -> ModifyOperation:
    """Returns the insertion with the sink that the connector's factory creates; checks that the sink supports the statement.

    Raises:
        ValidationException: the connector has no sink, or the sink does not support OVERWRITE, PARTITION, metadata or buckets.
    """
    if not isinstance(operation, SinkModifyOperation) or operation.sink is not None:
        return operation
    return prepare_sink(operation, table_sink(operation.table, operation.options, context))


def table_sink(table: ContextResolvedTable, options: Mapping[str, str], context: RuleContext) -> DynamicTableSink:
    """Returns the sink that the connector's factory creates for a table.

    Raises:
        ValidationException: the connector is not installed, has no sink, or its options are invalid.
    """
    factory = table_factory(table, context.session.modules.get_table_sink_factory)
    if not isinstance(factory, DynamicTableSinkFactory):
        raise ValidationException(f"The connector '{factory.factory_identifier}' of {table.identifier} can only be read.")
    try:
        return factory.create_dynamic_table_sink(factory_context(table, options, context))
    except TableError as error:
        redact_error(error, {**table.table.options, **options})
        error.message = f"Cannot write {table.identifier}: {error.message}"
        raise


def prepare_sink(operation: SinkModifyOperation, sink: DynamicTableSink) -> SinkModifyOperation:
    """Returns the insertion with this sink, after applying to it the abilities that the statement needs.

    Raises:
        ValidationException: the sink does not support INSERT, OVERWRITE, PARTITION, metadata or buckets.
    """
    table = operation.table.table
    if not sink.get_changelog_mode(ChangelogMode.insert_only()).contains(RowKind.INSERT):
        raise ValidationException(f"INSERT is not supported by {_connector(operation)}.")
    operation = _with_metadata(operation, sink)
    if operation.overwrite:
        if not isinstance(sink, SupportsOverwrite):
            raise _refused("INSERT OVERWRITE", operation, SupportsOverwrite)
        sink.apply_overwrite(True)
    if isinstance(sink, SupportsPartitioning) and table.partition_keys:
        sink.apply_static_partition(operation.static_partition)
    elif operation.static_partition:
        raise _refused("PARTITION", operation, SupportsPartitioning)
    _check_buckets(operation, sink)
    if operation.target_columns is not None and isinstance(sink, SupportsTargetColumnWriting):
        sink.apply_target_columns([(position,) for position in operation.target_columns])
    return replace(operation, sink=sink)


def _connector(operation: SinkModifyOperation) -> str:
    name = operation.table.table.options.get(FactoryUtil.CONNECTOR.key)
    return f"the connector '{name}' of {operation.table.identifier}"


def _refused(what: str, operation: SinkModifyOperation, ability: type) -> ValidationException:
    from table_api.plan.connectors_supporting import connectors_supporting  # only an error needs it

    return ValidationException(f"{what} is not supported by {_connector(operation)}.", hint=connectors_supporting(what, ability))


def _with_metadata(operation: SinkModifyOperation, sink: DynamicTableSink) -> SinkModifyOperation:
    """Moves the written metadata columns after the physical columns, in the order and with the types that the sink declares."""
    columns = operation.consumed_columns
    written = [column for column in columns if isinstance(column, MetadataColumn)]
    if not written:
        return operation
    if not isinstance(sink, SupportsWritingMetadata):
        raise ValidationException(
            f"T{_connector(operation)[1:]} cannot write the metadata column '{written[0].name}'.",
            hint=f"Declare it METADATA VIRTUAL, so that it is only read: `{written[0].name}` {written[0].data_type} METADATA VIRTUAL",
        )
    writable = sink.list_writable_metadata()
    where = f"table {operation.table.identifier.as_summary_string()}"
    for column in written:
        if column.key not in writable:
            raise ValidationException.unknown("Metadata key", column.key, sorted(writable), where=f"column '{column.name}' of {where}")
        if not supports_explicit_cast(column.data_type, writable[column.key]):
            raise ValidationException(
                f"The column '{column.name}' of {where} is {column.data_type}, which cannot be cast to {writable[column.key]}, the type of its metadata."
            )
    keys = [key for key in writable if any(column.key == key for column in written)]
    order = [column for column in columns if not isinstance(column, MetadataColumn)]
    order += [next(column for column in written if column.key == key) for key in keys]
    types = [writable[c.key] if isinstance(c, MetadataColumn) else c.data_type for c in order]
    positions = [columns.index(column) for column in order]
    sink.apply_writable_metadata(keys, RowType.of([(c.name, t) for c, t in zip(order, types, strict=True)], nullable=False))
    references = [FieldReferenceExpression(columns[i].name, columns[i].data_type, 0, i) for i in positions]
    child = ProjectQueryOperation(
        tuple(cast_to(reference, type_) for reference, type_ in zip(references, types, strict=True)),
        tuple(column.name for column in order),
        operation.child,
    )
    targets = operation.target_columns
    if targets is not None:
        targets = tuple(sorted(positions.index(position) for position in targets))
    return replace(operation, child=child, consumed=tuple(order), target_columns=targets)


def _check_buckets(operation: SinkModifyOperation, sink: DynamicTableSink) -> None:
    distribution = operation.table.table.origin.distribution
    if distribution is None:
        return
    if not isinstance(sink, SupportsBucketing):
        raise _refused("DISTRIBUTED BY", operation, SupportsBucketing)
    algorithms = sink.list_algorithms()
    if distribution.kind is not None and distribution.kind not in algorithms:
        raise ValidationException.unknown("Distribution", distribution.kind, sorted(algorithms), where=_connector(operation))
    if distribution.bucket_count is None and sink.requires_bucket_count():
        raise ValidationException(f"A number of buckets is required by {_connector(operation)}.", hint="DISTRIBUTED BY (…) INTO 4 BUCKETS")
