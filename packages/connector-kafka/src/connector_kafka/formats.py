"""The formats of a table: key and value, for reading and for writing."""

from __future__ import annotations

from collections.abc import Mapping

from connector_kafka.options import FORMAT, KEY_FIELDS, KEY_FORMAT, TOPIC, VALUE_FORMAT
from table_common.catalog import ResolvedCatalogTable
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import DecodingFormat, EncodingFormat
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, FactoryUtil, FormatFactory
from table_common.frozen_dataclass import replace

_PREFIXES = ("key.", "value.")
_WITH_SUBJECTS = ("avro-confluent", "debezium-avro-confluent")
"""The formats whose schemas a registry keeps under a subject; as in Flink, it is ``<topic>-value`` or ``<topic>-key`` if the table names none."""


class RecordFormats:
    """Finds the formats that a table's options name, and validates the options of the table and of the formats."""

    def __init__(self, factory: DynamicTableFactory, context: DynamicTableFactory.Context) -> None:
        self.where = context.where
        options = context.catalog_table.options
        self._value = VALUE_FORMAT if VALUE_FORMAT in factory.required_options else self._value_option(options)
        self._has_key = KEY_FORMAT.key in options
        self._context = context = _with_subjects(context, self._value)
        options = context.catalog_table.options
        if self._value.key not in options:
            FactoryUtil.validate(context, [], [factory], prefixes=["properties.", *_PREFIXES])  # says what is missing
        used = [self._value, *([KEY_FORMAT] if self._has_key else [])]
        found = [FactoryUtil.find(FormatFactory, context, option) for option in used]  # type: ignore[type-abstract]  # nothing is made of it
        declared = {key for option in (*factory.required_options, *factory.optional_options) for key in option.all_keys}
        unchecked = [key for key in options if key.startswith("properties.") and key not in declared]
        self.config: ReadableConfig = FactoryUtil.validate(context, used, [factory, *found], prefixes=unchecked)
        if not self._has_key and KEY_FIELDS.key in options:
            raise ValidationException(f"The option '{KEY_FIELDS.key}' of {self.where} needs '{KEY_FORMAT.key}' too.")

    def _value_option(self, options: Mapping[str, str]) -> ConfigOption[str]:
        both = [option for option in (FORMAT, VALUE_FORMAT) if option.key in options]
        if len(both) == 2:
            raise ValidationException(f"The options 'format' and 'value.format' of {self.where} mean the same; set one of them.")
        if not both:
            raise ValidationException(
                f"The options of {self.where} are not valid: missing: format. It names the format of messages.",
                hint="formats are json, csv, avro, avro-confluent, protobuf, raw, debezium-json, canal-json, maxwell-json and ogg-json",
            )
        return both[0]

    def value_decoding(self) -> DecodingFormat:
        """Returns the format of values, for reading."""
        return FactoryUtil.discover_decoding_format(self._context, self._value)

    def key_decoding(self) -> DecodingFormat | None:
        """Returns the format of keys, for reading; None if the table has none."""
        return FactoryUtil.discover_decoding_format(self._context, KEY_FORMAT) if self._has_key else None

    def value_encoding(self) -> EncodingFormat:
        """Returns the format of values, for writing."""
        return FactoryUtil.discover_encoding_format(self._context, self._value)

    def key_encoding(self) -> EncodingFormat | None:
        """Returns the format of keys, for writing; None if the table has none."""
        return FactoryUtil.discover_encoding_format(self._context, KEY_FORMAT) if self._has_key else None


def _with_subjects(context: DynamicTableFactory.Context, value: ConfigOption[str]) -> DynamicTableFactory.Context:
    options = context.catalog_table.options
    topic = options.get(TOPIC.key)
    added: dict[str, str] = {}
    for option, part in ((value, "value"), (KEY_FORMAT, "key")):
        format_ = options.get(option.key)
        if format_ in _WITH_SUBJECTS and topic is not None:
            key = f"{FactoryUtil.format_prefix(option, format_)}subject"
            added |= {} if key in options else {key: f"{topic}-{part}"}
    if not added:
        return context
    table = context.catalog_table
    resolved = ResolvedCatalogTable(table.origin.copy({**options, **added}), table.resolved_schema)
    return replace(context, catalog_table=resolved)
