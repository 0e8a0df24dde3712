"""Messages that are single Avro records of the table's schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import import_batch, to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.connector import DecodedMessages, EncodingFormat, MessageDecoder, MessageEncoder, SupportsArrowArray
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.avro.options import LEGACY_TIMESTAMPS
from table_runtime.formats.avro.records import RecordReader, RecordWriter
from table_runtime.formats.avro.schema import record_schema
from table_runtime.formats.messages import RowDecodingFormat, decoded, message_array, message_number, require_a_column
from table_runtime.formats.skipped_rows import Ignored


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
