"""The catalog in a SQLite file, which several processes can use and change concurrently."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from table_api.catalog.object_text import (
    column_statistics_text,
    database_text,
    function_text,
    read_column_statistics,
    read_database,
    read_function,
    read_statistics,
    read_table,
    statistics_text,
    table_text,
)
from table_api.catalog.sqlite_file import SqliteFile
from table_api.catalog.sqlite_partitions import SqlitePartitions
from table_api.catalog.warehouse import Warehouse
from table_common.annotation import override
from table_common.catalog import (
    CatalogBaseTable,
    CatalogColumnStatistics,
    CatalogDatabase,
    CatalogFunction,
    CatalogMaterializedTable,
    CatalogTable,
    CatalogTableStatistics,
    CatalogView,
    ObjectPath,
)
from table_common.catalog_exceptions import (
    DatabaseAlreadyExistException,
    DatabaseNotEmptyException,
    DatabaseNotExistException,
    FunctionAlreadyExistException,
    FunctionNotExistException,
    TableAlreadyExistException,
    TableNotExistException,
)
from table_common.exceptions import CatalogException
from table_common.gate import AllowedPath, Gate
from table_common.object_names import check_no_nul


class SqliteCatalog(SqlitePartitions):
    """Keeps databases, tables, views, functions, partitions and statistics in a SQLite file.

    Options and queries are stored as written; references such as ``${env:NAME}`` are not resolved.
    """

    def __init__(
        self,
        name: str,
        path: str | os.PathLike[str],
        default_database: str = "default",
        lock_timeout: float = 60.0,
        warehouse: str | os.PathLike[str] | None = None,
    ) -> None:
        """``lock_timeout`` is the time to wait for locks of other processes, in seconds; ``warehouse`` the folder of tables without 'connector'."""
        self.name = name
        self._default_database = default_database
        self._file = SqliteFile(Gate.of_program(Path(path).expanduser().absolute()), f"catalog '{name}'", lock_timeout)
        self._warehouse = Warehouse(Gate.of_program(Path(warehouse).expanduser().absolute())) if warehouse is not None else None

    @property
    @override
    def default_database(self) -> str:
        return self._default_database

    @override
    def open(self) -> None:
        self._file.open()
        if not self.database_exists(self._default_database):
            self.create_database(self._default_database, CatalogDatabase(), True)

    @override
    def close(self) -> None:
        self._file.close()

    @override
    def transaction(self) -> AbstractContextManager[object]:
        return self._file.transaction()

    # --- databases ---------------------------------------------------------------------------------------------------------------

    @override
    def list_databases(self) -> list[str]:
        return _firsts(self._file.rows("SELECT name FROM databases ORDER BY name"))

    @override
    def database_exists(self, database_name: str) -> bool:
        return self._file.row("SELECT 1 FROM databases WHERE name = ?", database_name) is not None

    @override
    def get_database(self, database_name: str) -> CatalogDatabase:
        found = self._file.row("SELECT definition FROM databases WHERE name = ?", database_name)
        if found is None:
            raise DatabaseNotExistException.unknown("Database", database_name, self.list_databases(), where=f"catalog '{self.name}'")
        return read_database(found[0])

    @override
    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        check_no_nul(name, "the name of a database")
        made = self._file.change("INSERT OR IGNORE INTO databases VALUES (?, ?)", name, database_text(database))
        if not made and not ignore_if_exists:
            raise DatabaseAlreadyExistException(f"Database '{name}' exists already in catalog '{self.name}'.")

    @override
    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        with self.transaction():
            changed = self._file.change("UPDATE databases SET definition = ? WHERE name = ?", database_text(new_database), name)
            if not changed and not ignore_if_not_exists:
                self.get_database(name)

    @override
    def drop_database(self, name: str, ignore_if_not_exists: bool, cascade: bool = False) -> None:
        with self.transaction():
            if ignore_if_not_exists and not self.database_exists(name):
                return
            self.get_database(name)
            ((tables, functions),) = self._file.rows(
                "SELECT (SELECT COUNT(*) FROM tables WHERE database = ?), (SELECT COUNT(*) FROM functions WHERE database = ?)", name, name
            )
            if (tables or functions) and not cascade:
                contents = f"{tables} tables and views" + (f" and {functions} functions" if functions else "")
                raise DatabaseNotEmptyException(
                    f"Database '{name}' of catalog '{self.name}' is not empty: it contains {contents}.",
                    hint="DROP DATABASE … CASCADE drops them too.",
                )
            for (text,) in self._file.rows("SELECT definition FROM tables WHERE database = ?", name):
                self.remove_managed_rows(read_table(text))
            self._file.change("DELETE FROM databases WHERE name = ?", name)

    # --- tables and views --------------------------------------------------------------------------------------------------------

    @override
    def list_tables(self, database_name: str) -> list[str]:
        return self._names("SELECT name FROM tables WHERE database = ? ORDER BY name", database_name)

    @override
    def list_views(self, database_name: str) -> list[str]:
        return self._names("SELECT name FROM tables WHERE database = ? AND is_view ORDER BY name", database_name)

    @override
    def list_materialized_tables(self, database_name: str) -> list[str]:
        return [name for name in self.list_tables(database_name) if self._is_materialized(ObjectPath(database_name, name))]

    @override
    def managed_table_options(self, table_path: ObjectPath) -> Mapping[str, str]:
        return self._warehouse.options(table_path) if self._warehouse is not None else {}

    @override
    def prepare_managed_rows(self, table: CatalogBaseTable) -> bool:
        return self._warehouse is not None and self._warehouse.prepare(table)

    @override
    def remove_managed_rows(self, table: CatalogBaseTable) -> bool:
        return self._warehouse is not None and self._warehouse.remove(table)

    @override
    def scheduler_lock(self) -> AllowedPath:
        path = self._file.path
        return Gate.of_program(path.with_name(f"{path.name}.scheduler"))

    @override
    def table_exists(self, table_path: ObjectPath) -> bool:
        return self._file.row("SELECT 1 FROM tables WHERE database = ? AND name = ?", *_key(table_path)) is not None

    @override
    def find_table(self, table_path: ObjectPath) -> CatalogBaseTable | None:
        found = self._file.row("SELECT definition FROM tables WHERE database = ? AND name = ?", *_key(table_path))
        return read_table(found[0]) if found is not None else None

    @override
    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        table = self.find_table(table_path)
        if table is None:
            raise self._no_table(table_path)
        return table

    @override
    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        text = table_text(table)
        with self.transaction():
            self.get_database(table_path.database_name)
            if not self.table_exists(table_path):
                sql = "INSERT INTO tables (database, name, is_view, definition) VALUES (?, ?, ?, ?)"
                self._file.change(sql, *_key(table_path), isinstance(table, CatalogView), text)
            elif not ignore_if_exists:
                raise TableAlreadyExistException(f"Table or view {table_path} exists already in catalog '{self.name}'.")

    @override
    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        text = table_text(new_table)
        with self.transaction():
            old = self.find_table(table_path)
            if old is None and ignore_if_not_exists:
                return
            if old is None:
                raise self._no_table(table_path)
            if isinstance(old, CatalogView) != isinstance(new_table, CatalogView):
                raise CatalogException(f"{table_path} is a {_kind(old)} and cannot become a {_kind(new_table)}.")
            self._file.change("UPDATE tables SET definition = ? WHERE database = ? AND name = ?", text, *_key(table_path))

    @override
    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        with self.transaction():
            if not self.table_exists(table_path):
                if ignore_if_not_exists:
                    return
                raise self._no_table(table_path)
            new_path = ObjectPath(table_path.database_name, new_table_name)
            if self.table_exists(new_path):
                raise TableAlreadyExistException(f"Table or view {new_path} exists already in catalog '{self.name}'.")
            self._file.change("UPDATE tables SET name = ? WHERE database = ? AND name = ?", new_table_name, *_key(table_path))

    @override
    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        with self.transaction():
            dropped = self._file.change("DELETE FROM tables WHERE database = ? AND name = ?", *_key(table_path))
            if not dropped and not ignore_if_not_exists:
                raise self._no_table(table_path)

    # --- functions ---------------------------------------------------------------------------------------------------------------

    @override
    def list_functions(self, database_name: str) -> list[str]:
        return self._names("SELECT name FROM functions WHERE database = ? ORDER BY name", database_name)

    @override
    def function_exists(self, function_path: ObjectPath) -> bool:
        return self._file.row("SELECT 1 FROM functions WHERE database = ? AND name = ?", *_key(function_path)) is not None

    @override
    def get_function(self, function_path: ObjectPath) -> CatalogFunction:
        found = self._file.row("SELECT definition FROM functions WHERE database = ? AND name = ?", *_key(function_path))
        if found is None:
            raise self._no_function(function_path)
        return read_function(found[0])

    @override
    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        with self.transaction():
            self.get_database(function_path.database_name)
            made = self._file.change("INSERT OR IGNORE INTO functions VALUES (?, ?, ?)", *_key(function_path), function_text(function))
            if not made and not ignore_if_exists:
                raise FunctionAlreadyExistException(f"Function {function_path} exists already in catalog '{self.name}'.")

    @override
    def alter_function(self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool) -> None:
        with self.transaction():
            sql = "UPDATE functions SET definition = ? WHERE database = ? AND name = ?"
            if not self._file.change(sql, function_text(new_function), *_key(function_path)) and not ignore_if_not_exists:
                raise self._no_function(function_path)

    @override
    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        with self.transaction():
            dropped = self._file.change("DELETE FROM functions WHERE database = ? AND name = ?", *_key(function_path))
            if not dropped and not ignore_if_not_exists:
                raise self._no_function(function_path)

    # --- statistics --------------------------------------------------------------------------------------------------------------

    @override
    def get_table_statistics(self, table_path: ObjectPath) -> CatalogTableStatistics:
        return read_statistics(self._of_table("statistics", table_path))

    @override
    def get_table_column_statistics(self, table_path: ObjectPath) -> CatalogColumnStatistics:
        return read_column_statistics(self._of_table("column_statistics", table_path))

    @override
    def alter_table_statistics(self, table_path: ObjectPath, table_statistics: CatalogTableStatistics, ignore_if_not_exists: bool) -> None:
        with self.transaction():
            sql = "UPDATE tables SET statistics = ? WHERE database = ? AND name = ?"
            if not self._file.change(sql, statistics_text(table_statistics), *_key(table_path)) and not ignore_if_not_exists:
                raise self._no_table(table_path)

    @override
    def alter_table_column_statistics(
        self, table_path: ObjectPath, column_statistics: CatalogColumnStatistics, ignore_if_not_exists: bool
    ) -> None:
        with self.transaction():
            if not self.table_exists(table_path) and ignore_if_not_exists:
                return
            text = column_statistics_text(self.get_table_column_statistics(table_path).updated(column_statistics))
            self._file.change("UPDATE tables SET column_statistics = ? WHERE database = ? AND name = ?", text, *_key(table_path))

    def _is_materialized(self, table_path: ObjectPath) -> bool:
        return isinstance(self.find_table(table_path), CatalogMaterializedTable)

    # --- parts -------------------------------------------------------------------------------------------------------------------

    def _names(self, sql: str, database_name: str) -> list[str]:
        names = _firsts(self._file.rows(sql, database_name))
        if not names:
            self.get_database(database_name)
        return names

    def _of_table(self, column: str, table_path: ObjectPath) -> Any:
        found = self._file.row(f"SELECT {column} FROM tables WHERE database = ? AND name = ?", *_key(table_path))
        if found is None:
            raise self._no_table(table_path)
        return found[0]

    def _no_table(self, table_path: ObjectPath) -> CatalogException:
        names = _firsts(self._file.rows("SELECT name FROM tables WHERE database = ?", table_path.database_name))
        return TableNotExistException.unknown("Table", table_path.object_name, names, where=f"{self.name}.{table_path.database_name}")

    def _no_function(self, function_path: ObjectPath) -> CatalogException:
        names = self.list_functions(function_path.database_name)
        return FunctionNotExistException.unknown(
            "Function", function_path.object_name, names, where=f"{self.name}.{function_path.database_name}"
        )


def _firsts(rows: Sequence[tuple[Any, ...]]) -> list[str]:
    return [row[0] for row in rows]


def _key(path: ObjectPath) -> tuple[str, str]:
    return path.database_name, path.object_name


def _kind(table: CatalogBaseTable) -> str:
    return "table" if isinstance(table, CatalogTable) else "view"
