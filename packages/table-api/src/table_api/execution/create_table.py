"""CREATE TABLE."""

from __future__ import annotations

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import CreateTableOperation
from table_api.table_result import TableResult


@execute.register(CreateTableOperation)
def _create_table(operation: CreateTableOperation, session: TableSession) -> TableResult:
    table = operation.catalog_table
    exists = operation.ignore_if_exists and session.catalog_manager.get_object(operation.identifier) is not None
    if not table.schema.columns and not exists:
        from table_api.execution.schema_inference import with_inferred_schema  # few tables have no columns

        table = with_inferred_schema(table, operation.identifier, operation.is_temporary, session.configuration)
    session.catalog_manager.create_table(operation.identifier, table, operation.ignore_if_exists, operation.is_temporary)
    return ok()
