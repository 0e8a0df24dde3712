"""Factories of the providers of models."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from table_common.catalog import CatalogModel, ObjectIdentifier
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import ModelProvider
from table_common.factories.factory import Factory
from table_common.factories.option_validation import validate_options
from table_common.frozen_dataclass import dataclass, field
from table_common.gate import Gate, current_gate


class ModelProviderFactory(Factory):
    """Makes the providers of models; the entry point's name is the ``provider`` of CREATE MODEL.

    Source: Flink's ``org.apache.flink.table.factories.ModelProviderFactory``.

    Example:
        >>> class EchoFactory(ModelProviderFactory):
        ...     factory_identifier = "echo"
        ...     def create_model_provider(self, context):
        ...         self.validated_options(context)
        ...         return EchoProvider()
        >>> EchoFactory().factory_identifier
        'echo'
    """

    GROUP: ClassVar[str] = "table.models"
    KIND: ClassVar[str] = "model provider"
    PROVIDER: ClassVar[ConfigOption[str]] = (
        ConfigOptions.key("provider").string_type().no_default_value().with_description("The identifier of the provider of a model.")
    )

    @dataclass(frozen=True, slots=True)
    class Context:
        """The model that is used: its name, its declaration, and the session's configuration."""

        object_identifier: ObjectIdentifier
        catalog_model: CatalogModel
        configuration: ReadableConfig = field(default_factory=ReadableConfig)

        @property
        def gate(self) -> Gate:
            """Makes what the options name, such as modules and hosts, into values that the restrictions of the session allow."""
            return current_gate()

        @property
        def where(self) -> str:
            """The model, for messages."""
            return f"model {self.object_identifier.as_summary_string()}"

    def validated_options(self, context: Context, prefixes: tuple[str, ...] = ()) -> ReadableConfig:
        """Returns the model's options, validated against those that the factory declares; keys with the prefixes are not validated.

        Raises:
            ValidationException: an option is missing, unknown or invalid.
        """
        return validate_options(
            context.catalog_model.options,
            self.required_options,
            (self.PROVIDER, *self.optional_options),
            context.where,
            ignored_prefixes=prefixes,
        )

    @abstractmethod
    def create_model_provider(self, context: Context) -> ModelProvider:
        """Returns the provider; validates the options of the model.

        Raises:
            ValidationException: an option is missing, unknown or invalid, or the model's columns are not what the provider accepts.
        """
