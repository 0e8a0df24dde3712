"""The models of a session, which ML_PREDICT runs."""

from __future__ import annotations

from threading import RLock

from table_api.catalog.catalog_manager import CatalogManager
from table_common.catalog import Catalog, CatalogModel, ObjectIdentifier
from table_common.catalog_exceptions import ModelAlreadyExistException, ModelNotExistException
from table_common.exceptions import CatalogException


class ModelCatalog:
    """Temporary models and models of catalogs. Safe to use from several threads."""

    def __init__(self, catalogs: CatalogManager) -> None:
        self._catalogs = catalogs
        self._temporary: dict[ObjectIdentifier, CatalogModel] = {}
        self._lock = RLock()

    def find(self, path: tuple[str, ...]) -> tuple[ObjectIdentifier, CatalogModel, bool] | None:
        """Returns identifier, model and whether it is temporary; temporary models come first. None if it does not exist."""
        identifier = self._catalogs.qualify(path)
        with self._lock:
            if identifier in self._temporary:
                return identifier, self._temporary[identifier], True
        catalog = self._catalog_of(identifier)
        if not catalog.model_exists(identifier.to_object_path()):
            return None
        model = catalog.get_model(identifier.to_object_path())
        assert isinstance(model, CatalogModel)
        return identifier, model, False

    def get(self, path: tuple[str, ...]) -> tuple[ObjectIdentifier, CatalogModel, bool]:
        """Does what ``find`` does.

        Raises:
            CatalogException: the model does not exist.
        """
        found = self.find(path)
        if found is None:
            identifier = self._catalogs.qualify(path)
            names = self.list_models(identifier.catalog_name, identifier.database_name)
            raise ModelNotExistException.unknown("Model", identifier.as_summary_string(), names)
        return found

    def create(self, path: tuple[str, ...], model: CatalogModel, ignore_if_exists: bool = False, *, is_temporary: bool = False) -> None:
        """Creates a model.

        Raises:
            CatalogException: a model of that name exists and ``ignore_if_exists`` is false, or the catalog does not support models.
        """
        identifier = self._catalogs.qualify(path)
        if not is_temporary:
            self._catalog_of(identifier).create_model(identifier.to_object_path(), model, ignore_if_exists)
            return
        with self._lock:
            if identifier not in self._temporary:
                self._temporary[identifier] = model
            elif not ignore_if_exists:
                raise ModelAlreadyExistException(f"Temporary model '{identifier.as_summary_string()}' exists already.")

    def alter(self, path: tuple[str, ...], model: CatalogModel) -> None:
        """Replaces the definition of a model.

        Raises:
            CatalogException: it does not exist.
        """
        identifier, _, is_temporary = self.get(path)
        if not is_temporary:
            self._catalog_of(identifier).alter_model(identifier.to_object_path(), model, False)
            return
        with self._lock:
            self._temporary[identifier] = model

    def rename(self, path: tuple[str, ...], new_name: str) -> None:
        """Renames a model within its database.

        Raises:
            CatalogException: it does not exist, or a model of the new name exists.
        """
        identifier, model, is_temporary = self.get(path)
        if not is_temporary:
            self._catalog_of(identifier).rename_model(identifier.to_object_path(), new_name, False)
            return
        renamed = ObjectIdentifier(identifier.catalog_name, identifier.database_name, new_name)
        self.create(renamed.parts, model, is_temporary=True)
        self.drop(path, is_temporary=True)

    def drop(self, path: tuple[str, ...], ignore_if_not_exists: bool = False, *, is_temporary: bool = False) -> bool:
        """Drops a model; returns whether it existed.

        Raises:
            CatalogException: it does not exist and that is not ignored, or a temporary model hides it.
        """
        identifier = self._catalogs.qualify(path)
        name = identifier.as_summary_string()
        with self._lock:
            if is_temporary:
                if self._temporary.pop(identifier, None) is not None:
                    return True
                if ignore_if_not_exists:
                    return False
                raise ModelNotExistException.unknown("Temporary model", name, [known.as_summary_string() for known in self._temporary])
            if identifier in self._temporary:
                raise CatalogException(
                    f"Temporary model '{name}' exists and hides the model that would be dropped.", hint="DROP TEMPORARY MODEL it first"
                )
        catalog, model_path = self._catalog_of(identifier), identifier.to_object_path()
        if catalog.model_exists(model_path):
            catalog.drop_model(model_path, False)
            return True
        if ignore_if_not_exists:
            return False
        known = catalog.list_models(identifier.database_name) if catalog.database_exists(identifier.database_name) else []
        raise ModelNotExistException.unknown("Model", name, known)

    def list_models(self, catalog_name: str | None = None, database_name: str | None = None) -> list[str]:
        """Returns the names of models in a database, by default the current one, sorted."""
        catalog_name = catalog_name or self._catalogs.current_catalog
        database_name = database_name or self._catalogs.current_database
        catalog = self._catalogs.get_catalog(catalog_name)
        return sorted({*self._temporary_in(catalog_name, database_name), *catalog.list_models(database_name)})

    def list_temporary_models(self) -> list[str]:
        """Returns the names of temporary models in the current database, sorted."""
        return sorted(self._temporary_in(self._catalogs.current_catalog, self._catalogs.current_database))

    def _temporary_in(self, catalog_name: str, database_name: str) -> list[str]:
        with self._lock:
            return [name.object_name for name in self._temporary if name.parts[:2] == (catalog_name, database_name)]

    def _catalog_of(self, identifier: ObjectIdentifier) -> Catalog:
        return self._catalogs.get_catalog(identifier.catalog_name)
