"""The partitions of the tables of a ``sqlite`` catalog, and their statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_api.catalog.object_text import (
    column_statistics_text,
    partition_text,
    read_column_statistics,
    read_partition,
    read_spec,
    read_statistics,
    spec_text,
    statistics_text,
)
from table_api.catalog.sqlite_file import SqliteFile
from table_common.annotation import override
from table_common.catalog import (
    Catalog,
    CatalogColumnStatistics,
    CatalogPartition,
    CatalogPartitionSpec,
    CatalogTableStatistics,
    ObjectPath,
)
from table_common.catalog_exceptions import PartitionAlreadyExistsException


class SqlitePartitions(Catalog):
    """The methods of the catalog that are about partitions."""

    _file: SqliteFile

    @override
    def list_partitions(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None) -> list[CatalogPartitionSpec]:
        keys = self._check_partition_keys(table_path, partition_spec)
        texts = self._file.rows("SELECT spec FROM partitions WHERE database = ? AND table_name = ?", *_key(table_path))
        specs = [read_spec(text).completed(keys, f"table {table_path}") for (text,) in texts]
        return sorted((spec for spec in specs if partition_spec is None or partition_spec.contains(spec)), key=str)

    @override
    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        return self._partition("1", table_path, partition_spec) is not None

    @override
    def get_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogPartition:
        self._check_partition_keys(table_path, partition_spec)
        return read_partition(self._found("definition", table_path, partition_spec))

    @override
    def create_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, partition: CatalogPartition, ignore_if_exists: bool
    ) -> None:
        with self.transaction():
            spec = partition_spec.completed(self._check_partition_keys(table_path, partition_spec), f"table {table_path}")
            sql = "INSERT OR IGNORE INTO partitions (database, table_name, spec, definition) VALUES (?, ?, ?, ?)"
            if not self._file.change(sql, *_key(table_path), spec_text(spec), partition_text(partition)) and not ignore_if_exists:
                raise PartitionAlreadyExistsException(f"Partition ({spec}) exists already in table {table_path}.")

    @override
    def drop_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, ignore_if_not_exists: bool) -> None:
        self._change_partition("DELETE FROM partitions", (), table_path, partition_spec, ignore_if_not_exists)

    @override
    def alter_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, new_partition: CatalogPartition, ignore_if_not_exists: bool
    ) -> None:
        values = (partition_text(new_partition),)
        self._change_partition("UPDATE partitions SET definition = ?", values, table_path, partition_spec, ignore_if_not_exists)

    @override
    def get_partition_statistics(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogTableStatistics:
        return read_statistics(self._found("statistics", table_path, partition_spec))

    @override
    def get_partition_column_statistics(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogColumnStatistics:
        return read_column_statistics(self._found("column_statistics", table_path, partition_spec))

    @override
    def alter_partition_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition_statistics: CatalogTableStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        values = (statistics_text(partition_statistics),)
        self._change_partition("UPDATE partitions SET statistics = ?", values, table_path, partition_spec, ignore_if_not_exists)

    @override
    def alter_partition_column_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        column_statistics: CatalogColumnStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        with self.transaction():
            if not self.partition_exists(table_path, partition_spec) and ignore_if_not_exists:
                return
            known = self.get_partition_column_statistics(table_path, partition_spec)
            values = (column_statistics_text(known.updated(column_statistics)),)
            self._change_partition("UPDATE partitions SET column_statistics = ?", values, table_path, partition_spec, False)

    # --- parts -------------------------------------------------------------------------------------------------------------------

    def _partition(self, column: str, table_path: ObjectPath, spec: CatalogPartitionSpec) -> tuple[Any, ...] | None:
        sql = f"SELECT {column} FROM partitions WHERE database = ? AND table_name = ? AND spec = ?"
        return self._file.row(sql, *_key(table_path), spec_text(spec))

    def _found(self, column: str, table_path: ObjectPath, spec: CatalogPartitionSpec) -> Any:
        found = self._partition(column, table_path, spec)
        if found is None:
            raise self._no_partition(table_path, spec)
        return found[0]

    def _change_partition(
        self, sql: str, values: Sequence[object], table_path: ObjectPath, spec: CatalogPartitionSpec, ignore_if_not_exists: bool
    ) -> None:
        with self.transaction():
            where = "WHERE database = ? AND table_name = ? AND spec = ?"
            if not self._file.change(f"{sql} {where}", *values, *_key(table_path), spec_text(spec)) and not ignore_if_not_exists:
                raise self._no_partition(table_path, spec)


def _key(path: ObjectPath) -> tuple[str, str]:
    return path.database_name, path.object_name
