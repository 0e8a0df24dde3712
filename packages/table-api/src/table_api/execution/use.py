"""USE."""

from __future__ import annotations

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.command import (
    UseCatalogOperation,
    UseDatabaseOperation,
)
from table_api.table_result import TableResult


@execute.register(UseCatalogOperation)
def _use_catalog(operation: UseCatalogOperation, session: TableSession) -> TableResult:
    session.catalog_manager.set_current_catalog(operation.name)
    return ok()


@execute.register(UseDatabaseOperation)
def _use_database(operation: UseDatabaseOperation, session: TableSession) -> TableResult:
    session.catalog_manager.set_current_database(operation.database_name, operation.catalog_name)
    return ok()
