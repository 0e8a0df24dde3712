"""The catalog in memory, whose contents end with the process."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TypeVar

from table_api.catalog.in_memory_models import InMemoryModels
from table_api.catalog.in_memory_transaction import InMemoryTransaction
from table_common.annotation import override
from table_common.catalog import (
    CatalogBaseTable,
    CatalogColumnStatistics,
    CatalogDatabase,
    CatalogFunction,
    CatalogPartition,
    CatalogPartitionSpec,
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
    PartitionAlreadyExistsException,
    TableAlreadyExistException,
    TableNotExistException,
)
from table_common.exceptions import CatalogException
from table_common.object_names import check_no_nul

_T = TypeVar("_T")


class GenericInMemoryCatalog(InMemoryModels):
    """Keeps databases, tables, views, functions, models, partitions and statistics in memory; safe to use from several threads.

    Example:
        >>> env.register_catalog("scratch", GenericInMemoryCatalog("scratch", default_database="work"))
        >>> env.use_catalog("scratch")
        >>> env.list_databases()
        ['work']

    Source: Flink's ``org.apache.flink.table.catalog.GenericInMemoryCatalog``.
    """

    def __init__(self, name: str, default_database: str = "default") -> None:
        super().__init__()
        self.name = name
        self._default_database = default_database
        self._databases: dict[str, CatalogDatabase] = {default_database: CatalogDatabase()}
        self._tables: dict[ObjectPath, CatalogBaseTable] = {}
        self._functions: dict[ObjectPath, CatalogFunction] = {}
        self._partitions: dict[ObjectPath, dict[CatalogPartitionSpec, CatalogPartition]] = {}
        # Statistics of a table have the key None, those of a partition its specification.
        self._statistics: dict[ObjectPath, dict[CatalogPartitionSpec | None, CatalogTableStatistics]] = {}
        self._column_statistics: dict[ObjectPath, dict[CatalogPartitionSpec | None, CatalogColumnStatistics]] = {}
        self._transaction = InMemoryTransaction(self, self._lock)

    @property
    @override
    def default_database(self) -> str:
        return self._default_database

    @override
    def transaction(self) -> AbstractContextManager[object]:
        return self._transaction

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
            if database_name not in self._databases:
                raise DatabaseNotExistException.unknown("Database", database_name, self._databases, where=f"catalog '{self.name}'")
            return self._databases[database_name]

    @override
    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        check_no_nul(name, "the name of a database")
        with self._lock:
            if name not in self._databases:
                self._databases[name] = database
            elif not ignore_if_exists:
                raise DatabaseAlreadyExistException(f"Database '{name}' exists already in catalog '{self.name}'.")

    @override
    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if name in self._databases or not ignore_if_not_exists:
                self.get_database(name)
                self._databases[name] = new_database

    @override
    def drop_database(self, name: str, ignore_if_not_exists: bool, cascade: bool = False) -> None:
        with self._lock:
            if name not in self._databases and ignore_if_not_exists:
                return
            self.get_database(name)
            held = [path for path in self._tables if path.database_name == name]
            functions = [path for path in self._functions if path.database_name == name]
            models = [path for path in self._models if path.database_name == name]
            if (held or functions or models) and not cascade:
                contents = f"{len(held)} tables and views" + (f" and {len(functions)} functions" if functions else "")
                contents += f" and {len(models)} models" if models else ""
                raise DatabaseNotEmptyException(
                    f"Database '{name}' of catalog '{self.name}' is not empty: it contains {contents}.",
                    hint="DROP DATABASE … CASCADE drops them too.",
                )
            for path in held:
                self._forget(path)
            for path in functions:
                del self._functions[path]
            for path in models:
                del self._models[path]
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
    def list_materialized_tables(self, database_name: str) -> list[str]:
        from table_common.catalog import CatalogMaterializedTable  # few sessions have one

        found = {name: self.find_table(ObjectPath(database_name, name)) for name in self.list_tables(database_name)}
        return [name for name, table in found.items() if isinstance(table, CatalogMaterializedTable)]

    @override
    def table_exists(self, table_path: ObjectPath) -> bool:
        return table_path in self._tables

    @override
    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        with self._lock:
            table = self._tables.get(table_path)
            if table is None:
                raise TableNotExistException.unknown(
                    "Table", table_path.object_name, self._names(table_path.database_name), where=f"{self.name}.{table_path.database_name}"
                )
            return table

    @override
    def find_table(self, table_path: ObjectPath) -> CatalogBaseTable | None:
        return self._tables.get(table_path)

    @override
    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        with self._lock:
            self.get_database(table_path.database_name)
            if table_path not in self._tables:
                self._tables[table_path] = table
            elif not ignore_if_exists:
                raise TableAlreadyExistException(f"Table or view {table_path} exists already in catalog '{self.name}'.")

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
                raise TableAlreadyExistException(f"Table or view {new_path} exists already in catalog '{self.name}'.")
            del self._tables[table_path]
            self._tables[new_path] = table
            _move(self._partitions, table_path, new_path)
            _move(self._statistics, table_path, new_path)
            _move(self._column_statistics, table_path, new_path)

    @override
    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if table_path in self._tables or not ignore_if_not_exists:
                self.get_table(table_path)
                self._forget(table_path)

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
                raise FunctionNotExistException.unknown("Function", function_path.object_name, names, where=where)
            return function

    @override
    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        with self._lock:
            self.get_database(function_path.database_name)
            if function_path not in self._functions:
                self._functions[function_path] = function
            elif not ignore_if_exists:
                raise FunctionAlreadyExistException(f"Function {function_path} exists already in catalog '{self.name}'.")

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

    # --- partitions --------------------------------------------------------------------------------------------------------------

    @override
    def list_partitions(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None) -> list[CatalogPartitionSpec]:
        with self._lock:
            self._check_partition_keys(table_path, partition_spec)
            specs = self._partitions.get(table_path, {})
            return sorted((spec for spec in specs if partition_spec is None or partition_spec.contains(spec)), key=str)

    @override
    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        return partition_spec in self._partitions.get(table_path, {})

    @override
    def get_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogPartition:
        with self._lock:
            self._check_partition_keys(table_path, partition_spec)
            partition = self._partitions.get(table_path, {}).get(partition_spec)
            if partition is None:
                raise self._no_partition(table_path, partition_spec)
            return partition

    @override
    def create_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, partition: CatalogPartition, ignore_if_exists: bool
    ) -> None:
        with self._lock:
            spec = partition_spec.completed(self._check_partition_keys(table_path, partition_spec), f"table {table_path}")
            partitions = self._partitions.setdefault(table_path, {})
            if spec not in partitions:
                partitions[spec] = partition
            elif not ignore_if_exists:
                raise PartitionAlreadyExistsException(f"Partition ({spec}) exists already in table {table_path}.")

    @override
    def drop_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
                self.get_partition(table_path, partition_spec)
                del self._partitions[table_path][partition_spec]
                self._statistics.get(table_path, {}).pop(partition_spec, None)
                self._column_statistics.get(table_path, {}).pop(partition_spec, None)

    @override
    def alter_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, new_partition: CatalogPartition, ignore_if_not_exists: bool
    ) -> None:
        with self._lock:
            if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
                self.get_partition(table_path, partition_spec)
                self._partitions[table_path][partition_spec] = new_partition

    # --- statistics --------------------------------------------------------------------------------------------------------------

    @override
    def get_table_statistics(self, table_path: ObjectPath) -> CatalogTableStatistics:
        with self._lock:
            self.get_table(table_path)
            return self._statistics.get(table_path, {}).get(None, CatalogTableStatistics())

    @override
    def get_table_column_statistics(self, table_path: ObjectPath) -> CatalogColumnStatistics:
        with self._lock:
            self.get_table(table_path)
            return self._column_statistics.get(table_path, {}).get(None, CatalogColumnStatistics())

    @override
    def get_partition_statistics(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogTableStatistics:
        with self._lock:
            self.get_partition(table_path, partition_spec)
            return self._statistics.get(table_path, {}).get(partition_spec, CatalogTableStatistics())

    @override
    def get_partition_column_statistics(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogColumnStatistics:
        with self._lock:
            self.get_partition(table_path, partition_spec)
            return self._column_statistics.get(table_path, {}).get(partition_spec, CatalogColumnStatistics())

    @override
    def alter_table_statistics(self, table_path: ObjectPath, table_statistics: CatalogTableStatistics, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if table_path in self._tables or not ignore_if_not_exists:
                self.get_table(table_path)
                self._statistics.setdefault(table_path, {})[None] = table_statistics

    @override
    def alter_table_column_statistics(
        self, table_path: ObjectPath, column_statistics: CatalogColumnStatistics, ignore_if_not_exists: bool
    ) -> None:
        with self._lock:
            if table_path in self._tables or not ignore_if_not_exists:
                known = self.get_table_column_statistics(table_path)
                self._column_statistics.setdefault(table_path, {})[None] = known.updated(column_statistics)

    @override
    def alter_partition_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition_statistics: CatalogTableStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        with self._lock:
            if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
                self.get_partition(table_path, partition_spec)
                self._statistics.setdefault(table_path, {})[partition_spec] = partition_statistics

    @override
    def alter_partition_column_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        column_statistics: CatalogColumnStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        with self._lock:
            if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
                known = self.get_partition_column_statistics(table_path, partition_spec)
                self._column_statistics.setdefault(table_path, {})[partition_spec] = known.updated(column_statistics)

    # --- parts -------------------------------------------------------------------------------------------------------------------

    def _forget(self, table_path: ObjectPath) -> None:
        del self._tables[table_path]
        self._partitions.pop(table_path, None)
        self._statistics.pop(table_path, None)
        self._column_statistics.pop(table_path, None)

    def _names(self, database_name: str) -> list[str]:
        return [path.object_name for path in self._tables if path.database_name == database_name]


def _move(kept: dict[ObjectPath, _T], old: ObjectPath, new: ObjectPath) -> None:
    if old in kept:
        kept[new] = kept.pop(old)


def _kind(table: CatalogBaseTable) -> str:
    return "view" if isinstance(table, CatalogView) else "table"
