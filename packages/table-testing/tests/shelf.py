"""A small catalog in memory that is correct: errors are planted in it by classes that override a method."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import RLock
from typing import Any

from table_common.catalog import (
    Catalog,
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
from table_common.exceptions import CatalogException

STORES: dict[str, dict[str, Any]] = {}
"""What catalogs of one place share, by place."""


class ShelfCatalog(Catalog):
    """Databases, tables, views, functions, partitions and statistics of tables; catalogs of one place share them."""

    default_database = "default"

    def __init__(self, place: str) -> None:
        new = {
            "databases": {"default": CatalogDatabase()},
            "tables": {},
            "functions": {},
            "partitions": {},
            "statistics": {},
            "columns": {},
        }
        self.store = STORES.setdefault(place, {**new, "lock": RLock(), "depth": 0})

    def transaction(self) -> AbstractContextManager[object]:
        return self._transaction()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self.store["lock"]:
            saved = {key: copy.copy(kept) for key, kept in self.store.items() if isinstance(kept, dict)}
            self.store["depth"] += 1
            try:
                yield
            except BaseException:
                if self.store["depth"] == 1:
                    self.undo(saved)
                raise
            finally:
                self.store["depth"] -= 1

    def undo(self, saved: dict[str, Any]) -> None:
        self.store.update(saved)

    # --- databases ------------------------------------------------------------------------------------------------------------------------

    def list_databases(self) -> list[str]:
        return sorted(self.store["databases"])

    def database_exists(self, database_name: str) -> bool:
        return database_name in self.store["databases"]

    def get_database(self, database_name: str) -> CatalogDatabase:
        return self._get("Database", self.store["databases"], database_name)

    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        self._create("Database", self.store["databases"], name, database, ignore_if_exists)

    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        self._alter("Database", self.store["databases"], name, new_database, ignore_if_not_exists)

    def drop_database(self, name: str, ignore_if_not_exists: bool, cascade: bool = False) -> None:
        if ignore_if_not_exists and not self.database_exists(name):
            return
        self.get_database(name)
        held = [(kind, path) for kind in ("tables", "functions") for path in self.store[kind] if path.database_name == name]
        if held and not cascade:
            raise CatalogException(f"Database '{name}' is not empty.")
        for kind, path in held:
            self.drop_table(path, False) if kind == "tables" else self.drop_function(path, False)
        del self.store["databases"][name]

    # --- tables ---------------------------------------------------------------------------------------------------------------------------

    def list_tables(self, database_name: str) -> list[str]:
        return self._listed("tables", database_name)

    def list_views(self, database_name: str) -> list[str]:
        names = self._listed("tables", database_name)
        return [name for name in names if isinstance(self.store["tables"][ObjectPath(database_name, name)], CatalogView)]

    def table_exists(self, table_path: ObjectPath) -> bool:
        return table_path in self.store["tables"]

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        return self._get("Table", self.store["tables"], table_path)

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        self.get_database(table_path.database_name)
        self._create("Table", self.store["tables"], table_path, table, ignore_if_exists)

    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        with self.store["lock"]:
            old = self.find_table(table_path)
            if old is not None and isinstance(old, CatalogView) != isinstance(new_table, CatalogView):
                raise CatalogException(f"Table {table_path} is of another kind.")
            self._alter("Table", self.store["tables"], table_path, new_table, ignore_if_not_exists)

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        if ignore_if_not_exists and not self.table_exists(table_path):
            return
        table, renamed = self.get_table(table_path), ObjectPath(table_path.database_name, new_table_name)
        self._create("Table", self.store["tables"], renamed, table, False)
        del self.store["tables"][table_path]
        for kind in ("partitions", "statistics", "columns"):
            if table_path in self.store[kind]:
                self.store[kind][renamed] = self.store[kind].pop(table_path)

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        self._drop("Table", self.store["tables"], table_path, ignore_if_not_exists)
        for kind in ("partitions", "statistics", "columns"):
            self.store[kind].pop(table_path, None)

    # --- functions ------------------------------------------------------------------------------------------------------------------------

    def list_functions(self, database_name: str) -> list[str]:
        return self._listed("functions", database_name)

    def function_exists(self, function_path: ObjectPath) -> bool:
        return function_path in self.store["functions"]

    def get_function(self, function_path: ObjectPath) -> CatalogFunction:
        return self._get("Function", self.store["functions"], function_path)

    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        self.get_database(function_path.database_name)
        self._create("Function", self.store["functions"], function_path, function, ignore_if_exists)

    def alter_function(self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool) -> None:
        self._alter("Function", self.store["functions"], function_path, new_function, ignore_if_not_exists)

    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        self._drop("Function", self.store["functions"], function_path, ignore_if_not_exists)

    # --- partitions and statistics --------------------------------------------------------------------------------------------------------

    def list_partitions(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None) -> list[CatalogPartitionSpec]:
        self._check_partition_keys(table_path, partition_spec)
        specs = self.store["partitions"].get(table_path, {})
        return sorted((spec for spec in specs if partition_spec is None or partition_spec.contains(spec)), key=str)

    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        return partition_spec in self.store["partitions"].get(table_path, {})

    def get_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogPartition:
        self._check_partition_keys(table_path, partition_spec)
        if not self.partition_exists(table_path, partition_spec):
            raise self._no_partition(table_path, partition_spec)
        found: CatalogPartition = self.store["partitions"][table_path][partition_spec]
        return found

    def create_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, partition: CatalogPartition, ignore_if_exists: bool
    ) -> None:
        spec = partition_spec.completed(self._check_partition_keys(table_path, partition_spec), f"table {table_path}")
        kept = self.store["partitions"].get(table_path, {})
        if spec in kept and not ignore_if_exists:
            raise CatalogException(f"Partition ({spec}) exists already.")
        if spec not in kept:
            self._put("partitions", table_path, spec, partition)

    def drop_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, ignore_if_not_exists: bool) -> None:
        if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
            self.get_partition(table_path, partition_spec)
            for kind in ("partitions", "statistics", "columns"):
                kept = self.store[kind].get(table_path, {})
                self.store[kind][table_path] = {spec: value for spec, value in kept.items() if spec != partition_spec}

    def alter_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, new_partition: CatalogPartition, ignore_if_not_exists: bool
    ) -> None:
        if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
            self.get_partition(table_path, partition_spec)
            self._put("partitions", table_path, partition_spec, new_partition)

    def get_table_statistics(self, table_path: ObjectPath) -> CatalogTableStatistics:
        self.get_table(table_path)
        return self._known("statistics", table_path, None, CatalogTableStatistics())

    def get_table_column_statistics(self, table_path: ObjectPath) -> CatalogColumnStatistics:
        self.get_table(table_path)
        return self._known("columns", table_path, None, CatalogColumnStatistics())

    def get_partition_statistics(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogTableStatistics:
        self.get_partition(table_path, partition_spec)
        return self._known("statistics", table_path, partition_spec, CatalogTableStatistics())

    def get_partition_column_statistics(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogColumnStatistics:
        self.get_partition(table_path, partition_spec)
        return self._known("columns", table_path, partition_spec, CatalogColumnStatistics())

    def alter_table_statistics(self, table_path: ObjectPath, table_statistics: CatalogTableStatistics, ignore_if_not_exists: bool) -> None:
        if self.table_exists(table_path) or not ignore_if_not_exists:
            self.get_table(table_path)
            self._put("statistics", table_path, None, table_statistics)

    def alter_table_column_statistics(
        self, table_path: ObjectPath, column_statistics: CatalogColumnStatistics, ignore_if_not_exists: bool
    ) -> None:
        if self.table_exists(table_path) or not ignore_if_not_exists:
            self._put("columns", table_path, None, self.get_table_column_statistics(table_path).updated(column_statistics))

    def alter_partition_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition_statistics: CatalogTableStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
            self.get_partition(table_path, partition_spec)
            self._put("statistics", table_path, partition_spec, partition_statistics)

    def alter_partition_column_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        column_statistics: CatalogColumnStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
            known = self.get_partition_column_statistics(table_path, partition_spec)
            self._put("columns", table_path, partition_spec, known.updated(column_statistics))

    # --- parts ----------------------------------------------------------------------------------------------------------------------------

    def _listed(self, kind: str, database_name: str) -> list[str]:
        self.get_database(database_name)
        return sorted(path.object_name for path in self.store[kind] if path.database_name == database_name)

    def _known(self, kind: str, path: ObjectPath, spec: CatalogPartitionSpec | None, unknown: Any) -> Any:
        return self.store[kind].get(path, {}).get(spec, unknown)

    def _put(self, kind: str, path: ObjectPath, spec: CatalogPartitionSpec | None, value: Any) -> None:
        # The dictionary within is never changed: copies of the outer one are all that a transaction needs.
        self.store[kind][path] = {**self.store[kind].get(path, {}), spec: value}

    def _get(self, what: str, kept: dict[Any, Any], key: Any) -> Any:
        if key not in kept:
            raise CatalogException.unknown(what, str(key), map(str, kept))
        return kept[key]

    def _create(self, what: str, kept: dict[Any, Any], key: Any, value: Any, ignore: bool) -> None:
        with self.store["lock"]:
            if key not in kept:
                kept[key] = value
            elif not ignore:
                raise CatalogException(f"{what} {key} exists already.")

    def _alter(self, what: str, kept: dict[Any, Any], key: Any, value: Any, ignore: bool) -> None:
        with self.store["lock"]:
            if key in kept or not ignore:
                self._get(what, kept, key)
                kept[key] = value

    def _drop(self, what: str, kept: dict[Any, Any], key: Any, ignore: bool) -> None:
        with self.store["lock"]:
            if key in kept or not ignore:
                self._get(what, kept, key)
                del kept[key]
