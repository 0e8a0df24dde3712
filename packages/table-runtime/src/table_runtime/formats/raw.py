"""The format ``raw``: a message is the value of the only column, as text or as a binary number."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Mapping
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import import_batch, to_arrow_schema, to_arrow_type
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import (
    DecodedMessages,
    DecodingFormat,
    EncodingFormat,
    MessageDecoder,
    MessageEncoder,
    SupportsArrowArray,
)
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.factories import DeserializationFormatFactory, SerializationFormatFactory
from table_common.types import BinaryStringType, BooleanType, CharacterType, LogicalType, RowType
from table_runtime.formats.messages import RowDecodingFormat, decoded, message_array, message_number
from table_runtime.formats.skipped_rows import Ignored

CHARSET = ConfigOptions.key("charset").string_type().default_value("UTF-8").with_description("The encoding of text.")
ENDIANNESS = (
    ConfigOptions.key("endianness")
    .enum_type("big-endian", "little-endian")
    .default_value("big-endian")
    .with_description("The byte order of numbers.")
)


class RawFormatFactory(DeserializationFormatFactory, SerializationFormatFactory):
    """The format ``raw``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "raw"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (CHARSET, ENDIANNESS)

    @override
    def validate(self, options: Mapping[str, str]) -> None:
        super().validate(options)
        charset = ReadableConfig(options).get(CHARSET)
        try:
            codecs.lookup(charset)
        except LookupError:
            raise ValidationException(
                f"The option 'raw.charset' has an unknown charset: '{charset}'.", hint="UTF-8, ISO-8859-1, UTF-16 …"
            ) from None

    @override
    def create_decoding_format(self, options: ReadableConfig) -> DecodingFormat:
        return RawDecodingFormat(options)

    @override
    def create_encoding_format(self, options: ReadableConfig) -> EncodingFormat:
        return RawEncodingFormat(options)


def _only_column(row_type: RowType) -> LogicalType:
    if len(row_type.fields) != 1:
        raise ValidationException(f"The format 'raw' takes exactly one column, but there are {len(row_type.fields)}: {row_type.summary()}.")
    type_ = row_type.fields[0].type
    arrow_type = to_arrow_type(type_)
    simple = pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type)
    if not simple and not isinstance(type_, CharacterType | BinaryStringType | BooleanType):
        raise TableException(
            f"The format 'raw' does not support values of the type {type_.summary()}.",
            hint="It supports text, BYTES, BOOLEAN and numbers except decimals.",
        )
    return type_


class RawDecodingFormat(RowDecodingFormat):
    """Every message, also an empty one, is a row; a NULL message is a row with NULL."""

    @override
    def decoder(self, physical_type: RowType, produced_type: RowType) -> MessageDecoder:
        return RawDecoder(physical_type, produced_type, self._config)


class RawDecoder(MessageDecoder):
    """Decodes values."""

    def __init__(self, physical_type: RowType, produced_type: RowType, config: ReadableConfig) -> None:
        self._type = _only_column(physical_type)
        self._schema = to_arrow_schema(produced_type)
        self._charset = codecs.lookup(config.get(CHARSET)).name
        self._little = config.get(ENDIANNESS) == "little-endian"

    @override
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        array = message_array(messages)
        column = self._column(array, where or message_number)
        columns = [column.cast(field.type) for field in self._schema]
        return decoded(pa.RecordBatch.from_arrays(columns, schema=self._schema), None, Ignored())

    def _column(self, array: pa.Array, where: Callable[[int], str]) -> pa.Array:
        if isinstance(self._type, BinaryStringType):
            return array
        if isinstance(self._type, CharacterType):
            return self._texts(array, where)
        arrow_type = to_arrow_type(self._type)
        width = 1 if isinstance(self._type, BooleanType) else arrow_type.bit_width // 8
        has_wrong_length = pc.fill_null(pc.not_equal(pc.binary_length(array), width), False)
        if pc.any(has_wrong_length).as_py():
            position = pc.index(has_wrong_length, pa.scalar(True)).as_py()
            message = array[position].as_py()
            raise TableRuntimeException(
                f"{where(position)} has {len(message)} bytes (0x{message[:32].hex()}), but {self._type.summary()} has {width}."
            )
        if isinstance(self._type, BooleanType):
            return pc.not_equal(array, pa.scalar(b"\0"))
        joined = b"".join(value if value is not None else bytes(width) for value in array.to_pylist())
        if not self._little and width > 1:
            joined = b"".join(joined[i : i + width][::-1] for i in range(0, len(joined), width))
        numbers = pa.Array.from_buffers(arrow_type, len(array), [None, pa.py_buffer(joined)])
        return pc.if_else(pc.is_valid(array), numbers, pa.scalar(None, arrow_type)) if array.null_count else numbers

    def _texts(self, array: pa.Array, where: Callable[[int], str]) -> pa.Array:
        if self._charset == "utf-8":
            try:
                return array.cast(pa.string())
            except pa.ArrowInvalid:
                pass  # the loop below finds the message
        texts = []
        for position, value in enumerate(array.to_pylist()):
            try:
                texts.append(None if value is None else value.decode(self._charset))
            except UnicodeDecodeError as error:
                raise TableRuntimeException(
                    f"{where(position)} is not text in {self._charset}: {error.reason} at byte {error.start} of 0x{value[:32].hex()}.",
                    hint="Set the table's option 'raw.charset', or declare the column as BYTES.",
                ) from None
        return pa.array(texts, type=pa.string())


class RawEncodingFormat(EncodingFormat):
    """Encodes values; NULL is a NULL message."""

    def __init__(self, config: ReadableConfig) -> None:
        self._config = config

    @override
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        return RawEncoder(consumed_type, self._config)


class RawEncoder(MessageEncoder):
    """Encodes values."""

    def __init__(self, row_type: RowType, config: ReadableConfig) -> None:
        self._type = _only_column(row_type)
        self._charset = codecs.lookup(config.get(CHARSET)).name
        self._order: Any = "little" if config.get(ENDIANNESS) == "little-endian" else "big"

    @override
    def encode(self, rows: SupportsArrowArray) -> pa.Array:
        column = import_batch(rows).column(0)
        if isinstance(self._type, BinaryStringType):
            return column.cast(pa.binary())
        if isinstance(self._type, CharacterType):
            if self._charset == "utf-8":
                return column.cast(pa.binary())
            return pa.array([None if text is None else text.encode(self._charset) for text in column.to_pylist()], type=pa.binary())
        if isinstance(self._type, BooleanType):
            return pc.if_else(column, pa.scalar(b"\1"), pa.scalar(b"\0"))
        width = column.type.bit_width // 8
        integers = column.view({1: pa.int8(), 2: pa.int16(), 4: pa.int32(), 8: pa.int64()}[width])
        values = integers.to_pylist()
        return pa.array([None if value is None else value.to_bytes(width, self._order, signed=True) for value in values], type=pa.binary())
