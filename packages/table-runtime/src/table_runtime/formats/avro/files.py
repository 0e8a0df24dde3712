"""The format ``avro``: container files, and messages that are single records of the table's schema."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from table_common.annotation import override
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
from table_runtime.formats.avro.container import ContainerReader, ContainerWriter
from table_runtime.formats.avro.inference import row_of_record
from table_runtime.formats.avro.records import RecordReader, RecordWriter, fastavro, require_fields
from table_runtime.formats.avro.schema import record_schema
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask
from table_runtime.formats.messages import RowDecodingFormat, decoded, message_array, message_number, require_a_column
from table_runtime.formats.skipped_rows import Ignored

__all__ = ["AvroFileFormat", "AvroFormatFactory"]

CODEC = (
    ConfigOptions.key("codec")
    .enum_type("null", "deflate", "snappy", "bzip2", "xz", "zstandard")
    .default_value("snappy")
    .with_description("Compression of the blocks of written files.")
)
LEGACY_TIMESTAMPS = (
    ConfigOptions.key("timestamp_mapping.legacy")
    .boolean_type()
    .default_value(True)
    .with_description("If true, TIMESTAMP is written as timestamp-millis in UTC; otherwise as local-timestamp-millis.")
)
_T = TypeVar("_T")
BLOCK_RECORDS = 16_384


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


class AvroFileFormat(FileFormat):
    """Container files. Each file contains its schema; fields are matched to columns by name."""

    extension = "avro"
    names_columns = True

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        where = f"The Avro file '{task.path}'"
        try:
            with task.path.open("rb") as file:
                container = ContainerReader(file, where)
                if not task.nulls_for_missing_columns:
                    _with_schema_errors(lambda: require_fields(task.wanted, container.schema, f"the Avro file '{task.path}'"), where)
                reader = _with_schema_errors(lambda: RecordReader(container.schema, task.wanted, where), where)
                for number, (count, data) in enumerate(container.blocks(), 1):
                    yield partial(_decode, reader, data, count, number, task, container)
        except OSError as error:
            raise TableRuntimeException(f"{where} cannot be read: {error}") from error

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        return _AvroWriter(path, row_type, ReadableConfig(options))

    @override
    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        where = f"The Avro file '{path}'"
        try:
            with path.open("rb") as file:
                container = ContainerReader(file, where)
                return _with_schema_errors(lambda: row_of_record(container.schema, where), where)
        except OSError as error:
            raise TableRuntimeException(f"{where} cannot be read: {error}") from error


def _with_schema_errors(make: Callable[[], _T], where: str) -> _T:
    """Returns the result of ``make``, which interprets a file's schema.

    Raises:
    TableRuntimeException: the schema is not valid.
    """
    try:
        return make()
    except ValidationException:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise TableRuntimeException(f"{where} has a schema that cannot be read: {type(error).__name__}: {error}.") from error


def _decode(reader: RecordReader, data: bytes, count: int, number: int, task: ReadTask, container: ContainerReader) -> pa.RecordBatch:
    try:
        return make_batch(reader.block(container.decompressed(data), count), task.schema, count)
    except TableRuntimeException:
        raise
    except Exception as error:
        raise TableRuntimeException(
            f"The Avro file '{task.path}', block {number}: its records do not have the file's schema: {type(error).__name__}: {error}."
        ) from error


class _AvroWriter(FileWriter):
    def __init__(self, path: Path, row_type: RowType, config: ReadableConfig) -> None:
        schema = record_schema(row_type, legacy_timestamps=config.get(LEGACY_TIMESTAMPS))
        self._records = RecordWriter(schema, row_type)
        self._file = path.open("wb")
        self._container = ContainerWriter(self._file, json.dumps(schema), config.get(CODEC), os.urandom(16))

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        for start in range(0, batch.num_rows, BLOCK_RECORDS):
            part = batch.slice(start, BLOCK_RECORDS)
            self._container.block(part.num_rows, b"".join(self._records.records(part).to_pylist()))

    @override
    def close(self) -> None:
        self._file.close()


class AvroDecodingFormat(RowDecodingFormat):
    """Messages that are records of the schema of the table's columns."""

    @override
    def decoder(self, physical_type: RowType, produced_type: RowType) -> MessageDecoder:
        require_a_column("avro", physical_type)
        schema = record_schema(physical_type, legacy_timestamps=self._config.get(LEGACY_TIMESTAMPS))
        return AvroDecoder(schema, produced_type)


class AvroDecoder(MessageDecoder):
    """Decodes messages that are records of one schema."""

    def __init__(self, schema: Any, row_type: RowType) -> None:
        self._made_of = (schema, row_type)
        self._reader = RecordReader(schema, row_type, "The message")
        self._schema = to_arrow_schema(row_type)

    def __reduce__(self) -> tuple[Any, ...]:
        return AvroDecoder, self._made_of

    @override
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        columns, positions = self._reader.messages(message_array(messages), where or message_number, None)
        return decoded(make_batch(columns, self._schema, len(positions)), positions, Ignored())


class AvroEncodingFormat(EncodingFormat):
    """Messages that are records of the schema of the rows."""

    def __init__(self, config: ReadableConfig) -> None:
        self._config = config

    @override
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        require_a_column("avro", consumed_type)
        return AvroEncoder(record_schema(consumed_type, legacy_timestamps=self._config.get(LEGACY_TIMESTAMPS)), consumed_type)


class AvroEncoder(MessageEncoder):
    """Encodes rows as records of one schema."""

    def __init__(self, schema: Any, row_type: RowType) -> None:
        self._made_of = (schema, row_type)
        self._writer = RecordWriter(schema, row_type)

    def __reduce__(self) -> tuple[Any, ...]:
        return AvroEncoder, self._made_of

    @override
    def encode(self, rows: SupportsArrowArray) -> pa.Array:
        return self._writer.records(import_batch(rows))
