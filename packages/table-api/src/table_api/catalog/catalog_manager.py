"""All catalogs of a session, what is current, and how a name finds its table: temporary objects first, then the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock

from table_api.catalog.in_memory_catalog import GenericInMemoryCatalog
from table_api.catalog.query_view import QueryOperationCatalogView
from table_api.catalog.schema_resolution import SchemaResolver
from table_api.catalog.temporary_objects import TemporaryObjects
from table_api.delegation.session import FoundTable, FoundView
from table_common.catalog import Catalog, CatalogBaseTable, CatalogDatabase, CatalogTable, CatalogView, ObjectIdentifier
from table_common.configuration import ReadableConfig
from table_common.exceptions import CatalogException, SourcePosition, ValidationException
from table_common.factories import CatalogFactory
from table_common.frozen_dataclass import dataclass, field

__all__ = ["CatalogDescriptor", "CatalogManager"]


@dataclass(frozen=True, slots=True)
class CatalogDescriptor:
    """How a catalog was declared; ``options`` has its ``type``."""

    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None

    @staticmethod
    def of(options: Mapping[str, str], comment: str | None = None) -> CatalogDescriptor:
        """Returns a descriptor."""
        return CatalogDescriptor(dict(options), comment)


class CatalogManager:
    """Finds, creates and drops catalogs, databases, tables and views; safe to use from several threads."""

    def __init__(
        self,
        catalog_name: str = "default_catalog",
        database_name: str = "default_database",
        schema_resolver: SchemaResolver | None = None,
    ) -> None:
        self._catalogs: dict[str, Catalog] = {catalog_name: GenericInMemoryCatalog(catalog_name, database_name)}
        self._descriptors: dict[str, CatalogDescriptor] = {}
        self._current = (catalog_name, database_name)
        self._temporary = TemporaryObjects()
        self._lock = RLock()
        self.schema_resolver = schema_resolver or SchemaResolver()

    # --- catalogs ----------------------------------------------------------------------------------------------------------------

    def register_catalog(self, name: str, catalog: Catalog, descriptor: CatalogDescriptor | None = None) -> None:
        """Adds a catalog and opens it.

        Raises:
            CatalogException: there is one of that name.
        """
        with self._lock:
            if not name:
                raise CatalogException("The name of a catalog is empty.")
            if name in self._catalogs:
                raise CatalogException(f"Catalog '{name}' exists already.")
            catalog.open()
            self._catalogs[name] = catalog
            if descriptor is not None:
                self._descriptors[name] = descriptor

    def create_catalog(
        self, name: str, descriptor: CatalogDescriptor, ignore_if_exists: bool = False, configuration: ReadableConfig | None = None
    ) -> None:
        """Makes a catalog by the factory that its option ``type`` names, and adds it.

        Raises:
            ValidationException: there is one of that name, no type is given, no factory has it, or an option is wrong.
        """
        with self._lock:
            if name in self._catalogs and ignore_if_exists:
                return
            options = dict(descriptor.options)
            kind = options.pop("type", None)
            if not kind:
                raise ValidationException(
                    f"Catalog '{name}' needs the option 'type'. Accepted: {', '.join(CatalogFactory.identifiers()) or 'none is installed'}."
                )
            if name in self._catalogs:
                raise CatalogException(f"Catalog '{name}' exists already.")
            context = CatalogFactory.Context(name, options, configuration or ReadableConfig())
            self.register_catalog(name, CatalogFactory.discover(kind).create_catalog(context), descriptor)

    def drop_catalog(self, name: str, ignore_if_not_exists: bool = False) -> None:
        """Takes a catalog away and closes it; its data stays. The current one cannot be dropped."""
        with self._lock:
            if name not in self._catalogs and ignore_if_not_exists:
                return
            catalog = self.get_catalog(name)
            if name == self._current[0]:
                raise CatalogException(f"Catalog '{name}' is in use.", hint="USE CATALOG another one first")
            del self._catalogs[name]
            self._descriptors.pop(name, None)
            catalog.close()

    def get_catalog(self, name: str) -> Catalog:
        """Returns a catalog.

        Raises:
            CatalogException: there is none of that name.
        """
        catalog = self._catalogs.get(name)
        if catalog is None:
            raise CatalogException.unknown("Catalog", name, self._catalogs)
        return catalog

    def find_catalog(self, name: str) -> Catalog | None:
        """Returns a catalog, or None if there is none of that name."""
        return self._catalogs.get(name)

    def get_descriptor(self, name: str) -> CatalogDescriptor | None:
        """Returns how a catalog was declared, or None if it was registered as an object."""
        self.get_catalog(name)
        return self._descriptors.get(name)

    def list_catalogs(self) -> list[str]:
        """Returns the names of all catalogs, sorted."""
        return sorted(self._catalogs)

    def close(self) -> None:
        """Closes all catalogs."""
        with self._lock:
            for catalog in self._catalogs.values():
                catalog.close()

    # --- what is current ---------------------------------------------------------------------------------------------------------

    @property
    def current_catalog(self) -> str:
        """The name of the current catalog."""
        return self._current[0]

    @property
    def current_database(self) -> str:
        """The name of the current database."""
        return self._current[1]

    def set_current_catalog(self, name: str) -> None:
        """Makes a catalog and its default database current."""
        with self._lock:
            self._current = (name, self.get_catalog(name).default_database)

    def set_current_database(self, database_name: str, catalog_name: str | None = None) -> None:
        """Makes a database, and its catalog, current."""
        with self._lock:
            catalog_name = catalog_name or self._current[0]
            self._check_database(catalog_name, database_name)
            self._current = (catalog_name, database_name)

    def qualify(self, path: tuple[str, ...]) -> ObjectIdentifier:
        """Returns the full identifier of a name of one to three parts."""
        if not 1 <= len(path) <= 3 or not all(path):
            shown = ".".join(path)
            raise ValidationException(f"The name '{shown}' has {len(path)} parts or an empty one; accepted: [catalog.][database.]object.")
        catalog_name, database_name = self._current
        return ObjectIdentifier(*((catalog_name, database_name)[: 3 - len(path)]), *path)

    # --- databases ---------------------------------------------------------------------------------------------------------------

    def list_databases(self, catalog_name: str | None = None) -> list[str]:
        """Returns the names of a catalog's databases, by default of the current one, sorted."""
        return self.get_catalog(catalog_name or self.current_catalog).list_databases()

    def create_database(self, catalog_name: str, name: str, database: CatalogDatabase, ignore_if_exists: bool = False) -> None:
        """Creates a database."""
        self.get_catalog(catalog_name).create_database(name, database, ignore_if_exists)

    def drop_database(self, catalog_name: str, name: str, ignore_if_not_exists: bool = False, cascade: bool = False) -> None:
        """Drops a database; temporary objects in it stay. The current one cannot be dropped."""
        with self._lock:
            if (catalog_name, name) == self._current:
                raise CatalogException(f"Database '{name}' is in use.", hint="USE another one first")
            self.get_catalog(catalog_name).drop_database(name, ignore_if_not_exists, cascade)

    # --- tables and views --------------------------------------------------------------------------------------------------------

    def get_object(self, identifier: ObjectIdentifier) -> tuple[CatalogBaseTable, bool] | None:
        """Returns the table or view of this name and whether it is temporary; None if there is none."""
        temporary = self._temporary.get(identifier)
        if temporary is not None:
            return temporary, True
        catalog = self._catalogs.get(identifier.catalog_name)
        path = identifier.to_object_path()
        if catalog is None or not catalog.table_exists(path):
            return None
        return catalog.get_table(path), False

    def find_table(self, path: tuple[str, ...]) -> FoundTable | FoundView | None:
        """Returns what the name stands for, temporary objects first; None if there is nothing."""
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

    def table_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> CatalogException:
        """Returns the error for a name that stands for nothing: what is missing, and the closest names."""
        identifier = self.qualify(path)
        catalog = self._catalogs.get(identifier.catalog_name)
        temporary = self._temporary.names(identifier.catalog_name, identifier.database_name)
        if catalog is None and not temporary:
            return CatalogException.unknown("Catalog", identifier.catalog_name, self._catalogs, position=position)
        if not temporary and catalog is not None and not catalog.database_exists(identifier.database_name):
            where = f"catalog '{identifier.catalog_name}'"
            return CatalogException.unknown("Database", identifier.database_name, catalog.list_databases(), where=where, position=position)
        where = f"{identifier.catalog_name}.{identifier.database_name}"
        names = self.list_tables(identifier.catalog_name, identifier.database_name)
        return CatalogException.unknown("Table or view", identifier.object_name, names, where=where, position=position)

    def list_tables(self, catalog_name: str | None = None, database_name: str | None = None) -> list[str]:
        """Returns the names of all tables and views of a database, temporary ones too, sorted."""
        catalog_name, database_name = catalog_name or self.current_catalog, database_name or self.current_database
        temporary = self._temporary.names(catalog_name, database_name)
        return sorted({*temporary, *self._permanent(catalog_name, database_name, bool(temporary), views_only=False)})

    def list_views(self, catalog_name: str | None = None, database_name: str | None = None) -> list[str]:
        """Returns the names of all views of a database, temporary ones too, sorted."""
        catalog_name, database_name = catalog_name or self.current_catalog, database_name or self.current_database
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
        """Creates a table or view; ``replace`` takes the place of a view of that name.

        Raises:
            ValidationException: the definition is not valid, the database does not exist, or there is an object of that name.
        """
        if isinstance(table, CatalogTable):
            self.schema_resolver.resolve_table(table)
        if is_temporary:
            self._temporary.create(identifier, table, ignore_if_exists, replace)
            return
        with self._lock:
            catalog = self._check_database(identifier.catalog_name, identifier.database_name)
            if isinstance(table, QueryOperationCatalogView) and not isinstance(catalog, GenericInMemoryCatalog):
                raise CatalogException(
                    f"The view '{identifier.as_summary_string()}' of a Table cannot be kept by {type(catalog).__name__}, which stores SQL text.",
                    hint="use CREATE VIEW … AS, or create_temporary_view",
                )
            path = identifier.to_object_path()
            if replace and catalog.table_exists(path):
                catalog.alter_table(path, table, False)
            else:
                catalog.create_table(path, table, ignore_if_exists)

    def drop_table(
        self, identifier: ObjectIdentifier, ignore_if_not_exists: bool = False, is_temporary: bool = False, is_view: bool = False
    ) -> bool:
        """Drops a table or (``is_view``) a view, in the catalog or among the temporary ones; returns whether there was one.

        Raises:
            CatalogException: there is none of that kind, or a temporary object hides it.
        """
        if is_temporary:
            return self._temporary.drop(identifier, view=is_view, ignore_if_not_exists=ignore_if_not_exists)
        kind, other = ("view", "table") if is_view else ("table", "view")
        with self._lock:
            self._check_not_hidden(identifier, "dropped")
            found = self.get_object(identifier)
            if found is not None and isinstance(found[0], CatalogView) == is_view:
                self.get_catalog(identifier.catalog_name).drop_table(identifier.to_object_path(), False)
                return True
            if ignore_if_not_exists:
                return False
            if found is not None:
                raise CatalogException(f"'{identifier.as_summary_string()}' is a {other}, not a {kind}.", hint=f"DROP {other.upper()}")
            raise self.table_not_found(identifier.parts)

    def alter_table(self, identifier: ObjectIdentifier, new_table: CatalogBaseTable, ignore_if_not_exists: bool = False) -> None:
        """Replaces a permanent table or view."""
        if isinstance(new_table, CatalogTable):
            self.schema_resolver.resolve_table(new_table)
        with self._lock:
            self._check_not_hidden(identifier, "altered")
            if self._missing(identifier, ignore_if_not_exists):
                return
            self.get_catalog(identifier.catalog_name).alter_table(identifier.to_object_path(), new_table, ignore_if_not_exists)

    def rename_table(self, identifier: ObjectIdentifier, new_name: str, ignore_if_not_exists: bool = False) -> None:
        """Renames a permanent table or view within its database."""
        with self._lock:
            self._check_not_hidden(identifier, "renamed")
            if self._missing(identifier, ignore_if_not_exists):
                return
            self.get_catalog(identifier.catalog_name).rename_table(identifier.to_object_path(), new_name, ignore_if_not_exists)

    # --- checks ------------------------------------------------------------------------------------------------------------------

    def _permanent(self, catalog_name: str, database_name: str, has_temporary: bool, *, views_only: bool) -> list[str]:
        catalog = self._catalogs.get(catalog_name)
        if has_temporary and (catalog is None or not catalog.database_exists(database_name)):
            return []
        catalog = self._check_database(catalog_name, database_name)
        return catalog.list_views(database_name) if views_only else catalog.list_tables(database_name)

    def _check_database(self, catalog_name: str, database_name: str) -> Catalog:
        catalog = self.get_catalog(catalog_name)
        if not catalog.database_exists(database_name):
            raise CatalogException.unknown("Database", database_name, catalog.list_databases(), where=f"catalog '{catalog_name}'")
        return catalog

    def _check_not_hidden(self, identifier: ObjectIdentifier, done: str) -> None:
        temporary = self._temporary.get(identifier)
        if temporary is not None:
            kind = "view" if isinstance(temporary, CatalogView) else "table"
            raise CatalogException(
                f"Temporary {kind} '{identifier.as_summary_string()}' exists and hides what would be {done}.",
                hint=f"DROP TEMPORARY {kind.upper()} it first",
            )

    def _missing(self, identifier: ObjectIdentifier, ignore: bool) -> bool:
        if self.get_object(identifier) is not None:
            return False
        if not ignore:
            raise self.table_not_found(identifier.parts)
        return True
