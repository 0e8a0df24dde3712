"""Messages of a type in a descriptor set."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import import_batch, to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.connector import DecodedMessages, EncodingFormat, MessageDecoder, MessageEncoder, SupportsArrowArray
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.gate import AllowedPath, current_gate
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.messages import RowDecodingFormat, decoded, message_array, message_number
from table_runtime.formats.protobuf.options import (
    DESCRIPTOR_SET,
    DESCRIPTOR_SET_FILE,
    IGNORE_PARSE_ERRORS,
    MESSAGE_CLASS_NAME,
    READ_DEFAULT_VALUES,
    WRITE_NULL_STRING_LITERAL,
)
from table_runtime.formats.protobuf.values import MessageReader, MessageWriter
from table_runtime.formats.skipped_rows import Ignored


def descriptors_of(config: ReadableConfig) -> bytes:
    """Returns the descriptor set that the options name.

    Raises:
        ValidationException: it cannot be read, or the options name none or two.
    """
    path, text = config.get_optional(DESCRIPTOR_SET_FILE), config.get_optional(DESCRIPTOR_SET)
    if (path is None) == (text is None):
        raise ValidationException(
            "The format 'protobuf' takes exactly one of 'protobuf.descriptor-set-file' and 'protobuf.descriptor-set'."
        )
    try:
        return base64.b64decode(text, validate=True) if text is not None else _file(str(path)).read_bytes()
    except (OSError, ValueError) as error:
        raise ValidationException(f"The descriptor set of the format 'protobuf' cannot be read: {error}.") from error


def _file(path: str) -> AllowedPath:
    return current_gate().path(path, f"The option 'protobuf.{DESCRIPTOR_SET_FILE.key}'")


@lru_cache(maxsize=64)
def message_class(descriptors: bytes, name: str) -> Any:
    """Returns the class of a message type.

    Raises:
        ValidationException: protobuf is not installed, the descriptor set is damaged, or it lacks the type.
    """
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError as error:
        raise ValidationException(
            "The format 'protobuf' needs the library protobuf.", hint='pip install "table-runtime[protobuf]"'
        ) from error
    pool = descriptor_pool.DescriptorPool()
    try:
        files = descriptor_pb2.FileDescriptorSet.FromString(descriptors)
        for file in files.file:
            pool.Add(file)
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
    except KeyError:
        known = sorted(f"{file.package}.{message.name}".lstrip(".") for file in files.file for message in file.message_type)
        raise ValidationException.unknown("Message type", name, known, where="the descriptor set of the format 'protobuf'") from None
    except Exception as error:
        raise ValidationException(f"The descriptor set of the format 'protobuf' is damaged: {type(error).__name__}: {error}.") from error


class ProtobufDecodingFormat(RowDecodingFormat):
    """Decodes messages of one type."""

    @override
    def decoder(self, physical_type: RowType, produced_type: RowType) -> MessageDecoder:
        return ProtobufDecoder(produced_type, self._config, descriptors_of(self._config))


class ProtobufDecoder(MessageDecoder):
    """Decodes messages to columns."""

    def __init__(self, row_type: RowType, config: ReadableConfig, descriptors: bytes) -> None:
        self._made_of = (row_type, config, descriptors)
        self._class = message_class(descriptors, config.get(MESSAGE_CLASS_NAME))
        self._reader = MessageReader(self._class.DESCRIPTOR, row_type, defaults=config.get(READ_DEFAULT_VALUES))
        self._ignore = config.get(IGNORE_PARSE_ERRORS)
        self._schema = to_arrow_schema(row_type)

    def __reduce__(self) -> tuple[Any, ...]:
        return ProtobufDecoder, self._made_of

    @override
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        from google.protobuf.message import DecodeError

        parse = self._class.FromString
        parsed, positions = [], []
        ignored = Ignored()
        for position, data in enumerate(message_array(messages).to_pylist()):
            if data is None:
                continue
            try:
                parsed.append(parse(data))
            except DecodeError as error:
                name = (where or message_number)(position)
                text = f"{name} is not a {self._class.DESCRIPTOR.full_name}: {error}; it begins with 0x{data[:32].hex()}"
                if not self._ignore:
                    raise TableRuntimeException(
                        text + ".", hint="Set the table's option 'protobuf.ignore-parse-errors' to skip such messages."
                    ) from error
                ignored.row(text)
                continue
            positions.append(position)
        columns = self._reader.columns(parsed)
        return decoded(make_batch(columns, self._schema, len(parsed)), pa.array(positions, type=pa.int64()), ignored)


class ProtobufEncodingFormat(EncodingFormat):
    """Encodes rows as messages of one type."""

    def __init__(self, config: ReadableConfig) -> None:
        self._config = config

    @override
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        return ProtobufEncoder(consumed_type, self._config, descriptors_of(self._config))


class ProtobufEncoder(MessageEncoder):
    """Encodes rows as messages."""

    def __init__(self, row_type: RowType, config: ReadableConfig, descriptors: bytes) -> None:
        self._made_of = (row_type, config, descriptors)
        class_ = message_class(descriptors, config.get(MESSAGE_CLASS_NAME))
        self._writer = MessageWriter(class_, row_type, null_text=config.get(WRITE_NULL_STRING_LITERAL))

    def __reduce__(self) -> tuple[Any, ...]:
        return ProtobufEncoder, self._made_of

    @override
    def encode(self, rows: SupportsArrowArray) -> pa.Array:
        return pa.array(self._writer.messages(import_batch(rows)), type=pa.binary())
