"""Statements with partitions: ALTER TABLE ADD and DROP PARTITION, SHOW PARTITIONS, ANALYZE TABLE."""

from __future__ import annotations

from table_api.delegation import FoundTable
from table_api.expressions.unresolved import Span
from table_api.operations import Operation
from table_api.operations.command import AnalyzeTableOperation
from table_api.operations.ddl import AddPartitionsOperation, DropPartitionsOperation
from table_api.resolution.insertion import partition_text
from table_api.resolution.resolver import ExpressionResolver
from table_api.resolution.scope import Scope
from table_api.sql.ast import AddPartitions, AlterStatement, AnalyzeTable, DropPartitions, PartitionSpec
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_common.catalog import CatalogPartition, CatalogPartitionSpec
from table_common.exceptions import ValidationException
from table_common.expressions import ValueLiteralExpression


def partition_spec_of(node: PartitionSpec, context: StatementContext) -> CatalogPartitionSpec:
    """Returns the values of the keys that have one, as the text that stands in the name of a partition.

    Raises:
        ValidationException: a key stands twice.
    """
    resolver = ExpressionResolver(context.session, Scope(), context.text, aggregates_refused_in="PARTITION")
    values: dict[str, str | None] = {}
    for key, value in node.values:
        if key in values:
            raise ValidationException(f"PARTITION gives '{key}' twice.", position=context.position(node.span))
        if value is None:
            continue
        literal = resolver.resolve(value)
        is_null = isinstance(literal, ValueLiteralExpression) and literal.value is None
        values[key] = None if is_null else partition_text(literal)
    return CatalogPartitionSpec(values)


def alter_partitions(node: AlterStatement, action: AddPartitions | DropPartitions, context: StatementContext) -> Operation:
    """Returns the operation of ADD or DROP PARTITION."""
    identifier = context.session.tables.qualify(node.path)
    specs = [partition_spec_of(partition, context) for partition in action.partitions]
    if isinstance(action, DropPartitions):
        return DropPartitionsOperation(identifier, tuple(specs), action.if_exists, node.if_exists)
    kept = [CatalogPartition(dict(partition.options)) for partition in action.partitions]
    return AddPartitionsOperation(identifier, tuple(zip(specs, kept, strict=True)), action.if_not_exists, node.if_exists)


@convert.register(AnalyzeTable)
def _analyze(node: AnalyzeTable, context: StatementContext) -> Operation:
    position = context.position(node.path_span or node.span)
    if context.session.is_streaming_mode:
        raise ValidationException("ANALYZE TABLE reads bounded tables only: it needs an environment in batch mode.", position=position)
    found = context.session.tables.find_table(node.path)
    if found is None:
        raise context.session.tables.table_not_found(node.path, position)
    if not isinstance(found, FoundTable):
        raise ValidationException(f"ANALYZE TABLE accepts a table, but {found.identifier} is a view.", position=position)
    if found.is_temporary:
        raise ValidationException(
            f"ANALYZE TABLE stores statistics in a catalog, but {found.identifier} is temporary.",
            position=position,
            hint="CREATE TABLE it without TEMPORARY",
        )
    partition = partition_spec_of(node.partition, context) if node.partition is not None else None
    named = tuple(key for key, _ in node.partition.values) if node.partition is not None else ()
    _check_keys(found, named, context, node.partition.span if node.partition is not None else node.path_span)
    return AnalyzeTableOperation(found.identifier, found.table.partition_keys, partition, _columns(node, found, context))


def _check_keys(found: FoundTable, named: tuple[str, ...], context: StatementContext, span: Span | None) -> None:
    keys = found.table.partition_keys
    if set(named) == set(keys):
        return
    if not keys:
        raise ValidationException(f"{found.identifier} is not partitioned, so PARTITION is not accepted.", position=context.position(span))
    raise ValidationException(
        f"ANALYZE TABLE of the partitioned table {found.identifier} names all partition keys ({', '.join(keys)}), "
        f"but got {', '.join(named) or 'none'}.",
        position=context.position(span),
        hint=f"PARTITION ({', '.join(keys)}) is all partitions; PARTITION ({keys[0]} = …) those with a value",
    )


def _columns(node: AnalyzeTable, found: FoundTable, context: StatementContext) -> tuple[str, ...]:
    columns = {column.name: column for column in found.table.resolved_schema.columns}
    physical = tuple(name for name, column in columns.items() if column.is_physical())
    if node.all_columns:
        return physical
    for name in node.columns:
        if name not in columns:
            raise ValidationException.unknown("Column", name, physical, where=str(found.identifier), position=context.position(node.span))
        if name not in physical:
            raise ValidationException(
                f"Only physical columns have statistics, but '{name}' of {found.identifier} is computed or metadata.",
                position=context.position(node.span),
            )
    return tuple(dict.fromkeys(node.columns))
