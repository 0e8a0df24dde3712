"""CREATE, DROP and ALTER."""

from __future__ import annotations

from table_api.catalog import CatalogDescriptor
from table_api.catalog.query_view import QueryOperationCatalogView
from table_api.catalog.view_expansion import CycleOfViews
from table_api.delegation import FoundView
from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.schema_inference import with_inferred_schema
from table_api.execution.session import TableSession
from table_api.operations.ddl import (
    AlterDatabaseOperation,
    AlterTableOperation,
    AlterViewOperation,
    CreateCatalogOperation,
    CreateDatabaseOperation,
    CreateTableOperation,
    CreateViewOperation,
    DropCatalogOperation,
    DropDatabaseOperation,
    DropTableOperation,
    DropViewOperation,
    RenameTableOperation,
)
from table_api.table_result import TableResult
from table_common.catalog import CatalogDatabase, CatalogView, ObjectIdentifier
from table_common.exceptions import CatalogException, TableError


@execute.register(CreateTableOperation)
def _create_table(operation: CreateTableOperation, session: TableSession) -> TableResult:
    table = operation.catalog_table
    exists = operation.ignore_if_exists and session.catalog_manager.get_object(operation.identifier) is not None
    if not table.schema.columns and not exists:
        table = with_inferred_schema(table, operation.identifier, operation.is_temporary, session.configuration)
    session.catalog_manager.create_table(operation.identifier, table, operation.ignore_if_exists, operation.is_temporary)
    return ok()


@execute.register(CreateViewOperation)
def _create_view(operation: CreateViewOperation, session: TableSession) -> TableResult:
    if session.catalog_manager.get_object(operation.identifier) is not None:  # the query may now refer to the view itself
        _refuse_cycle(operation.identifier, operation.catalog_view, session)
    session.catalog_manager.create_table(
        operation.identifier, operation.catalog_view, operation.ignore_if_exists, operation.is_temporary, operation.replace
    )
    return ok()


def _refuse_cycle(identifier: ObjectIdentifier, view: CatalogView, session: TableSession) -> None:
    session.expand_view(FoundView(identifier, False, query=view.expanded_query))


@execute.register(CreateDatabaseOperation)
def _create_database(operation: CreateDatabaseOperation, session: TableSession) -> TableResult:
    session.catalog_manager.create_database(operation.catalog_name, operation.database_name, operation.database, operation.ignore_if_exists)
    return ok()


@execute.register(CreateCatalogOperation)
def _create_catalog(operation: CreateCatalogOperation, session: TableSession) -> TableResult:
    descriptor = CatalogDescriptor(dict(operation.options), operation.comment)
    session.catalog_manager.create_catalog(operation.name, descriptor, operation.ignore_if_exists)
    return ok()


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


@execute.register(AlterTableOperation)
def _alter_table(operation: AlterTableOperation, session: TableSession) -> TableResult:
    session.catalog_manager.alter_table(operation.identifier, operation.new_table, operation.ignore_if_not_exists, operation.old_table)
    return ok()


@execute.register(AlterViewOperation)
def _alter_view(operation: AlterViewOperation, session: TableSession) -> TableResult:
    _refuse_cycle(operation.identifier, operation.new_view, session)
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
    if found is not None and isinstance(found[0], CatalogView) and not isinstance(found[0], QueryOperationCatalogView):
        try:
            _refuse_cycle(new, found[0], session)
        except CycleOfViews:
            session.catalog_manager.rename_table(new, old.object_name)
            raise
        except TableError:
            pass  # it could not be read under its old name, too
    return ok()


@execute.register(AlterDatabaseOperation)
def _alter_database(operation: AlterDatabaseOperation, session: TableSession) -> TableResult:
    catalog = session.catalog_manager.get_catalog(operation.catalog_name)
    with catalog.transaction():
        database = catalog.get_database(operation.database_name)
        properties = {**database.properties, **operation.new_database.properties}
        catalog.alter_database(operation.database_name, CatalogDatabase(properties, database.comment), False)
    return ok()
