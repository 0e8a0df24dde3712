"""The models of a catalog in memory."""

from __future__ import annotations

from threading import RLock

from table_common.annotation import override
from table_common.catalog import Catalog, CatalogModel, ObjectPath
from table_common.catalog_exceptions import ModelAlreadyExistException, ModelNotExistException


class InMemoryModels(Catalog):
    """The model methods of a catalog that keeps models in memory."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._models: dict[ObjectPath, CatalogModel] = {}

    @override
    def list_models(self, database_name: str) -> list[str]:
        with self._lock:
            self.get_database(database_name)
            return sorted(path.object_name for path in self._models if path.database_name == database_name)

    @override
    def model_exists(self, model_path: ObjectPath) -> bool:
        return model_path in self._models

    @override
    def get_model(self, model_path: ObjectPath) -> CatalogModel:
        with self._lock:
            model = self._models.get(model_path)
            if model is None:
                raise ModelNotExistException.unknown("Model", str(model_path), map(str, self._models))
            return model

    @override
    def create_model(self, model_path: ObjectPath, model: object, ignore_if_exists: bool) -> None:
        assert isinstance(model, CatalogModel)
        with self._lock:
            self.get_database(model_path.database_name)
            if model_path not in self._models:
                self._models[model_path] = model
            elif not ignore_if_exists:
                raise ModelAlreadyExistException(f"Model '{model_path}' exists already.")

    @override
    def alter_model(self, model_path: ObjectPath, new_model: object, ignore_if_not_exists: bool) -> None:
        assert isinstance(new_model, CatalogModel)
        with self._lock:
            if model_path in self._models or not ignore_if_not_exists:
                self.get_model(model_path)
                self._models[model_path] = new_model

    @override
    def rename_model(self, model_path: ObjectPath, new_model_name: str, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if model_path in self._models or not ignore_if_not_exists:
                self.create_model(ObjectPath(model_path.database_name, new_model_name), self.get_model(model_path), False)
                del self._models[model_path]

    @override
    def drop_model(self, model_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if model_path in self._models or not ignore_if_not_exists:
                self.get_model(model_path)
                del self._models[model_path]
