"""Where the declarations of catalogs are kept, so that CREATE CATALOG may survive the session."""

from __future__ import annotations

from abc import ABC, abstractmethod

from table_common.catalog.descriptor import CatalogDescriptor

__all__ = ["CatalogStore"]


class CatalogStore(ABC):
    """Keeps declarations of catalogs by name; safe to use from several threads."""

    def open(self) -> None:  # noqa: B027  # a store without resources has nothing to do
        """Connects; called once, before anything else."""

    def close(self) -> None:  # noqa: B027
        """Lets go of resources; called once, at the end."""

    @abstractmethod
    def store_catalog(self, catalog_name: str, catalog: CatalogDescriptor) -> None:
        """Keeps a declaration.

        Raises:
            CatalogException: there is one of that name.
        """

    def replace_catalog(self, catalog_name: str, catalog: CatalogDescriptor) -> None:
        """Keeps another declaration in the place of the one there is."""
        self.remove_catalog(catalog_name, True)
        self.store_catalog(catalog_name, catalog)

    @abstractmethod
    def remove_catalog(self, catalog_name: str, ignore_if_not_exists: bool) -> None:
        """Forgets a declaration."""

    @abstractmethod
    def get_catalog(self, catalog_name: str) -> CatalogDescriptor | None:
        """Returns a declaration, or None if there is none of that name."""

    @abstractmethod
    def list_catalogs(self) -> list[str]:
        """Returns the names of all catalogs that are declared, sorted."""

    def contains(self, catalog_name: str) -> bool:
        """Returns whether a catalog of that name is declared."""
        return self.get_catalog(catalog_name) is not None
