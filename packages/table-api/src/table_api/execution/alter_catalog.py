"""ALTER CATALOG: reopens the catalog with its new options."""

from __future__ import annotations

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import AlterCatalogOperation
from table_api.table_result import TableResult
from table_common.catalog import CatalogDescriptor


@execute.register(AlterCatalogOperation)
def _alter_catalog(operation: AlterCatalogOperation, session: TableSession) -> TableResult:
    def changed(declared: CatalogDescriptor) -> CatalogDescriptor:
        options = {key: value for key, value in declared.options.items() if key not in operation.reset_keys}
        comment = operation.comment if operation.comment is not None else declared.comment
        return CatalogDescriptor({**options, **operation.options}, comment)

    session.catalog_manager.alter_catalog(operation.name, changed)
    return ok()
