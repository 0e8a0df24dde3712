"""``TableDescriptor`` and ``FormatDescriptor``: the definition of a table in Python, as CREATE TABLE has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from table_common.catalog import CatalogTable, Schema
from table_common.configuration import ConfigOption
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, field
from table_common.secrets import mask_options
from table_common.types import quote_identifier, quote_string


@dataclass(frozen=True, slots=True)
class FormatDescriptor:
    """A format and its options; the keys have no format prefix.

    Example:
        >>> str(FormatDescriptor.for_format("csv").option("ignore-parse-errors", True).build())
        "csv{'ignore-parse-errors': 'true'}"

    Source: Flink's ``org.apache.flink.table.api.FormatDescriptor``.
    """

    format: str
    options: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def for_format(format: str) -> FormatDescriptor.Builder:
        """Returns a builder for a format such as ``csv``."""
        return FormatDescriptor.Builder(format)

    def get_format(self) -> str:
        """Returns the format's identifier."""
        return self.format

    def get_options(self) -> dict[str, str]:
        """Returns the format's options."""
        return dict(self.options)

    def __str__(self) -> str:
        return f"{self.format}{mask_options(self.options) if self.options else ''}"

    class Builder:
        """Builds a ``FormatDescriptor``."""

        def __init__(self, format: str) -> None:
            self._format = format
            self._options: dict[str, str] = {}

        def option(self, key: str | ConfigOption[Any], value: object) -> Self:
            """Sets an option of the format; a boolean becomes ``true`` or ``false``."""
            self._options[_key(key)] = _text(value)
            return self

        def build(self) -> FormatDescriptor:
            """Returns the descriptor."""
            return FormatDescriptor(self._format, dict(self._options))


@dataclass(frozen=True, slots=True)
class TableDescriptor:
    """The definition of a table: schema, options, partition keys and comment.

    Example:
        >>> descriptor = TableDescriptor.for_connector("filesystem").option("path", "data").format("csv").build()
        >>> descriptor.get_options()["connector"]
        'filesystem'

    Source: Flink's ``org.apache.flink.table.api.TableDescriptor`` (FLIP-129).
    """

    schema: Schema | None
    options: Mapping[str, str]
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None

    @staticmethod
    def for_connector(connector: str) -> TableDescriptor.Builder:
        """Returns a builder for a table of a connector such as ``filesystem``."""
        return TableDescriptor.Builder().option("connector", connector)

    def get_schema(self) -> Schema | None:
        """Returns the declared schema, or None."""
        return self.schema

    def get_options(self) -> dict[str, str]:
        """Returns all options."""
        return dict(self.options)

    def get_partition_keys(self) -> list[str]:
        """Returns the names of the partition columns."""
        return list(self.partition_keys)

    def get_comment(self) -> str | None:
        """Returns the comment, or None."""
        return self.comment

    def to_catalog_table(self, default_schema: Schema | None = None) -> CatalogTable:
        """Returns the table as catalogs store it; ``default_schema`` is used if none is declared.

        Raises:
            ValidationException: there is no schema.
        """
        schema = self.schema if self.schema is not None else default_schema
        if schema is None:
            raise ValidationException(
                "A table needs a schema.", hint="TableDescriptor.for_connector(…).schema(Schema.new_builder()…build())"
            )
        return CatalogTable(schema, self.comment, dict(self.options), self.partition_keys)

    def __str__(self) -> str:
        """Returns Flink's text, close to CREATE TABLE; the values of secret options are masked."""
        parts = ["" if self.schema is None else str(self.schema)]
        if self.comment:
            parts.append(f"COMMENT {quote_string(self.comment)}")
        if self.partition_keys:
            parts.append(f"PARTITIONED BY ({', '.join(map(quote_identifier, self.partition_keys))})")
        options = (f"  {quote_string(key)} = {quote_string(value)}" for key, value in mask_options(self.options).items())
        return "\n".join([*parts, "WITH (\n" + ",\n".join(options) + "\n)"])

    class Builder:
        """Builds a ``TableDescriptor``."""

        def __init__(self) -> None:
            self._schema: Schema | None = None
            self._options: dict[str, str] = {}
            self._partition_keys: tuple[str, ...] = ()
            self._comment: str | None = None

        def schema(self, schema: Schema) -> Self:
            """Sets the schema."""
            self._schema = schema
            return self

        def option(self, key: str | ConfigOption[Any], value: object) -> Self:
            """Sets an option of the connector; a boolean becomes ``true`` or ``false``."""
            self._options[_key(key)] = _text(value)
            return self

        def format(self, format: str | FormatDescriptor, format_option: ConfigOption[str] | None = None) -> Self:
            """Sets the format and its options, whose keys get the format as a prefix.

            Args:
                format: the format's identifier, or a descriptor with options.
                format_option: the option for the identifier, such as ``value.format``; default ``format``.
            """
            key = format_option.key if format_option is not None else "format"
            descriptor = format if isinstance(format, FormatDescriptor) else FormatDescriptor(format)
            # value.format = json puts options under value.json.…
            prefix = key.removesuffix("format") + descriptor.format
            self._options[key] = descriptor.format
            self._options.update({f"{prefix}.{name}": value for name, value in descriptor.options.items()})
            return self

        def partitioned_by(self, *partition_keys: str) -> Self:
            """Sets the partition columns."""
            self._partition_keys = partition_keys
            return self

        def comment(self, comment: str) -> Self:
            """Sets the comment."""
            self._comment = comment
            return self

        def build(self) -> TableDescriptor:
            """Returns the descriptor."""
            return TableDescriptor(self._schema, dict(self._options), self._partition_keys, self._comment)


def _key(key: str | ConfigOption[Any]) -> str:
    return key.key if isinstance(key, ConfigOption) else key


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
