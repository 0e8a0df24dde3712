"""Messages that are JSON objects."""

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
from table_runtime.formats.json.rows import rows_of
from table_runtime.formats.messages import RowDecodingFormat, decoded, message_array, message_number
from table_runtime.formats.skipped_rows import Ignored


class JsonDecodingFormat(RowDecodingFormat):
    """Decodes messages that are JSON objects."""

    @override
    def decoder(self, physical_type: RowType, produced_type: RowType) -> MessageDecoder:
        return JsonDecoder(produced_type, self._config)


class JsonDecoder(MessageDecoder):
    """Decodes messages to columns."""

    def __init__(self, row_type: RowType, config: ReadableConfig) -> None:
        self._row_type = row_type
        self._config = config
        self._rows = rows_of(row_type, config)
        self._schema = to_arrow_schema(row_type)

    def __reduce__(self) -> tuple[Any, ...]:
        return JsonDecoder, (self._row_type, self._config)

    @override
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        ignored = Ignored()
        columns, positions = self._rows.parse_messages(message_array(messages), where or message_number, ignored)
        return decoded(make_batch(columns, self._schema, len(positions)), positions, ignored)


class JsonEncodingFormat(EncodingFormat):
    """Encodes rows as JSON objects."""

    def __init__(self, config: ReadableConfig) -> None:
        self._config = config

    @override
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        return JsonMessageEncoder(consumed_type, self._config)


class JsonMessageEncoder(MessageEncoder):
    """Encodes each row as an object."""

    def __init__(self, row_type: RowType, config: ReadableConfig) -> None:
        from table_runtime.formats.json.writer import JsonEncoder

        self._row_type = row_type
        self._config = config
        self._encoder = JsonEncoder(row_type, config)

    def __reduce__(self) -> tuple[Any, ...]:
        return JsonMessageEncoder, (self._row_type, self._config)

    @override
    def encode(self, rows: SupportsArrowArray) -> pa.Array:
        return self._encoder.lines(import_batch(rows).to_struct_array()).cast(pa.binary())
