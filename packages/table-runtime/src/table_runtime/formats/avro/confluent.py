"""The format ``avro-confluent``: messages that begin with the ID of their schema in a registry."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import import_batch, to_arrow_schema
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import (
    DecodedMessages,
    DecodingFormat,
    EncodingFormat,
    MessageDecoder,
    MessageEncoder,
    SupportsArrowArray,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.factories import DeserializationFormatFactory, SerializationFormatFactory
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.avro.records import RecordReader, RecordWriter, fastavro, parse_schema
from table_runtime.formats.avro.schema import record_schema
from table_runtime.formats.avro.schema_registry import SchemaRegistry, open_registry
from table_runtime.formats.messages import RowDecodingFormat, decoded, message_array, message_number
from table_runtime.formats.skipped_rows import Ignored

URL = (
    ConfigOptions.key("url")
    .string_type()
    .no_default_value()
    .with_description("The schema registry: http(s)://…, or file:///… for a folder of files <number>.avsc.")
)
SUBJECT = (
    ConfigOptions.key("subject")
    .string_type()
    .no_default_value()
    .with_description("The subject under which the schema of written messages is registered; required for writing.")
)
SCHEMA = (
    ConfigOptions.key("schema")
    .string_type()
    .no_default_value()
    .with_description("The Avro schema of written messages, as JSON; default: derived from the table's columns.")
)
CREDENTIALS_SOURCE = (
    ConfigOptions.key("basic-auth.credentials-source")
    .enum_type("USER_INFO")
    .default_value("USER_INFO")
    .with_description("The source of the credentials for the registry.")
)
USER_INFO = ConfigOptions.key("basic-auth.user-info").string_type().no_default_value().with_description("name:password for the registry.")
_FRAME_BYTES = 5


class AvroConfluentFormatFactory(DeserializationFormatFactory, SerializationFormatFactory):
    """The format ``avro-confluent``."""

    has_lines = False

    @property
    @override
    def factory_identifier(self) -> str:
        return "avro-confluent"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (URL,)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (SUBJECT, SCHEMA, CREDENTIALS_SOURCE, USER_INFO)

    @override
    def validate(self, options: Mapping[str, str]) -> None:
        super().validate(options)
        fastavro()
        config = ReadableConfig(options)
        open_registry(config.get(URL))
        if config.get_optional(SCHEMA) is not None:
            parse_schema(config.get(SCHEMA), "The option 'avro-confluent.schema'")

    @override
    def create_decoding_format(self, options: ReadableConfig) -> DecodingFormat:
        return AvroConfluentDecodingFormat(options)

    @override
    def create_encoding_format(self, options: ReadableConfig) -> EncodingFormat:
        return AvroConfluentEncodingFormat(options)


class AvroConfluentDecodingFormat(RowDecodingFormat):
    """Messages of any schemas; fields are matched to the table's columns by name."""

    @override
    def decoder(self, physical_type: RowType, produced_type: RowType) -> MessageDecoder:
        return AvroConfluentDecoder(produced_type, self._config)


class AvroConfluentDecoder(MessageDecoder):
    """Decodes messages, grouped by schema; ``registry`` replaces the registry of the options."""

    def __init__(self, row_type: RowType, config: ReadableConfig, registry: SchemaRegistry | None = None) -> None:
        self._row_type = row_type
        self._config = config
        self._schema = to_arrow_schema(row_type)
        self._given = registry
        self._registry = registry
        self._readers: dict[int, RecordReader] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return AvroConfluentDecoder, (self._row_type, self._config, self._given)

    @override
    def open(self) -> None:
        if self._registry is None:
            self._registry = open_registry(self._config.get(URL), self._config.get_optional(USER_INFO))

    @override
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        name_of = where or message_number
        groups: dict[int, list[int]] = {}
        values: list[bytes | None] = message_array(messages).to_pylist()
        for position, message in enumerate(values):
            if message:
                groups.setdefault(self._number(message, position, name_of), []).append(position)
        batches, positions = [], []
        for number, members in groups.items():
            payloads = pa.array([memoryview(values[position] or b"")[_FRAME_BYTES:] for position in members], pa.binary())
            # After the number of the schema even an empty record is a row.
            columns, valid = self._reader(number).messages(payloads, _names_of(members, name_of), None, least=0)
            batches.append(make_batch(columns, self._schema, len(valid)))
            positions += [members[index] for index in valid.to_pylist()]
        if len(batches) == 1:
            return decoded(batches[0], pa.array(positions, type=pa.int64()), Ignored())
        table = pa.Table.from_batches(batches, self._schema).append_column("$position", pa.array(positions, type=pa.int64()))
        ordered = table.sort_by("$position").combine_chunks()
        rows = ordered.drop_columns(["$position"]).to_batches()
        batch = rows[0] if rows else make_batch([pa.nulls(0, field.type) for field in self._schema], self._schema, 0)
        return decoded(batch, pa.array(sorted(positions), type=pa.int64()), Ignored())

    def _number(self, message: bytes, position: int, where: Callable[[int], str]) -> int:
        if len(message) < _FRAME_BYTES or message[0] != 0:
            raise TableRuntimeException(
                f"{where(position)} does not begin with a zero byte and the ID of a schema: 0x{message[:32].hex()}.",
                hint="Use the format 'avro' for messages without a schema registry.",
            )
        return int.from_bytes(message[1:_FRAME_BYTES], "big")

    def _reader(self, number: int) -> RecordReader:
        if number not in self._readers:
            self.open()
            assert self._registry is not None
            where = f"The schema {number} of the registry"
            self._readers[number] = RecordReader(parse_schema(self._registry.schema(number), where), self._row_type, where)
        return self._readers[number]


def _names_of(members: list[int], name_of: Callable[[int], str]) -> Callable[[int], str]:
    return lambda index: name_of(members[index])


class AvroConfluentEncodingFormat(EncodingFormat):
    """Messages of one schema, registered under a subject."""

    def __init__(self, config: ReadableConfig) -> None:
        self._config = config

    @override
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        if self._config.get_optional(SUBJECT) is None:
            raise ValidationException("Writing the format 'avro-confluent' needs the option 'avro-confluent.subject'.")
        return AvroConfluentEncoder(consumed_type, self._config)


class AvroConfluentEncoder(MessageEncoder):
    """Encodes rows as messages; ``registry`` replaces the registry of the options."""

    def __init__(self, row_type: RowType, config: ReadableConfig, registry: SchemaRegistry | None = None) -> None:
        self._row_type = row_type
        self._config = config
        self._registry = registry
        configured_schema = config.get_optional(SCHEMA)
        self._schema = (
            parse_schema(configured_schema, "The option 'avro-confluent.schema'")
            if configured_schema is not None
            else record_schema(row_type)
        )
        self._writer = RecordWriter(self._schema, row_type)
        self._frame: bytes | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return AvroConfluentEncoder, (self._row_type, self._config, self._registry)

    @override
    def open(self) -> None:
        if self._frame is None:
            registry = self._registry or open_registry(self._config.get(URL), self._config.get_optional(USER_INFO))
            number = registry.register(self._config.get(SUBJECT), json.dumps(self._schema))
            self._frame = b"\0" + number.to_bytes(4, "big")

    @override
    def encode(self, rows: SupportsArrowArray) -> pa.Array:
        self.open()
        assert self._frame is not None
        return pc.binary_join_element_wise(pa.scalar(self._frame), self._writer.records(import_batch(rows)), pa.scalar(b""))
