"""DROP."""

from __future__ import annotations

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import DropCatalogOperation, DropDatabaseOperation, DropTableOperation, DropViewOperation
from table_api.table_result import TableResult
from table_common.catalog import CatalogMaterializedTable, CatalogTable, ObjectIdentifier
from table_common.exceptions import ValidationException


@execute.register(DropTableOperation)
def _drop_table(operation: DropTableOperation, session: TableSession) -> TableResult:
    if not operation.is_temporary:
        require_ordinary(operation.identifier, session, "DROP MATERIALIZED TABLE")
    drop_with_rows(operation.identifier, session, operation.ignore_if_not_exists, operation.is_temporary)
    return ok()


def drop_with_rows(identifier: ObjectIdentifier, session: TableSession, ignore_if_not_exists: bool, is_temporary: bool = False) -> bool:
    """Drops a table, and the rows that its catalog keeps; returns whether it existed. Rows go first: if that is cut short, the statement is repeated."""
    manager = session.catalog_manager
    found = None if is_temporary else manager.get_object(identifier)
    if found is not None and not found[1] and isinstance(found[0], CatalogTable):
        manager.get_catalog(identifier.catalog_name).remove_managed_rows(found[0])
    return manager.drop_table(identifier, ignore_if_not_exists, is_temporary)


def require_ordinary(identifier: ObjectIdentifier, session: TableSession, instead: str) -> None:
    """Raises a ``ValidationException`` if a table is a materialized one, which the statement does not change; ``instead`` is a statement that does."""
    found = session.catalog_manager.get_object(identifier)
    if found is not None and isinstance(found[0], CatalogMaterializedTable):
        raise ValidationException(f"{identifier} is a materialized table, not a table.", hint=instead)


@execute.register(DropViewOperation)
def _drop_view(operation: DropViewOperation, session: TableSession) -> TableResult:
    session.catalog_manager.drop_table(operation.identifier, operation.ignore_if_not_exists, operation.is_temporary, is_view=True)
    return ok()


@execute.register(DropDatabaseOperation)
def _drop_database(operation: DropDatabaseOperation, session: TableSession) -> TableResult:
    _require_no_materialized_tables(operation, session)
    session.catalog_manager.drop_database(
        operation.catalog_name, operation.database_name, operation.ignore_if_not_exists, operation.cascade
    )
    return ok()


def _require_no_materialized_tables(operation: DropDatabaseOperation, session: TableSession) -> None:
    """A materialized table may have a job, which DROP MATERIALIZED TABLE ends."""
    catalog = session.catalog_manager.find_catalog(operation.catalog_name) if operation.cascade else None
    if catalog is None or not catalog.database_exists(operation.database_name):
        return
    names = catalog.list_materialized_tables(operation.database_name)
    if names:
        raise ValidationException(
            f"Database '{operation.database_name}' of catalog '{operation.catalog_name}' has materialized tables: {', '.join(names)}.",
            hint="DROP MATERIALIZED TABLE them first: that ends their jobs",
        )


@execute.register(DropCatalogOperation)
def _drop_catalog(operation: DropCatalogOperation, session: TableSession) -> TableResult:
    session.catalog_manager.drop_catalog(operation.name, operation.ignore_if_not_exists)
    return ok()
