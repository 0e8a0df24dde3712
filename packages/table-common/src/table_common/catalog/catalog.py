"""The catalog SPI: databases, tables and views by path. What a catalog does not support it refuses with a reason."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from table_common.catalog.function import CatalogFunction
from table_common.catalog.identifiers import ObjectPath
from table_common.catalog.table import CatalogBaseTable
from table_common.exceptions import CatalogException
from table_common.frozen_dataclass import dataclass, field

__all__ = ["Catalog", "CatalogDatabase"]


@dataclass(frozen=True, slots=True)
class CatalogDatabase:
    """A database: properties and a comment."""

    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None


class Catalog(ABC):
    """Stores the objects of one catalog; safe to call from several threads."""

    @property
    @abstractmethod
    def default_database(self) -> str:
        """The database that is current when the catalog is."""

    def open(self) -> None:  # noqa: B027  # a catalog without resources has nothing to do
        """Connects; called once, before anything else."""

    def close(self) -> None:  # noqa: B027
        """Lets go of connections; called once, at the end."""

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

    def alter_database(self, name: str, database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
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
        raise CatalogException.unknown("Function", function_path.object_name, self.list_functions(function_path.database_name))

    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        """Creates a function."""
        raise self._read_only("create a function")

    def alter_function(self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool) -> None:
        """Replaces a function."""
        raise self._read_only("alter a function")

    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """Drops a function."""
        raise self._read_only("drop a function")

    def _read_only(self, what: str) -> CatalogException:
        return CatalogException(f"{type(self).__name__} cannot {what}: it is read-only.")
