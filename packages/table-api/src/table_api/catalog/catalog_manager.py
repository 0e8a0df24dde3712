"""The catalogs of a session, the current catalog and database, and lookup of tables: temporary objects first, then the catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING

from table_api.catalog.catalog_registry import CatalogRegistry, configured_store
from table_api.catalog.in_memory_catalog import GenericInMemoryCatalog
from table_api.catalog.query_view import QueryOperationCatalogView
from table_api.catalog.schema_resolution import SchemaResolver, with_sql_text
from table_api.catalog.temporary_objects import TemporaryObjects
from table_api.delegation.session import FoundTable, FoundView
from table_common.catalog import Catalog, CatalogBaseTable, CatalogDatabase, CatalogDescriptor, CatalogTable, CatalogView, ObjectIdentifier
from table_common.catalog_exceptions import DatabaseNotExistException, TableNotExistException
from table_common.configuration import ReadableConfig, TableConfigOptions
from table_common.exceptions import CatalogConflictException, CatalogException, SourcePosition, ValidationException
from table_common.object_names import check_no_nul

if TYPE_CHECKING:
    from table_api.catalog.catalog_listeners import Told
    from table_common.connector.source import TableStats


class CatalogManager:
    """Looks up, creates and drops catalogs, databases, tables and views; safe to use from several threads.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogManager``.
    """

    def __init__(
        self,
        catalog_name: str = "default_catalog",
        database_name: str = "default_database",
        schema_resolver: SchemaResolver | None = None,
        configuration: ReadableConfig | None = None,
        external: Mapping[str, object] | None = None,
    ) -> None:
        """``configuration``, which names the catalog store, and ``external`` are passed to the factories of catalogs."""
        configuration = configuration if configuration is not None else ReadableConfig()
        self._catalogs = CatalogRegistry(lambda: configured_store(configuration), configuration, dict(external or {}))
        if "table.catalog-store.kind" in configuration:  # report a wrong store now, not at the first lookup
            self._catalogs.open_store()
        self._catalogs.register(catalog_name, GenericInMemoryCatalog(catalog_name, database_name))
        self._current = (catalog_name, database_name)
        self._temporary = TemporaryObjects()
        self._lock = RLock()
        self._changed: Told = lambda make_event: None
        if configuration.get(TableConfigOptions.TABLE_CATALOG_MODIFICATION_LISTENERS):
            from table_api.catalog.catalog_listeners import listeners_of  # few sessions have listeners

            self._changed = listeners_of(configuration)
        self.schema_resolver = schema_resolver or SchemaResolver()

    # --- catalogs ----------------------------------------------------------------------------------------------------------------

    def register_catalog(self, name: str, catalog: Catalog) -> None:
        """Registers a catalog and opens it.

        Raises:
            CatalogException: a catalog of that name exists, or it cannot be opened.
        """
        self._catalogs.register(name, catalog)

    def create_catalog(self, name: str, descriptor: CatalogDescriptor, ignore_if_exists: bool = False) -> None:
        """Creates a catalog with the factory that its option ``type`` names, registers it, and stores its descriptor in the catalog store.

        Raises:
            ValidationException: the type is missing or unknown, or an option is wrong.
            CatalogException: a catalog of that name exists and ``ignore_if_exists`` is false, or it cannot be opened.
        """
        self._catalogs.create(name, descriptor, ignore_if_exists)

    def alter_catalog(
        self, name: str, change: Callable[[CatalogDescriptor], CatalogDescriptor], ignore_if_not_exists: bool = False
    ) -> None:
        """Changes the descriptor of a catalog and reopens it; if that fails, the old catalog stays open.

        Raises:
            CatalogException: it does not exist, or was registered as an object.
            CatalogConflictException: another process altered it.
        """
        self._catalogs.alter(name, change, ignore_if_not_exists)

    def drop_catalog(self, name: str, ignore_if_not_exists: bool = False) -> None:
        """Closes a catalog and removes it with its descriptor; its data is not deleted.

        Raises:
            CatalogException: it is the current catalog, or does not exist and ``ignore_if_not_exists`` is false.
        """
        with self._lock:
            if name not in self._catalogs and ignore_if_not_exists:
                return
            if name == self._current[0]:
                raise CatalogException(f"Catalog '{name}' is in use.", hint="USE CATALOG another one first")
            self._catalogs.drop(name)

    def get_catalog(self, name: str) -> Catalog:
        """Returns a catalog.

        Raises:
            CatalogException: it does not exist.
        """
        return self._catalogs.get(name)

    def find_catalog(self, name: str) -> Catalog | None:
        """Returns a catalog, or None if it does not exist."""
        return self._catalogs.find(name)

    def get_descriptor(self, name: str) -> CatalogDescriptor | None:
        """Returns the descriptor of a catalog, or None if it was registered as an object.

        Raises:
            CatalogException: it does not exist.
        """
        if name not in self._catalogs:
            raise CatalogException.unknown("Catalog", name, self._catalogs)
        return self._catalogs.descriptor(name)

    def list_catalogs(self) -> list[str]:
        """Returns the names of all catalogs, sorted, including those of the catalog store that are not open."""
        return list(self._catalogs)

    def close(self) -> None:
        """Closes all catalogs."""
        self._catalogs.close()

    # --- current objects ---------------------------------------------------------------------------------------------------------

    @property
    def current_catalog(self) -> str:
        """The name of the current catalog."""
        return self._current[0]

    @property
    def current_database(self) -> str:
        """The name of the current database."""
        return self._current[1]

    def set_current_catalog(self, name: str) -> None:
        """Sets the current catalog, and as current database its default.

        Raises:
            CatalogException: it does not exist.
        """
        with self._lock:
            self._current = (name, self.get_catalog(name).default_database)

    def set_current_database(self, database_name: str, catalog_name: str | None = None) -> None:
        """Sets the current database, by default in the current catalog.

        Raises:
            CatalogException: the catalog or database does not exist.
        """
        with self._lock:
            catalog_name = catalog_name or self._current[0]
            self._check_database(catalog_name, database_name)
            self._current = (catalog_name, database_name)

    def qualify(self, path: tuple[str, ...]) -> ObjectIdentifier:
        """Completes a name of one to three parts with the current catalog and database.

        Raises:
            ValidationException: the name has another number of parts, or an empty part.
        """
        if not 1 <= len(path) <= 3 or not all(path):
            shown = ".".join(path)
            raise ValidationException(f"The name '{shown}' has {len(path)} parts or an empty one; accepted: [catalog.][database.]object.")
        catalog_name, database_name = self._current
        return ObjectIdentifier(*((catalog_name, database_name)[: 3 - len(path)]), *path)

    # --- databases ---------------------------------------------------------------------------------------------------------------

    def list_databases(self, catalog_name: str | None = None) -> list[str]:
        """Returns the names of databases in a catalog, by default the current one, sorted."""
        return self.get_catalog(catalog_name or self.current_catalog).list_databases()

    def create_database(self, catalog_name: str, name: str, database: CatalogDatabase, ignore_if_exists: bool = False) -> None:
        """Creates a database."""
        check_no_nul(name, "the name of a database")
        self.get_catalog(catalog_name).create_database(name, database, ignore_if_exists)
        self._changed(lambda events: events.CreateDatabase(catalog_name, name, database, ignore_if_exists))

    def drop_database(self, catalog_name: str, name: str, ignore_if_not_exists: bool = False, cascade: bool = False) -> None:
        """Drops a database; temporary objects under its name are kept.

        Raises:
            CatalogException: it is the current database, is not empty and ``cascade`` is false, or does not exist and that is not ignored.
        """
        with self._lock:
            if (catalog_name, name) == self._current:
                raise CatalogException(f"Database '{name}' is in use.", hint="USE another one first")
            self.get_catalog(catalog_name).drop_database(name, ignore_if_not_exists, cascade)
        self._changed(lambda events: events.DropDatabase(catalog_name, name, ignore_if_not_exists, cascade))

    def alter_database(self, catalog_name: str, name: str, properties: Mapping[str, str]) -> None:
        """Adds properties to a database, or replaces their values.

        Raises:
            CatalogException: the catalog or database does not exist.
        """
        catalog = self.get_catalog(catalog_name)
        with catalog.transaction():
            database = catalog.get_database(name)
            new_database = CatalogDatabase({**database.properties, **properties}, database.comment)
            catalog.alter_database(name, new_database, False)
        self._changed(lambda events: events.AlterDatabase(catalog_name, name, new_database))

    # --- tables and views --------------------------------------------------------------------------------------------------------

    def get_object(self, identifier: ObjectIdentifier) -> tuple[CatalogBaseTable, bool] | None:
        """Returns the table or view of this name, and whether it is temporary; None if it does not exist."""
        temporary = self._temporary.get(identifier)
        if temporary is not None:
            return temporary, True
        catalog = self._catalogs.find(identifier.catalog_name)
        table = catalog.find_table(identifier.to_object_path()) if catalog is not None else None
        return (table, False) if table is not None else None

    def find_table(self, path: tuple[str, ...]) -> FoundTable | FoundView | None:
        """Looks up a table or view, temporary ones first, and resolves its schema; None if it does not exist."""
        identifier = self.qualify(path)
        found = self.get_object(identifier)
        if found is None:
            return None
        table, is_temporary = found
        if isinstance(table, CatalogTable):
            return FoundTable(identifier, self.schema_resolver.resolve_table(table), is_temporary)
        operation = table.operation if isinstance(table, QueryOperationCatalogView) else None
        query = table.expanded_query if isinstance(table, CatalogView) and operation is None else None
        schema = operation.resolved_schema if operation is not None else self.schema_resolver.resolve(table.schema)
        return FoundView(identifier, is_temporary, schema, query, operation, dict(table.options))

    def table_statistics(self, identifier: ObjectIdentifier) -> TableStats:
        """Returns the statistics of a table in its catalog; unknown for a temporary table."""
        from table_api.catalog.known_statistics import known_statistics  # few statements need it
        from table_common.connector.source import TableStats

        catalog = self._catalogs.find(identifier.catalog_name)
        if catalog is None or self._temporary.get(identifier) is not None or not catalog.table_exists(identifier.to_object_path()):
            return TableStats.UNKNOWN
        return known_statistics(catalog, identifier.to_object_path())

    def table_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> CatalogException:
        """Returns the error for an unknown table: whether catalog, database or table is missing, and the existing names."""
        identifier = self.qualify(path)
        catalog = self._catalogs.find(identifier.catalog_name)
        temporary = self._temporary.names(identifier.catalog_name, identifier.database_name)
        if catalog is None and not temporary:
            return CatalogException.unknown("Catalog", identifier.catalog_name, self._catalogs, position=position)
        if not temporary and catalog is not None and not catalog.database_exists(identifier.database_name):
            where = f"catalog '{identifier.catalog_name}'"
            return DatabaseNotExistException.unknown(
                "Database", identifier.database_name, catalog.list_databases(), where=where, position=position
            )
        where = f"{identifier.catalog_name}.{identifier.database_name}"
        names = self.list_tables(identifier.catalog_name, identifier.database_name)
        return TableNotExistException.unknown("Table or view", identifier.object_name, names, where=where, position=position)

    def list_tables(self, catalog_name: str | None = None, database_name: str | None = None, *, temporary_too: bool = True) -> list[str]:
        """Returns the names of tables and views in a database, sorted, with or without temporary ones."""
        catalog_name, database_name = catalog_name or self.current_catalog, database_name or self.current_database
        if not temporary_too:
            return sorted(self._permanent(catalog_name, database_name, False, views_only=False))
        temporary = self._temporary.names(catalog_name, database_name)
        return sorted({*temporary, *self._permanent(catalog_name, database_name, bool(temporary), views_only=False)})

    def list_views(self, catalog_name: str | None = None, database_name: str | None = None, *, temporary_too: bool = True) -> list[str]:
        """Returns the names of views in a database, sorted, with or without temporary ones."""
        catalog_name, database_name = catalog_name or self.current_catalog, database_name or self.current_database
        if not temporary_too:
            return sorted(self._permanent(catalog_name, database_name, False, views_only=True))
        temporary = self._temporary.names(catalog_name, database_name)
        views = self._temporary.names(catalog_name, database_name, tables=False)
        permanent = self._permanent(catalog_name, database_name, bool(temporary), views_only=True)
        return sorted({*views, *(name for name in permanent if name not in temporary)})

    def list_temporary_tables(self) -> list[str]:
        """Returns the names of the current database's temporary tables and views, sorted."""
        return self._temporary.names(*self._current)

    def list_temporary_views(self) -> list[str]:
        """Returns the names of the current database's temporary views, sorted."""
        return self._temporary.names(*self._current, tables=False)

    def create_table(
        self,
        identifier: ObjectIdentifier,
        table: CatalogBaseTable,
        ignore_if_exists: bool = False,
        is_temporary: bool = False,
        replace: bool = False,
    ) -> None:
        """Creates a table or view; ``replace`` replaces an existing view.

        Raises:
            ValidationException: the definition is invalid.
            CatalogException: the database does not exist, or an object of that name exists and is neither ignored nor replaced.
        """
        if not is_temporary and isinstance(table, CatalogTable) and "connector" not in table.options:
            from table_api.catalog.warehouse import with_managed_options  # few tables have no connector

            table = with_managed_options(table, self._catalogs.find(identifier.catalog_name), identifier.to_object_path())
        resolved = self.schema_resolver.resolve_table(table) if isinstance(table, CatalogTable) else None
        if is_temporary:
            self._temporary.create(identifier, table, ignore_if_exists, replace)
            self._created(identifier, table, ignore_if_exists, is_temporary=True)
            return
        with self._transaction(identifier):
            catalog = self._check_database(identifier.catalog_name, identifier.database_name)
            if resolved is not None and not isinstance(catalog, GenericInMemoryCatalog):
                table = with_sql_text(resolved)
            if isinstance(table, QueryOperationCatalogView) and not isinstance(catalog, GenericInMemoryCatalog):
                raise CatalogException(
                    f"The view '{identifier.as_summary_string()}' of a Table cannot be stored by {type(catalog).__name__}, which stores SQL text.",
                    hint="use CREATE VIEW … AS, or create_temporary_view",
                )
            path = identifier.to_object_path()
            if replace and catalog.table_exists(path):
                catalog.alter_table(path, table, False)
            else:
                catalog.create_table(path, table, ignore_if_exists)
        self._created(identifier, table, ignore_if_exists, is_temporary=False)

    def drop_table(
        self, identifier: ObjectIdentifier, ignore_if_not_exists: bool = False, is_temporary: bool = False, is_view: bool = False
    ) -> bool:
        """Drops a table or view, in the catalog or a temporary one; returns whether it existed.

        Raises:
            CatalogException: it does not exist, is not of that kind, or a temporary object hides it.
        """
        if is_temporary:
            was_there = self._temporary.drop(identifier, view=is_view, ignore_if_not_exists=ignore_if_not_exists)
            if was_there:
                self._dropped(identifier, is_temporary=True)
            return was_there
        kind, other = ("view", "table") if is_view else ("table", "view")
        with self._transaction(identifier):
            self._check_not_hidden(identifier, "dropped")
            found = self.get_object(identifier)
            if found is None or isinstance(found[0], CatalogView) != is_view:
                if ignore_if_not_exists:
                    return False
                if found is not None:
                    raise CatalogException(f"'{identifier.as_summary_string()}' is a {other}, not a {kind}.", hint=f"DROP {other.upper()}")
                raise self.table_not_found(identifier.parts)
            self.get_catalog(identifier.catalog_name).drop_table(identifier.to_object_path(), False)
        self._dropped(identifier, is_temporary=False)
        return True

    def alter_table(
        self,
        identifier: ObjectIdentifier,
        new_table: CatalogBaseTable,
        ignore_if_not_exists: bool = False,
        expected: CatalogBaseTable | None = None,
    ) -> None:
        """Replaces a permanent table or view.

        Raises:
            CatalogException: it does not exist, or a temporary object hides it.
            CatalogConflictException: it differs from ``expected``: another session altered it since it was read.
        """
        resolved = self.schema_resolver.resolve_table(new_table) if isinstance(new_table, CatalogTable) else None
        with self._transaction(identifier):
            self._check_not_hidden(identifier, "altered")
            if self._missing(identifier, ignore_if_not_exists):
                return
            catalog, path = self.get_catalog(identifier.catalog_name), identifier.to_object_path()
            # Tables in memory are compared by identity: == of Table API expressions builds an expression.
            current = catalog.get_table(path)
            if expected is not None and (current is not expected if isinstance(catalog, GenericInMemoryCatalog) else current != expected):
                raise CatalogConflictException(f"{identifier} was altered by another session in the meantime.", hint="alter it again")
            if resolved is not None and not isinstance(catalog, GenericInMemoryCatalog):
                new_table = with_sql_text(resolved)
            catalog.alter_table(path, new_table, ignore_if_not_exists)
        self._changed(lambda events: events.AlterTable(identifier.catalog_name, identifier, new_table))

    def rename_table(self, identifier: ObjectIdentifier, new_name: str, ignore_if_not_exists: bool = False) -> None:
        """Renames a permanent table or view within its database.

        Raises:
            CatalogException: it does not exist, the new name is in use, or a temporary object hides it.
        """
        with self._transaction(identifier):
            self._check_not_hidden(identifier, "renamed")
            if self._missing(identifier, ignore_if_not_exists):
                return
            self.get_catalog(identifier.catalog_name).rename_table(identifier.to_object_path(), new_name, ignore_if_not_exists)
        self._changed(lambda events: events.RenameTable(identifier.catalog_name, identifier, new_name))

    # --- listeners ---------------------------------------------------------------------------------------------------------------

    def _created(self, identifier: ObjectIdentifier, table: CatalogBaseTable, ignore_if_exists: bool, *, is_temporary: bool) -> None:
        self._changed(lambda events: events.CreateTable(identifier.catalog_name, identifier, table, ignore_if_exists, is_temporary))

    def _dropped(self, identifier: ObjectIdentifier, *, is_temporary: bool) -> None:
        self._changed(lambda events: events.DropTable(identifier.catalog_name, identifier, is_temporary))

    # --- checks ------------------------------------------------------------------------------------------------------------------

    def _transaction(self, identifier: ObjectIdentifier) -> AbstractContextManager[object]:
        catalog = self._catalogs.find(identifier.catalog_name)
        return catalog.transaction() if catalog is not None else nullcontext()

    def _permanent(self, catalog_name: str, database_name: str, has_temporary: bool, *, views_only: bool) -> list[str]:
        catalog = self._catalogs.find(catalog_name)
        if has_temporary and (catalog is None or not catalog.database_exists(database_name)):
            return []
        catalog = self._check_database(catalog_name, database_name)
        return catalog.list_views(database_name) if views_only else catalog.list_tables(database_name)

    def _check_database(self, catalog_name: str, database_name: str) -> Catalog:
        catalog = self.get_catalog(catalog_name)
        if not catalog.database_exists(database_name):
            raise DatabaseNotExistException.unknown("Database", database_name, catalog.list_databases(), where=f"catalog '{catalog_name}'")
        return catalog

    def _check_not_hidden(self, identifier: ObjectIdentifier, done: str) -> None:
        temporary = self._temporary.get(identifier)
        if temporary is not None:
            kind = "view" if isinstance(temporary, CatalogView) else "table"
            raise CatalogException(
                f"Temporary {kind} '{identifier.as_summary_string()}' exists and hides the object that would be {done}.",
                hint=f"DROP TEMPORARY {kind.upper()} it first",
            )

    def _missing(self, identifier: ObjectIdentifier, ignore: bool) -> bool:
        if self.get_object(identifier) is not None:
            return False
        if not ignore:
            raise self.table_not_found(identifier.parts)
        return True
