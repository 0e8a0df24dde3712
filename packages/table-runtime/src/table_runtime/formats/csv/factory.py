"""The factory of the format ``csv``: its options, and its decoding and encoding formats."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import DecodingFormat, EncodingFormat
from table_common.exceptions import ValidationException
from table_common.factories import DeserializationFormatFactory, SerializationFormatFactory
from table_runtime.formats.compression import COMPRESSION
from table_runtime.formats.csv import options as opt


class CsvFormatFactory(DeserializationFormatFactory, SerializationFormatFactory):
    """The format ``csv``: fields by position, or by the names of a header; one row per line or message."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "csv"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (
            opt.HEADER,
            opt.ENCODING,
            opt.FIELD_DELIMITER,
            opt.QUOTE_CHARACTER,
            opt.DISABLE_QUOTE_CHARACTER,
            opt.ESCAPE_CHARACTER,
            opt.ALLOW_COMMENTS,
            opt.IGNORE_PARSE_ERRORS,
            opt.NULL_LITERAL,
            opt.ARRAY_ELEMENT_DELIMITER,
            opt.WRITE_BIGDECIMAL,
            COMPRESSION,
        )

    @override
    def validate(self, options: Any) -> None:
        super().validate(options)
        if str(options.get(opt.DISABLE_QUOTE_CHARACTER.key, "")).lower() == "true" and opt.QUOTE_CHARACTER.key in options:
            raise ValidationException("The format 'csv' takes 'quote-character' or 'disable-quote-character', not both.")

    @override
    def create_decoding_format(self, options: ReadableConfig) -> DecodingFormat:
        from table_runtime.formats.csv.messages import CsvDecodingFormat

        return CsvDecodingFormat(options)

    @override
    def create_encoding_format(self, options: ReadableConfig) -> EncodingFormat:
        from table_runtime.formats.csv.messages import CsvEncodingFormat

        return CsvEncodingFormat(options)
