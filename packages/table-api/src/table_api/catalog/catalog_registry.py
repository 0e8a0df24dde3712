"""The registry of a session's catalogs: registered ones, and those of a catalog store, which are opened at first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from threading import RLock
from typing import TYPE_CHECKING

from table_common.catalog import Catalog, CatalogDescriptor
from table_common.configuration import ReadableConfig, resolved_options
from table_common.exceptions import CatalogConflictException, CatalogException, TableError, ValidationException
from table_common.object_names import check_no_nul

if TYPE_CHECKING:
    from table_common.catalog import CatalogStore


class CatalogRegistry:
    """Catalogs by name; safe to use from several threads."""

    def __init__(self, store: Callable[[], CatalogStore], configuration: ReadableConfig, external: Mapping[str, object]) -> None:
        """``store`` creates the catalog store, at the first lookup of a name that no registered catalog has."""
        self._make_store = store
        self._configuration = configuration
        self._external = external
        self._made_store: CatalogStore | None = None
        self._catalogs: dict[str, Catalog] = {}
        self._declared: dict[str, CatalogDescriptor] = {}
        self._lock = RLock()

    def open_store(self) -> CatalogStore:
        """Opens the catalog store, which otherwise happens at its first use.

        Raises:
            ValidationException: it is not installed, or its options are wrong.
            CatalogException: it cannot be opened.
        """
        with self._lock:
            if self._made_store is None:
                store = self._make_store()
                store.open()
                self._made_store = store
            return self._made_store

    def register(self, name: str, catalog: Catalog) -> None:
        """Registers a catalog and opens it.

        Raises:
            CatalogException: a catalog of that name exists.
        """
        with self._lock:
            if self._catalogs:  # the first one is the session's initial catalog, which hides one of that name in the store
                self._check_new(name)
            catalog.open()
            self._catalogs[name] = catalog

    def create(self, name: str, descriptor: CatalogDescriptor, ignore_if_exists: bool = False) -> None:
        """Creates a catalog with the factory that its option ``type`` names, opens it, and stores its descriptor.

        Raises:
            ValidationException: the type is missing or unknown, or an option is wrong.
            CatalogException: a catalog of that name exists and ``ignore_if_exists`` is false, or it cannot be opened.
        """
        with self._lock:
            if ignore_if_exists and name in self:
                return
            self._check_new(name)
            catalog = self._opened(name, descriptor)
            try:
                self._store.store_catalog(name, descriptor)
            except CatalogException:
                catalog.close()
                if not (ignore_if_exists and self._store.contains(name)):  # another process was faster
                    raise
                return
            self._catalogs[name] = catalog
            self._declared[name] = descriptor

    def alter(self, name: str, change: Callable[[CatalogDescriptor], CatalogDescriptor], ignore_if_not_exists: bool = False) -> None:
        """Changes the descriptor of a catalog and reopens it; if that fails, the old catalog stays open.

        Raises:
            CatalogException: it does not exist, or was registered as an object.
            CatalogConflictException: another process altered it.
        """
        with self._lock:
            if name not in self and ignore_if_not_exists:
                return
            self.get(name)
            descriptor = self.descriptor(name)
            if descriptor is None:
                raise CatalogException(f"Catalog '{name}' was registered as an object, so it has no options to alter.")
            changed = change(descriptor)
            catalog = self._opened(name, changed) if changed.options != descriptor.options else None
            if self._store.get_catalog(name) != descriptor:
                if catalog is not None:
                    catalog.close()
                raise CatalogConflictException(f"Catalog '{name}' was altered by another process.")
            self._store.replace_catalog(name, changed)
            self._declared[name] = changed
            if catalog is not None:
                self._catalogs[name].close()
                self._catalogs[name] = catalog

    def drop(self, name: str) -> None:
        """Closes a catalog, and removes it and its descriptor.

        Raises:
            CatalogException: it does not exist.
        """
        with self._lock:
            if name not in self:
                raise CatalogException.unknown("Catalog", name, self)
            self._store.remove_catalog(name, True)
            self._declared.pop(name, None)
            catalog = self._catalogs.pop(name, None)
            if catalog is not None:
                catalog.close()

    def get(self, name: str) -> Catalog:
        """Returns a catalog, and opens it if it is in the catalog store only.

        Raises:
            CatalogException: it does not exist.
            ValidationException: it is in the catalog store, but cannot be created.
        """
        catalog = self.find(name)
        if catalog is None:
            raise CatalogException.unknown("Catalog", name, self)
        return catalog

    def find(self, name: str) -> Catalog | None:
        """Returns a catalog, or None if it does not exist; errors are those of ``get``."""
        catalog = self._catalogs.get(name)
        if catalog is not None:
            return catalog
        with self._lock:
            descriptor = self._store.get_catalog(name)
            if descriptor is None:
                return None
            try:
                catalog = self._opened(name, descriptor)
            except TableError as error:
                error.message = f"Catalog '{name}' of the catalog store cannot be opened: {error.message}"
                raise
            self._catalogs[name], self._declared[name] = catalog, descriptor
            return catalog

    def descriptor(self, name: str) -> CatalogDescriptor | None:
        """Returns the descriptor of a catalog, or None if it was registered as an object or does not exist."""
        if name in self._catalogs:
            return self._declared.get(name)
        return self._store.get_catalog(name)

    def __contains__(self, name: object) -> bool:
        return name in self._catalogs or (isinstance(name, str) and self._store.contains(name))

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._catalogs, *self._store.list_catalogs()}))

    def close(self) -> None:
        """Closes all catalogs and the store."""
        with self._lock:
            for catalog in self._catalogs.values():
                catalog.close()
            if self._made_store is not None:
                self._made_store.close()

    # --- parts -------------------------------------------------------------------------------------------------------------------

    @property
    def _store(self) -> CatalogStore:
        return self._made_store or self.open_store()

    def _check_new(self, name: str) -> None:
        if not name:
            raise CatalogException("The name of a catalog is empty.")
        check_no_nul(name, "the name of a catalog")
        if name in self:
            raise CatalogException(f"Catalog '{name}' exists already.")

    def _opened(self, name: str, descriptor: CatalogDescriptor) -> Catalog:
        from table_common.factories import CatalogFactory  # few sessions create catalogs

        if not descriptor.options.get("type"):
            installed = ", ".join(CatalogFactory.identifiers()) or "none is installed"
            raise ValidationException(f"Catalog '{name}' needs the option 'type'. Accepted: {installed}.")
        with resolved_options(descriptor.options, f"catalog '{name}'") as options:
            kind = options.pop("type")
            context = CatalogFactory.Context(name, options, self._configuration, self._external)
            catalog = CatalogFactory.discover(kind).create_catalog(context)
            try:
                catalog.open()
            except OSError as error:
                raise CatalogException(f"Catalog '{name}' cannot be opened: {error.strerror or error}.") from error
            return catalog


def configured_store(configuration: ReadableConfig) -> CatalogStore:
    """Returns the catalog store that the options name."""
    from table_api.catalog.catalog_store_options import catalog_store_of  # few sessions have a store

    return catalog_store_of(configuration)
