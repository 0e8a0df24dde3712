"""The factory of the format ``avro``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import DecodingFormat, EncodingFormat
from table_common.factories import DeserializationFormatFactory, SerializationFormatFactory
from table_runtime.formats.avro.messages import AvroDecodingFormat, AvroEncodingFormat
from table_runtime.formats.avro.options import CODEC, LEGACY_TIMESTAMPS
from table_runtime.formats.avro.records import fastavro


class AvroFormatFactory(DeserializationFormatFactory, SerializationFormatFactory):
    """The format ``avro``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "avro"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (CODEC, LEGACY_TIMESTAMPS)

    @override
    def validate(self, options: Mapping[str, str]) -> None:
        super().validate(options)
        fastavro()

    @override
    def create_decoding_format(self, options: ReadableConfig) -> DecodingFormat:
        return AvroDecodingFormat(options)

    @override
    def create_encoding_format(self, options: ReadableConfig) -> EncodingFormat:
        return AvroEncodingFormat(options)
