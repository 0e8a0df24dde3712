"""The catalog that forgets everything when the process ends."""

from __future__ import annotations

from threading import RLock

from table_common.annotation import override
from table_common.catalog import Catalog, CatalogBaseTable, CatalogDatabase, CatalogFunction, CatalogView, ObjectPath
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.exceptions import CatalogException, ValidationException
from table_common.factories import CatalogFactory, validate_options

__all__ = ["GenericInMemoryCatalog", "GenericInMemoryCatalogFactory"]

DEFAULT_DATABASE = (
    ConfigOptions.key("default-database")
    .string_type()
    .default_value("default")
    .with_description("The database that the catalog begins with and that is current when the catalog is.")
)


class GenericInMemoryCatalog(Catalog):
    """Keeps databases, tables, views and functions in memory; safe to use from several threads."""

    def __init__(self, name: str, default_database: str = "default") -> None:
        self.name = name
        self._default_database = default_database
        self._databases: dict[str, CatalogDatabase] = {default_database: CatalogDatabase()}
        self._tables: dict[ObjectPath, CatalogBaseTable] = {}
        self._functions: dict[ObjectPath, CatalogFunction] = {}
        self._lock = RLock()

    @property
    @override
    def default_database(self) -> str:
        return self._default_database

    # --- databases ---------------------------------------------------------------------------------------------------------------

    @override
    def list_databases(self) -> list[str]:
        with self._lock:
            return sorted(self._databases)

    @override
    def database_exists(self, database_name: str) -> bool:
        return database_name in self._databases

    @override
    def get_database(self, database_name: str) -> CatalogDatabase:
        with self._lock:
            database = self._databases.get(database_name)
            if database is None:
                raise CatalogException.unknown("Database", database_name, self._databases, where=f"catalog '{self.name}'")
            return database

    @override
    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        with self._lock:
            if name not in self._databases:
                self._databases[name] = database
            elif not ignore_if_exists:
                raise CatalogException(f"Database '{name}' exists already in catalog '{self.name}'.")

    @override
    def alter_database(self, name: str, database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if name in self._databases or not ignore_if_not_exists:
                self.get_database(name)
                self._databases[name] = database

    @override
    def drop_database(self, name: str, ignore_if_not_exists: bool, cascade: bool = False) -> None:
        with self._lock:
            if name not in self._databases and ignore_if_not_exists:
                return
            self.get_database(name)
            held = [path for path in self._tables if path.database_name == name]
            functions = [path for path in self._functions if path.database_name == name]
            if (held or functions) and not cascade:
                contents = f"{len(held)} tables and views" + (f" and {len(functions)} functions" if functions else "")
                raise CatalogException(
                    f"Database '{name}' of catalog '{self.name}' is not empty: it holds {contents}.",
                    hint="DROP DATABASE … CASCADE drops them too.",
                )
            for path in held:
                del self._tables[path]
            for path in functions:
                del self._functions[path]
            del self._databases[name]

    # --- tables and views --------------------------------------------------------------------------------------------------------

    @override
    def list_tables(self, database_name: str) -> list[str]:
        with self._lock:
            self.get_database(database_name)
            return sorted(path.object_name for path in self._tables if path.database_name == database_name)

    @override
    def list_views(self, database_name: str) -> list[str]:
        with self._lock:
            self.get_database(database_name)
            return sorted(
                path.object_name
                for path, table in self._tables.items()
                if path.database_name == database_name and isinstance(table, CatalogView)
            )

    @override
    def table_exists(self, table_path: ObjectPath) -> bool:
        return table_path in self._tables

    @override
    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        with self._lock:
            table = self._tables.get(table_path)
            if table is None:
                raise CatalogException.unknown(
                    "Table", table_path.object_name, self._names(table_path.database_name), where=f"{self.name}.{table_path.database_name}"
                )
            return table

    @override
    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        with self._lock:
            self.get_database(table_path.database_name)
            if table_path not in self._tables:
                self._tables[table_path] = table
            elif not ignore_if_exists:
                raise CatalogException(f"Table or view {table_path} exists already in catalog '{self.name}'.")

    @override
    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if table_path not in self._tables and ignore_if_not_exists:
                return
            old = self.get_table(table_path)
            if isinstance(old, CatalogView) != isinstance(new_table, CatalogView):
                raise CatalogException(f"{table_path} is a {_kind(old)} and cannot become a {_kind(new_table)}.")
            self._tables[table_path] = new_table

    @override
    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if table_path not in self._tables and ignore_if_not_exists:
                return
            table = self.get_table(table_path)
            new_path = ObjectPath(table_path.database_name, new_table_name)
            if new_path in self._tables:
                raise CatalogException(f"Table or view {new_path} exists already in catalog '{self.name}'.")
            del self._tables[table_path]
            self._tables[new_path] = table

    @override
    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if table_path in self._tables or not ignore_if_not_exists:
                self.get_table(table_path)
                del self._tables[table_path]

    # --- functions ---------------------------------------------------------------------------------------------------------------

    @override
    def list_functions(self, database_name: str) -> list[str]:
        with self._lock:
            self.get_database(database_name)
            return sorted(path.object_name for path in self._functions if path.database_name == database_name)

    @override
    def function_exists(self, function_path: ObjectPath) -> bool:
        return function_path in self._functions

    @override
    def get_function(self, function_path: ObjectPath) -> CatalogFunction:
        with self._lock:
            function = self._functions.get(function_path)
            if function is None:
                names = self.list_functions(function_path.database_name)
                where = f"{self.name}.{function_path.database_name}"
                raise CatalogException.unknown("Function", function_path.object_name, names, where=where)
            return function

    @override
    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        with self._lock:
            self.get_database(function_path.database_name)
            if function_path not in self._functions:
                self._functions[function_path] = function
            elif not ignore_if_exists:
                raise CatalogException(f"Function {function_path} exists already in catalog '{self.name}'.")

    @override
    def alter_function(self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if function_path in self._functions or not ignore_if_not_exists:
                self.get_function(function_path)
                self._functions[function_path] = new_function

    @override
    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if function_path in self._functions or not ignore_if_not_exists:
                self.get_function(function_path)
                del self._functions[function_path]

    def _names(self, database_name: str) -> list[str]:
        return [path.object_name for path in self._tables if path.database_name == database_name]


def _kind(table: CatalogBaseTable) -> str:
    return "view" if isinstance(table, CatalogView) else "table"


class GenericInMemoryCatalogFactory(CatalogFactory):
    """Makes catalogs of the type ``generic_in_memory``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "generic_in_memory"

    @property
    @override
    def optional_options(self) -> tuple[ConfigOption[str]]:
        return (DEFAULT_DATABASE,)

    @override
    def create_catalog(self, context: CatalogFactory.Context) -> GenericInMemoryCatalog:
        options = validate_options(context.options, (), self.optional_options, f"catalog '{context.name}'")
        database = options.get(DEFAULT_DATABASE)
        if not database:
            raise ValidationException(f"Option 'default-database' of catalog '{context.name}' is empty.")
        return GenericInMemoryCatalog(context.name, database)
