"""ALTER TABLE ADD and DROP PARTITION, SHOW PARTITIONS."""

from __future__ import annotations

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import AddPartitionsOperation, DropPartitionsOperation
from table_api.table_result import TableResult
from table_common.catalog import Catalog, CatalogTable, CatalogView, ObjectIdentifier, ObjectPath
from table_common.exceptions import CatalogException


@execute.register(AddPartitionsOperation)
def _add(operation: AddPartitionsOperation, session: TableSession) -> TableResult:
    found = permanent_table(operation.identifier, session, operation.ignore_if_table_not_exists)
    if found is not None:
        catalog, path, _ = found
        with catalog.transaction():
            for spec, partition in operation.partitions:
                catalog.create_partition(path, spec, partition, operation.ignore_if_exists)
    return ok()


@execute.register(DropPartitionsOperation)
def _drop(operation: DropPartitionsOperation, session: TableSession) -> TableResult:
    found = permanent_table(operation.identifier, session, operation.ignore_if_table_not_exists)
    if found is not None:
        catalog, path, table = found
        with catalog.transaction():
            for spec in operation.partitions:
                completed = spec.completed(table.partition_keys, f"table {path}")
                catalog.drop_partition(path, completed, operation.ignore_if_not_exists)
    return ok()


def permanent_table(
    identifier: ObjectIdentifier, session: TableSession, ignore_if_not_exists: bool = False
) -> tuple[Catalog, ObjectPath, CatalogTable] | None:
    """Returns a table's catalog, its path in it and its definition; None if it does not exist and IF EXISTS is given.

    Raises:
        CatalogException: it does not exist, is a view, or is temporary; only tables in a catalog have partitions and statistics.
    """
    manager = session.catalog_manager
    found = manager.get_object(identifier)
    if found is None:
        if ignore_if_not_exists:
            return None
        raise manager.table_not_found(identifier.parts)
    table, is_temporary = found
    if isinstance(table, CatalogView):
        raise CatalogException(f"{identifier} is a view, which has no partitions.")
    if is_temporary:
        raise CatalogException(
            f"{identifier} is a temporary table: only catalogs store partitions.", hint="CREATE TABLE it without TEMPORARY"
        )
    assert isinstance(table, CatalogTable)
    return manager.get_catalog(identifier.catalog_name), identifier.to_object_path(), table
