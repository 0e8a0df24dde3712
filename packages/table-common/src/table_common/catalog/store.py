"""The store of catalog declarations, so that CREATE CATALOG can outlive the session."""

from __future__ import annotations

from abc import ABC, abstractmethod

from table_common.catalog.descriptor import CatalogDescriptor


class CatalogStore(ABC):
    """Stores catalog declarations by name; safe to use from several threads.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogStore``.

    Example:
        >>> class InMemory(CatalogStore):
        ...     def __init__(self):
        ...         self.catalogs = {}
        ...     def store_catalog(self, catalog_name, catalog):
        ...         self.catalogs[catalog_name] = catalog
        ...     def remove_catalog(self, catalog_name, ignore_if_not_exists):
        ...         del self.catalogs[catalog_name]
        ...     def get_catalog(self, catalog_name):
        ...         return self.catalogs.get(catalog_name)
        ...     def list_catalogs(self):
        ...         return sorted(self.catalogs)
        >>> store = InMemory()
        >>> store.store_catalog("stock", CatalogDescriptor({"type": "sqlite"}))
        >>> store.contains("stock"), store.list_catalogs()
        (True, ['stock'])
    """

    def open(self) -> None:  # noqa: B027  # a store without resources has nothing to do
        """Connects; called once, before anything else.

        Raises:
            CatalogException: the store cannot be reached.
        """

    def close(self) -> None:  # noqa: B027
        """Releases resources; called once, at the end."""

    @abstractmethod
    def store_catalog(self, catalog_name: str, catalog: CatalogDescriptor) -> None:
        """Stores a declaration.

        Raises:
            CatalogException: a catalog of that name is declared already.
        """

    def replace_catalog(self, catalog_name: str, catalog: CatalogDescriptor) -> None:
        """Replaces the declaration of a catalog."""
        self.remove_catalog(catalog_name, True)
        self.store_catalog(catalog_name, catalog)

    @abstractmethod
    def remove_catalog(self, catalog_name: str, ignore_if_not_exists: bool) -> None:
        """Removes a declaration.

        Raises:
            CatalogException: no catalog of that name is declared and ``ignore_if_not_exists`` is false, or the store cannot be written.
        """

    @abstractmethod
    def get_catalog(self, catalog_name: str) -> CatalogDescriptor | None:
        """Returns a declaration, or None if there is none of that name.

        Raises:
            CatalogException: the declaration cannot be read.
        """

    @abstractmethod
    def list_catalogs(self) -> list[str]:
        """Returns the names of all catalogs that are declared, sorted."""

    def contains(self, catalog_name: str) -> bool:
        """Returns whether a catalog of that name is declared."""
        return self.get_catalog(catalog_name) is not None
