"""``ModelDescriptor``, and the methods of ``TableEnvironment`` about models."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Self

from table_api.environment.session_holder import SessionHolder
from table_common.catalog import CatalogModel, ResolvedSchema, Schema, parse_path
from table_common.frozen_dataclass import dataclass, field

if TYPE_CHECKING:
    from table_api.tables.model import Model

_ANONYMOUS = count(1)


@dataclass(frozen=True, slots=True)
class ModelDescriptor:
    """The definition of a model, as CREATE MODEL has it.

    Example:
        >>> schema = Schema.new_builder().column("text", DataTypes.STRING()).build()
        >>> descriptor = ModelDescriptor.for_provider("openai").input_schema(schema).option("task", "classification").build()
        >>> descriptor.provider, descriptor.options
        ('openai', {'task': 'classification'})

    Source: Flink's ``org.apache.flink.table.api.ModelDescriptor``.
    """

    provider: str
    options: Mapping[str, str] = field(default_factory=dict)
    input_schema: Schema = Schema()
    output_schema: Schema = Schema()
    comment: str | None = None

    @staticmethod
    def for_provider(provider: str) -> ModelDescriptor.Builder:
        """Returns a builder for a model of a provider."""
        return ModelDescriptor.Builder(provider)

    class Builder:
        """Builds a ``ModelDescriptor``."""

        def __init__(self, provider: str) -> None:
            self._provider = provider
            self._options: dict[str, str] = {}
            self._input_schema = self._output_schema = Schema()
            self._comment: str | None = None

        def option(self, key: str, value: object) -> Self:
            """Sets an option of the provider."""
            self._options[key] = str(value)
            return self

        def input_schema(self, schema: Schema) -> Self:
            """Sets the columns that the model takes."""
            self._input_schema = schema
            return self

        def output_schema(self, schema: Schema) -> Self:
            """Sets the columns that the model returns."""
            self._output_schema = schema
            return self

        def comment(self, comment: str) -> Self:
            """Sets the comment."""
            self._comment = comment
            return self

        def build(self) -> ModelDescriptor:
            """Returns the descriptor."""
            return ModelDescriptor(self._provider, dict(self._options), self._input_schema, self._output_schema, self._comment)


class ModelMethods(SessionHolder):
    """Creates, drops and lists models."""

    def create_model(self, model_path: str, model_descriptor: ModelDescriptor, ignore_if_exists: bool = False) -> None:
        """Stores a model in a catalog.

        Raises:
            CatalogException: the catalog does not support models, or a model of that name exists and ``ignore_if_exists`` is false.
        """
        self._session.models.create(parse_path(model_path), self._model(model_descriptor), ignore_if_exists)

    def create_temporary_model(self, model_path: str, model_descriptor: ModelDescriptor, ignore_if_exists: bool = False) -> None:
        """Registers a model for this session; the catalog and database of its path need not exist.

        Raises:
            CatalogException: a temporary model of that name exists and ``ignore_if_exists`` is false.
        """
        self._session.models.create(parse_path(model_path), self._model(model_descriptor), ignore_if_exists, is_temporary=True)

    def drop_model(self, model_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drops a model of a catalog; returns whether it existed.

        Raises:
            CatalogException: it does not exist and ``ignore_if_not_exists`` is false.
        """
        return self._session.models.drop(parse_path(model_path), ignore_if_not_exists)

    def drop_temporary_model(self, model_path: str) -> bool:
        """Drops a temporary model; returns whether it existed."""
        return self._session.models.drop(parse_path(model_path), True, is_temporary=True)

    def from_model(self, model: str | ModelDescriptor) -> Model:
        """Returns a model by its path, or the model of a descriptor, which no catalog has.

        Raises:
            CatalogException: the model does not exist.
        """
        from table_api.tables.model import Model  # few programs run models

        if isinstance(model, str):
            identifier, found, _ = self._session.models.get(parse_path(model))
            return Model(self._session, identifier, found)
        name = f"*anonymous_{model.provider}${next(_ANONYMOUS)}*"
        return Model(self._session, self._session.tables.qualify((name,)), self._model(model))

    def list_models(self) -> list[str]:
        """Returns the names of models in the current database, sorted."""
        return self._session.models.list_models()

    def list_temporary_models(self) -> list[str]:
        """Returns the names of temporary models in the current database, sorted."""
        return self._session.models.list_temporary_models()

    def _model(self, descriptor: ModelDescriptor) -> CatalogModel:
        def resolved(schema: Schema) -> ResolvedSchema:
            return self._session.catalog_manager.schema_resolver.resolve(schema)

        options = {"provider": descriptor.provider, **descriptor.options}
        return CatalogModel(resolved(descriptor.input_schema), resolved(descriptor.output_schema), options, descriptor.comment)
