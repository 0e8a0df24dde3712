"""Statements about the session whose names or literals are resolved: USE, SHOW PARTITIONS and CALL."""

from __future__ import annotations

from table_api.operations import Operation
from table_api.operations.command import CallProcedureOperation, ShowOperation, UseDatabaseOperation
from table_api.sql.ast import CallProcedure, ShowPartitions, UseDatabase
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_api.sql.conversion.partition import partition_spec_of
from table_common.exceptions import ValidationException


@convert.register(UseDatabase)
def _use(node: UseDatabase, context: StatementContext) -> Operation:
    if len(node.path) > 2:
        raise ValidationException(
            f"USE accepts a database or catalog.database, but got {'.'.join(node.path)}.", position=context.position(node.path_span)
        )
    catalog = node.path[0] if len(node.path) == 2 else context.session.tables.qualify(("_",)).catalog_name
    return UseDatabaseOperation(catalog, node.path[-1])


@convert.register(ShowPartitions)
def _show_partitions(node: ShowPartitions, context: StatementContext) -> Operation:
    partition = partition_spec_of(node.partition, context) if node.partition is not None else None
    return ShowOperation("PARTITIONS", node.path, partition=partition)


@convert.register(CallProcedure)
def _call(node: CallProcedure, context: StatementContext) -> Operation:
    identifier = context.session.tables.qualify(node.path)
    return CallProcedureOperation(identifier, node.args, context.text, node.path_span)
