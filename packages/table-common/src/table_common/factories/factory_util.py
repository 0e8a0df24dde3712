"""Helpers of connectors for the options of a table: discovery of formats, and validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector.format import DecodingFormat, EncodingFormat
from table_common.exceptions import ValidationException
from table_common.factories.factory import Factory
from table_common.factories.format import DeserializationFormatFactory, FormatFactory, SerializationFormatFactory
from table_common.factories.option_validation import validate_options
from table_common.factories.table import DynamicTableFactory

_F = TypeVar("_F", bound=Factory)


class FactoryUtil:
    """Discovers factories by the options of a table, and validates the options. Discovery does not validate.

    Source: Flink's ``org.apache.flink.table.factories.FactoryUtil``.

    Example:
        >>> from table_common.factories import DynamicTableSourceFactory
        >>> class PagesFactory(DynamicTableSourceFactory):
        ...     def create_dynamic_table_source(self, context):
        ...         helper = FactoryUtil.create_table_factory_helper(self, context)
        ...         format = helper.discover_format(FormatFactory, FactoryUtil.FORMAT)
        ...         helper.validate()
        ...         return Pages(helper.options.get(PATH), format)
    """

    CONNECTOR: ConfigOption[str] = DynamicTableFactory.CONNECTOR
    FORMAT: ConfigOption[str] = (
        ConfigOptions.key("format").string_type().no_default_value().with_description("The identifier of the format of the rows.")
    )

    @staticmethod
    def version_key(option: ConfigOption[str]) -> str:
        """Returns the key of the option for the factory's version: ``format.version``."""
        return f"{option.key}.version"

    @staticmethod
    def format_prefix(option: ConfigOption[str], identifier: str) -> str:
        """Returns the prefix of the keys of a format's own options: ``json.`` for ``format``, ``key.json.`` for ``key.format``."""
        return f"{option.key.removesuffix('format')}{identifier}."

    @staticmethod
    def find(factory_class: type[_F], context: DynamicTableFactory.Context, option: ConfigOption[str]) -> _F:
        """Returns the factory that the table's option names, in the version of ``<option>.version``.

        Raises:
            ValidationException: the option is not set, no such factory is installed, or it is not of this class.
        """
        found = FactoryUtil.find_optional(factory_class, context, option)
        if found is None:
            installed = ", ".join(factory_class.identifiers()) or "none"
            raise ValidationException(f"{_where(context)} needs the option '{option.key}'. Installed {factory_class.KIND}s: {installed}.")
        return found

    @staticmethod
    def find_optional(factory_class: type[_F], context: DynamicTableFactory.Context, option: ConfigOption[str]) -> _F | None:
        """Returns the factory that the table's option names, or None if the option is not set.

        Raises:
            ValidationException: no such factory is installed, or it is not of this class.
        """
        options = ReadableConfig(context.catalog_table.options)
        identifier = options.get_optional(option)
        if identifier is None:
            return None
        try:
            return factory_class.discover(identifier, options.get(FactoryUtil.version_key(option)))
        except ValidationException as error:
            error.message = f"{_where(context)}: {error.message}"
            raise

    @staticmethod
    def validate(
        context: DynamicTableFactory.Context,
        used_options: Sequence[ConfigOption[str]],
        used_factories: Sequence[Factory],
        *,
        prefixes: Sequence[str] = (),
    ) -> ReadableConfig:
        """Returns the table's options after checking them against all that the factories declare.

        Args:
            used_options: the options that name formats, such as ``key.format`` and ``value.format``.
            used_factories: the table's own factory, then the factories that these options name, in their order.
            prefixes: keys with these prefixes, such as ``properties.``, are not validated.

        Raises:
            ValidationException: an option is missing or unknown (the message lists all of them, with the closest accepted keys), or a value is invalid.
        """
        table, *formats = used_factories
        options = context.catalog_table.options
        own = [
            (FactoryUtil.format_prefix(option, factory.factory_identifier), factory)
            for option, factory in zip(used_options, formats, strict=True)
        ]
        where = context.where
        config = validate_options(
            options,
            table.required_options,
            (FactoryUtil.CONNECTOR, *table.optional_options),
            where,
            ignored_prefixes=(*prefixes, *(prefix for prefix, _ in own)),
        )
        for prefix, factory in own:
            given = {key.removeprefix(prefix): value for key, value in options.items() if key.startswith(prefix)}
            described = f"the {factory.KIND} '{factory.factory_identifier}' of {where}, which begin with '{prefix}',"
            validate_options(given, factory.required_options, factory.optional_options, described)
        return config

    @staticmethod
    def discover_decoding_format(context: DynamicTableFactory.Context, option: ConfigOption[str]) -> DecodingFormat:
        """Returns the format that the option names, for decoding messages; its own options are validated.

        Raises:
            ValidationException: see ``find``; the format does not decode messages, or its options are wrong.
        """
        factory = FactoryUtil.find(FormatFactory, context, option)  # type: ignore[type-abstract]  # nothing is made of it
        if not isinstance(factory, DeserializationFormatFactory):
            raise _no_message_format(context, factory, "decode")
        return factory.create_decoding_format(_format_options(context, option, factory))

    @staticmethod
    def discover_encoding_format(context: DynamicTableFactory.Context, option: ConfigOption[str]) -> EncodingFormat:
        """Returns the format that the option names, for encoding messages; see ``discover_decoding_format``.

        Raises:
            ValidationException: see ``find``; the format does not encode messages, or its options are wrong.
        """
        factory = FactoryUtil.find(FormatFactory, context, option)  # type: ignore[type-abstract]  # nothing is made of it
        if not isinstance(factory, SerializationFormatFactory):
            raise _no_message_format(context, factory, "encode")
        return factory.create_encoding_format(_format_options(context, option, factory))

    @staticmethod
    def create_table_factory_helper(factory: DynamicTableFactory, context: DynamicTableFactory.Context) -> FactoryUtil.TableFactoryHelper:
        """Returns a helper that records the discovered formats of a table, so that ``validate`` knows all options in use."""
        return FactoryUtil.TableFactoryHelper(factory, context)

    class TableFactoryHelper:
        """Discovers the formats of a table, and validates its options afterwards."""

        def __init__(self, factory: DynamicTableFactory, context: DynamicTableFactory.Context) -> None:
            self._factory = factory
            self._context = context
            self._formats: dict[ConfigOption[str], Factory] = {}

        @property
        def options(self) -> ReadableConfig:
            """The table's options, which are not validated before ``validate`` is called."""
            return ReadableConfig(self._context.catalog_table.options)

        def discover_format(self, factory_class: type[_F], option: ConfigOption[str]) -> _F:
            """Returns the format that the option names; see ``FactoryUtil.find``."""
            found = FactoryUtil.find(factory_class, self._context, option)
            self._formats[option] = found
            return found

        def discover_optional_format(self, factory_class: type[_F], option: ConfigOption[str]) -> _F | None:
            """Returns the format that the option names, or None if it is not set."""
            found = FactoryUtil.find_optional(factory_class, self._context, option)
            if found is not None:
                self._formats[option] = found
            return found

        def format_options(self, option: ConfigOption[str]) -> ReadableConfig:
            """Returns the options of a format that was discovered, without their prefix."""
            prefix = FactoryUtil.format_prefix(option, self._formats[option].factory_identifier)
            return ReadableConfig({key.removeprefix(prefix): text for key, text in self.options.to_map().items() if key.startswith(prefix)})

        def validate(self) -> ReadableConfig:
            """Returns the table's options, validated; see ``FactoryUtil.validate``."""
            return self.validate_except()

        def validate_except(self, *prefixes: str) -> ReadableConfig:
            """Returns the table's options, validated except for keys with one of the prefixes."""
            return FactoryUtil.validate(self._context, list(self._formats), [self._factory, *self._formats.values()], prefixes=prefixes)


def _format_options(context: DynamicTableFactory.Context, option: ConfigOption[str], factory: FormatFactory) -> ReadableConfig:
    prefix = FactoryUtil.format_prefix(option, factory.factory_identifier)
    options = context.catalog_table.options
    given = {key.removeprefix(prefix): text for key, text in options.items() if key.startswith(prefix)}
    factory.validate(given)
    return ReadableConfig(given)


def _no_message_format(context: DynamicTableFactory.Context, factory: FormatFactory, use: str) -> ValidationException:
    return ValidationException(
        f"{_where(context)}: the format '{factory.factory_identifier}' does not {use} single messages.",
        hint="Formats of messages are json, csv, avro, raw, protobuf and those of changes.",
    )


def _where(context: DynamicTableFactory.Context) -> str:
    return f"Table {context.object_identifier.as_summary_string()}"
