"""DROP."""

from __future__ import annotations

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import DropCatalogOperation, DropDatabaseOperation, DropTableOperation, DropViewOperation
from table_api.table_result import TableResult


@execute.register(DropTableOperation)
def _drop_table(operation: DropTableOperation, session: TableSession) -> TableResult:
    session.catalog_manager.drop_table(operation.identifier, operation.ignore_if_not_exists, operation.is_temporary)
    return ok()


@execute.register(DropViewOperation)
def _drop_view(operation: DropViewOperation, session: TableSession) -> TableResult:
    session.catalog_manager.drop_table(operation.identifier, operation.ignore_if_not_exists, operation.is_temporary, is_view=True)
    return ok()


@execute.register(DropDatabaseOperation)
def _drop_database(operation: DropDatabaseOperation, session: TableSession) -> TableResult:
    session.catalog_manager.drop_database(
        operation.catalog_name, operation.database_name, operation.ignore_if_not_exists, operation.cascade
    )
    return ok()


@execute.register(DropCatalogOperation)
def _drop_catalog(operation: DropCatalogOperation, session: TableSession) -> TableResult:
    session.catalog_manager.drop_catalog(operation.name, operation.ignore_if_not_exists)
    return ok()
