"""The factory of the format ``json``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import DecodingFormat, EncodingFormat
from table_common.exceptions import ValidationException
from table_common.factories import DeserializationFormatFactory, SerializationFormatFactory
from table_runtime.formats.compression import COMPRESSION
from table_runtime.formats.json import options as opt
from table_runtime.formats.json.messages import JsonDecodingFormat, JsonEncodingFormat


class JsonFormatFactory(DeserializationFormatFactory, SerializationFormatFactory):
    """The format ``json``: one object per line or message."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "json"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (opt.FAIL_ON_MISSING_FIELD, opt.IGNORE_PARSE_ERRORS, opt.DECODE_WITH_PARSER, *opt.WRITING, COMPRESSION)

    @override
    def validate(self, options: Mapping[str, str]) -> None:
        super().validate(options)
        config = ReadableConfig(options)
        if config.get(opt.FAIL_ON_MISSING_FIELD) and config.get(opt.IGNORE_PARSE_ERRORS):
            raise ValidationException("The format 'json' takes 'fail-on-missing-field' or 'ignore-parse-errors', not both.")

    @override
    def create_decoding_format(self, options: ReadableConfig) -> DecodingFormat:
        return JsonDecodingFormat(options)

    @override
    def create_encoding_format(self, options: ReadableConfig) -> EncodingFormat:
        return JsonEncodingFormat(options)
