"""Models of a session: what CREATE MODEL declares. They are described and listed; no engine here calls one."""

from __future__ import annotations

from threading import RLock

from table_api.catalog.catalog_manager import CatalogManager
from table_api.catalog.in_memory_catalog import GenericInMemoryCatalog
from table_common.catalog import CatalogModel, ObjectIdentifier
from table_common.exceptions import CatalogException

__all__ = ["ModelCatalog"]


class ModelCatalog:
    """Temporary models, and those of catalogs in memory; other catalogs are asked. Safe to use from several threads."""

    def __init__(self, catalogs: CatalogManager) -> None:
        self._catalogs = catalogs
        self._temporary: dict[ObjectIdentifier, CatalogModel] = {}
        self._in_memory: dict[ObjectIdentifier, CatalogModel] = {}
        self._lock = RLock()

    def find(self, path: tuple[str, ...]) -> tuple[ObjectIdentifier, CatalogModel, bool] | None:
        """Returns full name, model and whether it is temporary, temporary ones first; None if there is none."""
        identifier = self._catalogs.qualify(path)
        with self._lock:
            if identifier in self._temporary:
                return identifier, self._temporary[identifier], True
            model = self._in_memory.get(identifier)
            return None if model is None else (identifier, model, False)

    def get(self, path: tuple[str, ...]) -> tuple[ObjectIdentifier, CatalogModel, bool]:
        """Returns what ``find`` does.

        Raises:
            CatalogException: there is no such model.
        """
        found = self.find(path)
        if found is None:
            identifier = self._catalogs.qualify(path)
            names = self.list_models(identifier.catalog_name, identifier.database_name)
            raise CatalogException.unknown("Model", identifier.as_summary_string(), names)
        return found

    def create(self, path: tuple[str, ...], model: CatalogModel, ignore_if_exists: bool = False, *, is_temporary: bool = False) -> None:
        """Adds a model.

        Raises:
            CatalogException: there is one of that name, or its catalog keeps no models.
        """
        identifier = self._catalogs.qualify(path)
        with self._lock:
            models = self._temporary if is_temporary else self._models_of(identifier, model)
            if identifier not in models:
                models[identifier] = model
            elif not ignore_if_exists:
                kind = "Temporary model" if is_temporary else "Model"
                raise CatalogException(f"{kind} '{identifier.as_summary_string()}' exists already.")

    def alter(self, path: tuple[str, ...], model: CatalogModel) -> None:
        """Puts another definition in the place of the one there is."""
        identifier, _, is_temporary = self.get(path)
        with self._lock:
            (self._temporary if is_temporary else self._in_memory)[identifier] = model

    def rename(self, path: tuple[str, ...], new_name: str) -> None:
        """Renames a model within its database.

        Raises:
            CatalogException: there is none, or there is one of the new name.
        """
        identifier, model, is_temporary = self.get(path)
        renamed = ObjectIdentifier(identifier.catalog_name, identifier.database_name, new_name)
        self.create(renamed.parts, model, is_temporary=is_temporary)
        self.drop(path, is_temporary=is_temporary)

    def drop(self, path: tuple[str, ...], ignore_if_not_exists: bool = False, *, is_temporary: bool = False) -> bool:
        """Takes a model away; returns whether there was one.

        Raises:
            CatalogException: there is none, or a temporary one hides the one that would be dropped.
        """
        identifier = self._catalogs.qualify(path)
        with self._lock:
            if not is_temporary and identifier in self._temporary:
                raise CatalogException(
                    f"Temporary model '{identifier.as_summary_string()}' exists and hides what would be dropped.",
                    hint="DROP TEMPORARY MODEL it first",
                )
            models = self._temporary if is_temporary else self._in_memory
            if models.pop(identifier, None) is not None:
                return True
            if not ignore_if_not_exists:
                kind = "Temporary model" if is_temporary else "Model"
                raise CatalogException.unknown(kind, identifier.as_summary_string(), [known.as_summary_string() for known in models])
            return False

    def list_models(self, catalog_name: str | None = None, database_name: str | None = None) -> list[str]:
        """Returns the names of a database's models, by default of the current one, sorted."""
        with self._lock:
            return sorted(
                {*self._names(self._temporary, catalog_name, database_name), *self._names(self._in_memory, catalog_name, database_name)}
            )

    def list_temporary_models(self) -> list[str]:
        """Returns the names of the current database's temporary models, sorted."""
        with self._lock:
            return sorted(self._names(self._temporary, None, None))

    def _names(self, models: dict[ObjectIdentifier, CatalogModel], catalog_name: str | None, database_name: str | None) -> list[str]:
        place = (catalog_name or self._catalogs.current_catalog, database_name or self._catalogs.current_database)
        return [identifier.object_name for identifier in models if identifier.parts[:2] == place]

    def _models_of(self, identifier: ObjectIdentifier, model: CatalogModel) -> dict[ObjectIdentifier, CatalogModel]:
        """Returns the models in memory; another catalog than those in memory is asked, and says why it keeps none."""
        catalog = self._catalogs.get_catalog(identifier.catalog_name)
        catalog.get_database(identifier.database_name)
        if not isinstance(catalog, GenericInMemoryCatalog):
            catalog.create_model(identifier.to_object_path(), model, False)
        return self._in_memory
