"""The methods of ``TableEnvironment`` about catalogs, databases, tables and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.catalog import CatalogDescriptor, QueryOperationCatalogView
from table_api.execution import TableSession
from table_common.catalog import Catalog, CatalogBaseTable, CatalogView, Schema, parse_path

if TYPE_CHECKING:
    from table_api.table import Table
    from table_api.table_descriptor import TableDescriptor

__all__ = ["CatalogMethods"]


class CatalogMethods:
    """Creates, drops and lists the objects of catalogs."""

    _session: TableSession

    # --- tables and views ---------------------------------------------------------------------------------------------------------

    def create_temporary_view(self, view_path: str, table: Table) -> None:
        """Gives a table a name in this session; it hides a table or view of that name in a catalog."""
        self._create(view_path, _view_of(table), is_temporary=True)

    def create_view(self, view_path: str, table: Table, ignore_if_exists: bool = False) -> None:
        """Stores a table's query as a view: as SQL with full names, which every session with the catalog can read.

        Raises:
            ValidationException: the query holds what SQL cannot name: Python values, a DataFrame, a function that is not registered.
        """
        schema = Schema.new_builder().from_resolved_schema(table.get_resolved_schema()).build()
        query = self._session.query_text(table.query_operation)
        self._create(view_path, CatalogView(schema, original_query=query, expanded_query=query), ignore_if_exists)

    def create_temporary_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803
        """Gives the table of a descriptor a name in this session."""
        self._create(path, descriptor.to_catalog_table(), ignoreIfExists, is_temporary=True)

    def create_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803
        """Stores the table of a descriptor in its catalog."""
        self._create(path, descriptor.to_catalog_table(), ignoreIfExists)

    def drop_temporary_view(self, view_path: str) -> bool:
        """Drops a temporary view; returns whether there was one."""
        return self._drop(view_path, True, is_temporary=True, is_view=True)

    def drop_temporary_table(self, table_path: str) -> bool:
        """Drops a temporary table; returns whether there was one."""
        return self._drop(table_path, True, is_temporary=True)

    def drop_table(self, table_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drops a table of a catalog; its data stays. Returns whether there was one."""
        return self._drop(table_path, ignore_if_not_exists)

    def drop_view(self, view_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drops a view of a catalog; returns whether there was one."""
        return self._drop(view_path, ignore_if_not_exists, is_view=True)

    def list_tables(self, *, temporary: bool = True) -> list[str]:
        """Returns the names of the tables and views of the current database, sorted; ``temporary=False``: only of those in the catalog."""
        return self._session.catalog_manager.list_tables(temporary_too=temporary)

    def list_views(self, *, temporary: bool = True) -> list[str]:
        """Returns the names of the views of the current database, sorted; ``temporary=False``: only of those in the catalog."""
        return self._session.catalog_manager.list_views(temporary_too=temporary)

    def list_temporary_tables(self) -> list[str]:
        """Returns the names of all temporary tables and views of the current database, sorted."""
        return self._session.catalog_manager.list_temporary_tables()

    def list_temporary_views(self) -> list[str]:
        """Returns the names of all temporary views of the current database, sorted."""
        return self._session.catalog_manager.list_temporary_views()

    # --- catalogs ----------------------------------------------------------------------------------------------------------------

    def register_catalog(self, catalog_name: str, catalog: Catalog) -> None:
        """Adds a catalog and opens it."""
        self._session.catalog_manager.register_catalog(catalog_name, catalog)

    def create_catalog(self, catalog_name: str, catalog_descriptor: CatalogDescriptor) -> None:
        """Makes a catalog from its options, of which ``type`` names the kind, and adds it."""
        self._session.catalog_manager.create_catalog(catalog_name, catalog_descriptor)

    def get_catalog(self, catalog_name: str) -> Catalog | None:
        """Returns a catalog, or None if there is none of that name."""
        return self._session.catalog_manager.find_catalog(catalog_name)

    def list_catalogs(self) -> list[str]:
        """Returns the names of all catalogs, sorted."""
        return self._session.catalog_manager.list_catalogs()

    def list_databases(self) -> list[str]:
        """Returns the names of all databases of the current catalog, sorted."""
        return self._session.catalog_manager.list_databases()

    def use_catalog(self, catalog_name: str) -> None:
        """Makes a catalog and its default database current."""
        self._session.catalog_manager.set_current_catalog(catalog_name)

    def use_database(self, database_name: str) -> None:
        """Makes a database of the current catalog current."""
        self._session.catalog_manager.set_current_database(database_name)

    def get_current_catalog(self) -> str:
        """Returns the name of the current catalog."""
        return self._session.catalog_manager.current_catalog

    def get_current_database(self) -> str:
        """Returns the name of the current database."""
        return self._session.catalog_manager.current_database

    def _create(self, path: str, table: CatalogBaseTable, ignore_if_exists: bool = False, is_temporary: bool = False) -> None:
        manager = self._session.catalog_manager
        manager.create_table(manager.qualify(parse_path(path)), table, ignore_if_exists, is_temporary)

    def _drop(self, path: str, ignore_if_not_exists: bool, *, is_temporary: bool = False, is_view: bool = False) -> bool:
        manager = self._session.catalog_manager
        return manager.drop_table(manager.qualify(parse_path(path)), ignore_if_not_exists, is_temporary, is_view)


def _view_of(table: Table) -> QueryOperationCatalogView:
    schema = Schema.new_builder().from_resolved_schema(table.get_resolved_schema()).build()
    return QueryOperationCatalogView(schema, operation=table.query_operation)
