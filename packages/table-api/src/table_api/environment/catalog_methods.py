"""The methods of ``TableEnvironment`` about catalogs, databases, tables and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.environment.session_holder import SessionHolder
from table_api.execution import TableSession
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api.catalog import CatalogDescriptor, QueryOperationCatalogView
    from table_api.table_descriptor import TableDescriptor
    from table_api.tables.table import Table
    from table_common.catalog import Catalog, CatalogBaseTable


class CatalogMethods(SessionHolder):
    """Creates, drops and lists the objects of catalogs."""

    # --- tables and views ---------------------------------------------------------------------------------------------------------

    def create_temporary_view(self, view_path: str, table_or_data_stream: Table | object) -> None:
        """Registers a table as a view of this session, which hides a table or view of the same name in a catalog.

        Args:
            view_path: the name of the view, with its catalog and database if they are not the current ones.
            table_or_data_stream: a table, or data of this process that ``from_arrow`` accepts: of pyarrow, pandas, polars, DuckDB and others.

        Raises:
            CatalogException: a temporary table or view of that name exists.
            ValidationException: it is neither a table nor Arrow data.
        """
        self._create(view_path, _view_of(self._session, table_or_data_stream), is_temporary=True)

    def create_view(self, view_path: str, table: Table, ignore_if_exists: bool = False) -> None:
        """Stores a table's query as a view of a catalog, in SQL with full names, for every session that uses the catalog.

        Raises:
            ValidationException: SQL cannot express the query: it uses Python values, a DataFrame or an unregistered function.
            CatalogException: a table or view of that name exists and ``ignore_if_exists`` is false.
        """
        from table_common.catalog import CatalogView, Schema  # few programs call these methods

        schema = Schema.new_builder().from_resolved_schema(table.get_resolved_schema()).build()
        query = self._session.query_text(table.query_operation)
        self._create(view_path, CatalogView(schema, original_query=query, expanded_query=query), ignore_if_exists)

    def create_temporary_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803
        """Registers the table of a descriptor in this session.

        Raises:
            ValidationException: the descriptor has no schema.
            CatalogException: a temporary table or view of that name exists and ``ignoreIfExists`` is false.
        """
        self._create(path, descriptor.to_catalog_table(), ignoreIfExists, is_temporary=True)

    def create_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803
        """Stores the table of a descriptor in a catalog.

        Raises:
            ValidationException: the descriptor has no schema.
            CatalogException: a table or view of that name exists and ``ignoreIfExists`` is false.
        """
        self._create(path, descriptor.to_catalog_table(), ignoreIfExists)

    def drop_temporary_view(self, view_path: str) -> bool:
        """Drops a temporary view; returns whether it existed."""
        return self._drop(view_path, True, is_temporary=True, is_view=True)

    def drop_temporary_table(self, table_path: str) -> bool:
        """Drops a temporary table; returns whether it existed."""
        return self._drop(table_path, True, is_temporary=True)

    def drop_table(self, table_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drops a table of a catalog and returns whether it existed; the data of its connector is not deleted.

        Raises:
            CatalogException: it does not exist and ``ignore_if_not_exists`` is false, or a temporary table hides it.
        """
        return self._drop(table_path, ignore_if_not_exists)

    def drop_view(self, view_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drops a view of a catalog and returns whether it existed; the errors are those of ``drop_table``."""
        return self._drop(view_path, ignore_if_not_exists, is_view=True)

    def list_tables(self, *, temporary: bool = True) -> list[str]:
        """Returns the names of tables and views in the current database, sorted; ``temporary=False`` leaves out temporary ones."""
        return self._session.catalog_manager.list_tables(temporary_too=temporary)

    def list_views(self, *, temporary: bool = True) -> list[str]:
        """Returns the names of views in the current database, sorted; ``temporary=False`` leaves out temporary ones."""
        return self._session.catalog_manager.list_views(temporary_too=temporary)

    def list_temporary_tables(self) -> list[str]:
        """Returns the names of temporary tables and views in the current database, sorted."""
        return self._session.catalog_manager.list_temporary_tables()

    def list_temporary_views(self) -> list[str]:
        """Returns the names of temporary views in the current database, sorted."""
        return self._session.catalog_manager.list_temporary_views()

    # --- catalogs ----------------------------------------------------------------------------------------------------------------

    def register_catalog(self, catalog_name: str, catalog: Catalog) -> None:
        """Registers a catalog and opens it.

        Raises:
            CatalogException: a catalog of that name exists, or it cannot be opened.
        """
        self._session.catalog_manager.register_catalog(catalog_name, catalog)

    def create_catalog(self, catalog_name: str, catalog_descriptor: CatalogDescriptor) -> None:
        """Creates a catalog from a descriptor, whose option ``type`` names the catalog factory, and registers it.

        Raises:
            ValidationException: the type or an option is unknown, or it is not a descriptor.
            CatalogException: a catalog of that name exists, or it cannot be opened.
        """
        self._session.catalog_manager.create_catalog(catalog_name, _descriptor_of(catalog_name, catalog_descriptor))

    def get_catalog(self, catalog_name: str) -> Catalog | None:
        """Returns a catalog, or None if it does not exist."""
        return self._session.catalog_manager.find_catalog(catalog_name)

    def list_materialized_tables(self) -> list[str]:
        """Returns the names of the materialized tables of the current database, sorted."""
        manager = self._session.catalog_manager
        return manager.get_catalog(manager.current_catalog).list_materialized_tables(manager.current_database)

    def list_catalogs(self) -> list[str]:
        """Returns the names of all catalogs, sorted."""
        return self._session.catalog_manager.list_catalogs()

    def list_databases(self) -> list[str]:
        """Returns the names of all databases of the current catalog, sorted."""
        return self._session.catalog_manager.list_databases()

    def use_catalog(self, catalog_name: str) -> None:
        """Sets the current catalog, and as current database its default.

        Raises:
            CatalogException: it does not exist.
        """
        self._session.catalog_manager.set_current_catalog(catalog_name)

    def use_database(self, database_name: str) -> None:
        """Sets the current database, in the current catalog.

        Raises:
            CatalogException: it does not exist.
        """
        self._session.catalog_manager.set_current_database(database_name)

    def get_current_catalog(self) -> str:
        """Returns the name of the current catalog."""
        return self._session.catalog_manager.current_catalog

    def get_current_database(self) -> str:
        """Returns the name of the current database."""
        return self._session.catalog_manager.current_database

    def _create(self, path: str, table: CatalogBaseTable, ignore_if_exists: bool = False, is_temporary: bool = False) -> None:
        manager = self._session.catalog_manager
        from table_common.catalog import parse_path  # few programs call these methods

        manager.create_table(manager.qualify(parse_path(path)), table, ignore_if_exists, is_temporary)

    def _drop(self, path: str, ignore_if_not_exists: bool, *, is_temporary: bool = False, is_view: bool = False) -> bool:
        manager = self._session.catalog_manager
        from table_common.catalog import parse_path  # few programs call these methods

        identifier = manager.qualify(parse_path(path))
        if is_view or is_temporary:
            return manager.drop_table(identifier, ignore_if_not_exists, is_temporary, is_view)
        from table_api.execution.drop import drop_with_rows, require_ordinary

        require_ordinary(identifier, self._session, "DROP MATERIALIZED TABLE")
        return drop_with_rows(identifier, self._session, ignore_if_not_exists)


def _view_of(session: TableSession, table: Table | object) -> QueryOperationCatalogView:
    from table_api.tables.table import Table

    if isinstance(table, Table):
        operation = table.query_operation
    else:
        from table_api.python_data.arrow_scan import operation_of_data

        operation = operation_of_data(session, table)
    from table_common.catalog import Schema  # few programs call these methods

    schema = Schema.new_builder().from_resolved_schema(operation.resolved_schema).build()
    from table_api.catalog import QueryOperationCatalogView  # few programs call these methods

    return QueryOperationCatalogView(schema, operation=operation)


def _descriptor_of(name: str, given: object) -> CatalogDescriptor:
    from table_api.catalog import CatalogDescriptor  # few programs call these methods

    if not isinstance(given, CatalogDescriptor):
        raise ValidationException(
            f"create_catalog takes a CatalogDescriptor, but got {type(given).__qualname__}.",
            hint=f"CatalogDescriptor.of({name!r}, {{'type': …}})",
        )
    return given
