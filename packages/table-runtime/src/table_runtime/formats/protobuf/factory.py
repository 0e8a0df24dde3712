"""The factory of the format ``protobuf``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import DecodingFormat, EncodingFormat
from table_common.factories import DeserializationFormatFactory, SerializationFormatFactory
from table_runtime.formats.protobuf.messages import ProtobufDecodingFormat, ProtobufEncodingFormat, descriptors_of, message_class
from table_runtime.formats.protobuf.options import (
    DESCRIPTOR_SET,
    DESCRIPTOR_SET_FILE,
    IGNORE_PARSE_ERRORS,
    MESSAGE_CLASS_NAME,
    READ_DEFAULT_VALUES,
    WRITE_NULL_STRING_LITERAL,
)


class ProtobufFormatFactory(DeserializationFormatFactory, SerializationFormatFactory):
    """The format ``protobuf``."""

    has_lines = False

    @property
    @override
    def factory_identifier(self) -> str:
        return "protobuf"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (MESSAGE_CLASS_NAME,)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (DESCRIPTOR_SET_FILE, DESCRIPTOR_SET, IGNORE_PARSE_ERRORS, READ_DEFAULT_VALUES, WRITE_NULL_STRING_LITERAL)

    @override
    def validate(self, options: Mapping[str, str]) -> None:
        super().validate(options)
        config = ReadableConfig(options)
        message_class(descriptors_of(config), config.get(MESSAGE_CLASS_NAME))

    @override
    def create_decoding_format(self, options: ReadableConfig) -> DecodingFormat:
        return ProtobufDecodingFormat(options)

    @override
    def create_encoding_format(self, options: ReadableConfig) -> EncodingFormat:
        return ProtobufEncodingFormat(options)
