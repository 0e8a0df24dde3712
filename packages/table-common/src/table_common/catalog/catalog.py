"""The catalog SPI: databases, tables, views, partitions, functions and statistics by path.

A catalog must implement reading of databases and tables. The other methods have defaults, which return nothing or refuse with a reason.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from table_common.catalog.described_object import WithProperties
from table_common.catalog.function import CatalogFunction
from table_common.catalog.identifiers import ObjectPath
from table_common.catalog.partition import CatalogPartition, CatalogPartitionSpec
from table_common.catalog.statistics import CatalogColumnStatistics, CatalogTableStatistics
from table_common.catalog.table import CatalogBaseTable, CatalogTable
from table_common.catalog_exceptions import FunctionNotExistException, PartitionNotExistException
from table_common.exceptions import CatalogException
from table_common.frozen_dataclass import dataclass

if TYPE_CHECKING:
    from table_common.catalog.procedure import Procedure
    from table_common.gate import AllowedPath


@dataclass(frozen=True)
class CatalogDatabase(WithProperties):
    """A database: properties and a comment.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogDatabase``.

    Example:
        >>> CatalogDatabase({"location": "/data/sales"}, comment="orders and customers").comment
        'orders and customers'
    """


class Catalog(ABC):
    """Stores the objects of one catalog; its methods are safe to call from several threads.

    Subclass it and register the factory under the entry point group ``table.catalogs``. By default the catalog is read-only.

    Raises:
        CatalogException: from any method, unless it says otherwise: an object that it names does not exist (and ``ignore_if_not_exists`` is
            false), an object exists already (and ``ignore_if_exists`` is false), or the catalog does not support the change.

    Source: Flink's ``org.apache.flink.table.catalog.Catalog``.

    Example:
        >>> from table_common.exceptions import CatalogException
        >>> class OneDatabase(Catalog):
        ...     default_database = "main"
        ...     def list_databases(self):
        ...         return ["main"]
        ...     def database_exists(self, database_name):
        ...         return database_name == "main"
        ...     def get_database(self, database_name):
        ...         return CatalogDatabase()
        ...     def list_tables(self, database_name):
        ...         return []
        ...     list_views = list_tables
        ...     def table_exists(self, table_path):
        ...         return False
        ...     def get_table(self, table_path):
        ...         raise CatalogException.unknown("Table", str(table_path), [])
        >>> OneDatabase().find_table(ObjectPath("main", "orders")) is None
        True
    """

    @property
    @abstractmethod
    def default_database(self) -> str:
        """The database that is current when the catalog is."""

    def get_default_database(self) -> str:
        """Returns the database that is current when the catalog is, under PyFlink's name."""
        return self.default_database

    def open(self) -> None:  # noqa: B027  # a catalog without resources has nothing to do
        """Connects; called once, before anything else."""

    def close(self) -> None:  # noqa: B027
        """Closes connections; called once, at the end."""

    def transaction(self) -> AbstractContextManager[object]:
        """Returns a transaction: reads are repeatable until the context ends, and either all changes or none take effect.

        By default there is no transaction: each change takes effect alone, and others can change objects in between.
        """
        return nullcontext()

    @abstractmethod
    def list_databases(self) -> list[str]:
        """Returns the names of all databases, sorted."""

    @abstractmethod
    def database_exists(self, database_name: str) -> bool:
        """Returns whether the database exists."""

    @abstractmethod
    def get_database(self, database_name: str) -> CatalogDatabase:
        """Returns a database.

        Raises:
            CatalogException: it does not exist.
        """

    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        """Creates a database."""
        raise self._read_only("create a database")

    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        """Replaces a database's properties."""
        raise self._read_only("alter a database")

    def drop_database(self, name: str, ignore_if_not_exists: bool, cascade: bool = False) -> None:
        """Drops a database; one that is not empty only with ``cascade``."""
        raise self._read_only("drop a database")

    @abstractmethod
    def list_tables(self, database_name: str) -> list[str]:
        """Returns the names of all tables and views of a database, sorted."""

    @abstractmethod
    def list_views(self, database_name: str) -> list[str]:
        """Returns the names of all views of a database, sorted."""

    @abstractmethod
    def table_exists(self, table_path: ObjectPath) -> bool:
        """Returns whether a table or view of this path exists."""

    @abstractmethod
    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        """Returns a table or view.

        Raises:
            CatalogException: it does not exist.
        """

    def find_table(self, table_path: ObjectPath) -> CatalogBaseTable | None:
        """Returns a table or view, or None if there is none. A catalog with concurrent writers overrides this with one request."""
        return self.get_table(table_path) if self.table_exists(table_path) else None

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        """Creates a table or view."""
        raise self._read_only("create a table")

    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        """Replaces a table or view."""
        raise self._read_only("alter a table")

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        """Renames a table or view within its database."""
        raise self._read_only("rename a table")

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """Drops a table or view; its data stays."""
        raise self._read_only("drop a table")

    # --- functions ---------------------------------------------------------------------------------------------------------------

    def list_functions(self, database_name: str) -> list[str]:
        """Returns the names of all functions of a database, sorted; names are in lower case."""
        return []

    def function_exists(self, function_path: ObjectPath) -> bool:
        """Returns whether the function exists."""
        return function_path.object_name in self.list_functions(function_path.database_name)

    def get_function(self, function_path: ObjectPath) -> CatalogFunction:
        """Returns a function.

        Raises:
            CatalogException: it does not exist.
        """
        raise FunctionNotExistException.unknown("Function", function_path.object_name, self.list_functions(function_path.database_name))

    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        """Creates a function."""
        raise self._read_only("create a function")

    def alter_function(self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool) -> None:
        """Replaces a function."""
        raise self._read_only("alter a function")

    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """Drops a function."""
        raise self._read_only("drop a function")

    # --- partitions --------------------------------------------------------------------------------------------------------------

    def list_partitions(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None) -> list[CatalogPartitionSpec]:
        """Returns the partitions of a table that have the given values, in the order of their keys and values.

        Raises:
            CatalogException: the table does not exist or is not partitioned, or a key is not the table's.
        """
        self._check_partition_keys(table_path, partition_spec)
        return []

    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        """Returns whether the table has the partition."""
        return False

    def get_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogPartition:
        """Returns the metadata of a partition.

        Raises:
            CatalogException: it does not exist.
        """
        raise self._no_partition(table_path, partition_spec)

    def create_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, partition: CatalogPartition, ignore_if_exists: bool
    ) -> None:
        """Adds a partition; all keys of the table have a value."""
        raise self._read_only("add a partition")

    def drop_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, ignore_if_not_exists: bool) -> None:
        """Drops a partition; its data stays."""
        raise self._read_only("drop a partition")

    def alter_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, new_partition: CatalogPartition, ignore_if_not_exists: bool
    ) -> None:
        """Replaces the metadata of a partition."""
        raise self._read_only("alter a partition")

    # --- statistics --------------------------------------------------------------------------------------------------------------

    def get_table_statistics(self, table_path: ObjectPath) -> CatalogTableStatistics:
        """Returns the statistics of a table; unknown values are None.

        Raises:
            CatalogException: the table does not exist.
        """
        self.get_table(table_path)
        return CatalogTableStatistics()

    def get_table_column_statistics(self, table_path: ObjectPath) -> CatalogColumnStatistics:
        """Returns the column statistics of a table.

        Raises:
            CatalogException: the table does not exist.
        """
        self.get_table(table_path)
        return CatalogColumnStatistics()

    def get_partition_statistics(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogTableStatistics:
        """Returns the statistics of a partition; unknown values are None.

        Raises:
            CatalogException: it does not exist.
        """
        self.get_partition(table_path, partition_spec)
        return CatalogTableStatistics()

    def get_partition_column_statistics(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogColumnStatistics:
        """Returns the column statistics of a partition.

        Raises:
            CatalogException: it does not exist.
        """
        self.get_partition(table_path, partition_spec)
        return CatalogColumnStatistics()

    def bulk_get_partition_statistics(
        self, table_path: ObjectPath, partition_specs: Sequence[CatalogPartitionSpec]
    ) -> list[CatalogTableStatistics]:
        """Returns the statistics of several partitions, in order."""
        return [self.get_partition_statistics(table_path, spec) for spec in partition_specs]

    def bulk_get_partition_column_statistics(
        self, table_path: ObjectPath, partition_specs: Sequence[CatalogPartitionSpec]
    ) -> list[CatalogColumnStatistics]:
        """Returns the column statistics of several partitions, in order."""
        return [self.get_partition_column_statistics(table_path, spec) for spec in partition_specs]

    def alter_table_statistics(self, table_path: ObjectPath, table_statistics: CatalogTableStatistics, ignore_if_not_exists: bool) -> None:
        """Replaces the statistics of a table."""
        raise self._read_only("keep statistics")

    def alter_table_column_statistics(
        self, table_path: ObjectPath, column_statistics: CatalogColumnStatistics, ignore_if_not_exists: bool
    ) -> None:
        """Replaces the statistics of the columns in ``column_statistics``; those of other columns stay."""
        raise self._read_only("keep statistics")

    def alter_partition_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition_statistics: CatalogTableStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        """Replaces the statistics of a partition."""
        raise self._read_only("keep statistics")

    def alter_partition_column_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        column_statistics: CatalogColumnStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        """Replaces the statistics of the columns in ``column_statistics`` of a partition; those of other columns stay."""
        raise self._read_only("keep statistics")

    # --- models and procedures ---------------------------------------------------------------------------------------------------

    def list_models(self, database_name: str) -> list[str]:
        """Returns the names of all models of a database; there are none."""
        self.get_database(database_name)
        return []

    def model_exists(self, model_path: ObjectPath) -> bool:
        """Returns whether the model exists."""
        return False

    def get_model(self, model_path: ObjectPath) -> object:
        """Refuses: there are no models."""
        raise self._no_models()

    def create_model(self, model_path: ObjectPath, model: object, ignore_if_exists: bool) -> None:
        """Refuses: there are no models."""
        raise self._no_models()

    def alter_model(self, model_path: ObjectPath, new_model: object, ignore_if_not_exists: bool) -> None:
        """Refuses: there are no models."""
        raise self._no_models()

    def rename_model(self, model_path: ObjectPath, new_model_name: str, ignore_if_not_exists: bool) -> None:
        """Refuses: there are no models."""
        raise self._no_models()

    def drop_model(self, model_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """Refuses, unless ``ignore_if_not_exists`` is true."""
        if not ignore_if_not_exists:
            raise self._no_models()

    def list_procedures(self, database_name: str) -> list[str]:
        """Returns the names of all procedures of a database; by default there are none."""
        self.get_database(database_name)
        return []

    def get_procedure(self, procedure_path: ObjectPath) -> Procedure:
        """Returns a procedure; by default there are none.

        Raises:
            CatalogException: it does not exist.
        """
        raise CatalogException(f"The procedure {procedure_path} does not exist: {type(self).__name__} has no procedures.")

    def list_materialized_tables(self, database_name: str) -> list[str]:
        """Returns the names of all materialized tables of a database, sorted; by default there are none."""
        self.get_database(database_name)
        return []

    def managed_table_options(self, table_path: ObjectPath) -> Mapping[str, str]:
        """Returns the options of a table that is declared without 'connector', whose rows the catalog keeps; by default it keeps none."""
        return {}

    def prepare_managed_rows(self, table: CatalogBaseTable) -> bool:
        """Makes a place for the rows of a new table, if the catalog keeps them; returns whether it does.

        Raises:
            CatalogException: there are rows already.
        """
        return False

    def remove_managed_rows(self, table: CatalogBaseTable) -> bool:
        """Deletes the rows of a table that is to be dropped, if the catalog keeps them; returns whether it does."""
        return False

    def scheduler_lock(self) -> AllowedPath | None:
        """Returns the file that the process locks which refreshes the catalog's materialized tables; None if no other process could do so too."""
        return None

    # --- shared by implementations -----------------------------------------------------------------------------------------------

    def _read_only(self, what: str) -> CatalogException:
        return CatalogException(f"{type(self).__name__} cannot {what}: it is read-only.")

    def _no_models(self) -> CatalogException:
        return CatalogException(f"{type(self).__name__} keeps no models.", hint="CREATE TEMPORARY MODEL, which the session keeps")

    def _check_partition_keys(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None) -> tuple[str, ...]:
        """Returns the partition keys of a table after checking that there are some, and that those of the specification are among them."""
        table = self.get_table(table_path)
        keys = table.partition_keys if isinstance(table, CatalogTable) else ()
        (partition_spec or CatalogPartitionSpec({})).check_keys(keys, f"Table {table_path}")
        return keys

    def _no_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogException:
        known = [str(spec) for spec in self.list_partitions(table_path)]
        return PartitionNotExistException.unknown("Partition", str(partition_spec), known, where=f"table {table_path}")
