"""ALTER of tables, views and databases, and RENAME."""

from __future__ import annotations

from table_api.catalog.view_expansion import CycleOfViews
from table_api.execution.create_view import refuse_cycle
from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import AlterDatabaseOperation, AlterTableOperation, AlterViewOperation, RenameTableOperation
from table_api.table_result import TableResult
from table_common.catalog import CatalogView
from table_common.exceptions import CatalogException, TableError


@execute.register(AlterTableOperation)
def _alter_table(operation: AlterTableOperation, session: TableSession) -> TableResult:
    session.catalog_manager.alter_table(operation.identifier, operation.new_table, operation.ignore_if_not_exists, operation.old_table)
    return ok()


@execute.register(AlterViewOperation)
def _alter_view(operation: AlterViewOperation, session: TableSession) -> TableResult:
    refuse_cycle(operation.identifier, operation.new_view, session)
    session.catalog_manager.alter_table(operation.identifier, operation.new_view, operation.ignore_if_not_exists)
    return ok()


@execute.register(RenameTableOperation)
def _rename_table(operation: RenameTableOperation, session: TableSession) -> TableResult:
    old, new = operation.identifier, operation.new_identifier
    if old.parts[:2] != new.parts[:2]:
        raise CatalogException(f"{old} can only be renamed within its database, but the new name is {new}.")
    found = session.catalog_manager.get_object(old)
    if found is not None and isinstance(found[0], CatalogView) != operation.is_view:
        kind = "view" if isinstance(found[0], CatalogView) else "table"
        raise CatalogException(f"{old} is a {kind}.", hint=f"ALTER {kind.upper()} … RENAME TO …")
    session.catalog_manager.rename_table(old, new.object_name, operation.ignore_if_not_exists)
    from table_api.catalog.query_view import QueryOperationCatalogView  # few views are made of tables

    if found is not None and isinstance(found[0], CatalogView) and not isinstance(found[0], QueryOperationCatalogView):
        try:
            refuse_cycle(new, found[0], session)
        except CycleOfViews:
            session.catalog_manager.rename_table(new, old.object_name)
            raise
        except TableError:
            pass  # it could not be read under its old name, too
    return ok()


@execute.register(AlterDatabaseOperation)
def _alter_database(operation: AlterDatabaseOperation, session: TableSession) -> TableResult:
    session.catalog_manager.alter_database(operation.catalog_name, operation.database_name, operation.new_database.properties)
    return ok()
