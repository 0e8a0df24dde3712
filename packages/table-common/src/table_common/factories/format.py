"""Factories of formats.

Every format has a ``FormatFactory``. If it decodes single messages, that is also a ``DeserializationFormatFactory``, which any connector can
use (for files, line by line); if it encodes them, a ``SerializationFormatFactory``; if it reads and writes whole files, a
``FileFormatFactory``. The engines themselves read and write a few formats of whole files, such as ``parquet``, by identifier.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from table_common.configuration import ReadableConfig
from table_common.connector.format import DecodingFormat, EncodingFormat
from table_common.factories.factory import Factory

if TYPE_CHECKING:
    from table_common.connector.file_format import FileFormat


class FormatFactory(Factory):
    """A format such as ``csv``.

    Source: Flink's ``org.apache.flink.table.factories.FormatFactory``.

    Example:
        >>> from table_common.configuration import ConfigOptions
        >>> class NumbersFactory(FormatFactory):
        ...     factory_identifier = "numbers"
        ...     optional_options = (ConfigOptions.key("base").int_type().default_value(10).with_description("The base."),)
        >>> NumbersFactory().validate({"base": "2"})
    """

    GROUP: ClassVar[str] = "table.formats"
    KIND: ClassVar[str] = "format"

    has_lines: ClassVar[bool] = True
    """In a format of messages: whether each can be a line of a file; binary ones cannot."""

    def validate(self, options: Mapping[str, str]) -> None:
        """Checks the format's own options, given without the prefix ``<format>.``.

        Raises:
            ValidationException: an option is unknown or its value cannot be read.
        """
        from table_common.factories.option_validation import validate_options

        validate_options(options, self.required_options, self.optional_options, f"format '{self.factory_identifier}'")


class DeserializationFormatFactory(FormatFactory):
    """A format that decodes messages.

    Source: Flink's ``org.apache.flink.table.factories.DeserializationFormatFactory``.

    Example:
        >>> class NumbersFactory(DeserializationFormatFactory):
        ...     factory_identifier = "numbers"
        ...     def create_decoding_format(self, options):
        ...         return NumbersFormat()
        >>> isinstance(NumbersFactory(), FormatFactory)
        True
    """

    @abstractmethod
    def create_decoding_format(self, options: ReadableConfig) -> DecodingFormat:
        """Returns the format with these options, which are without prefix and have been validated."""


class SerializationFormatFactory(FormatFactory):
    """A format that encodes messages.

    Source: Flink's ``org.apache.flink.table.factories.SerializationFormatFactory``.

    Example:
        >>> class NumbersFactory(SerializationFormatFactory):
        ...     factory_identifier = "numbers"
        ...     def create_encoding_format(self, options):
        ...         return NumbersFormat()
        >>> isinstance(NumbersFactory(), FormatFactory)
        True
    """

    @abstractmethod
    def create_encoding_format(self, options: ReadableConfig) -> EncodingFormat:
        """Returns the format with these options, which are without prefix and have been validated."""


class FileFormatFactory(FormatFactory):
    """A format of whole files, for the connector ``filesystem`` on every engine.

    Example:
        >>> class WordsFactory(FileFormatFactory):
        ...     factory_identifier = "words"
        ...     def create_file_format(self, options):
        ...         return Words()
        >>> isinstance(WordsFactory(), FormatFactory)
        True

    Source: Flink's ``org.apache.flink.connector.file.table.factories.BulkReaderFormatFactory`` and ``BulkWriterFormatFactory``.
    """

    @abstractmethod
    def create_file_format(self, options: ReadableConfig) -> FileFormat:
        """Returns the format with these options, which are without prefix and have been validated."""
