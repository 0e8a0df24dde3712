"""Messages that are lines of CSV."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import import_batch, to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.connector import (
    DecodedMessages,
    EncodingFormat,
    MessageDecoder,
    MessageEncoder,
    SupportsArrowArray,
)
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.csv.rows import CsvRows
from table_runtime.formats.csv.values import refuse_types
from table_runtime.formats.messages import RowDecodingFormat, decoded, message_array, message_number, require_a_column
from table_runtime.formats.skipped_rows import Ignored


class CsvDecodingFormat(RowDecodingFormat):
    """Decodes messages; fields are matched to columns by position."""

    @override
    def decoder(self, physical_type: RowType, produced_type: RowType) -> MessageDecoder:
        require_a_column("csv", physical_type)
        return CsvDecoder(physical_type, produced_type, self._config)


class CsvDecoder(MessageDecoder):
    """Decodes messages to columns: together with Arrow, or one by one if a message is not plain or lacks fields."""

    def __init__(self, physical_type: RowType, produced_type: RowType, config: ReadableConfig) -> None:
        refuse_types(produced_type)
        self._made_of = (physical_type, produced_type, config)
        self._rows = CsvRows(physical_type, produced_type, config)
        self._schema = to_arrow_schema(produced_type)

    def __reduce__(self) -> tuple[Any, ...]:
        return CsvDecoder, self._made_of

    @override
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        array = message_array(messages)
        name_of = where or message_number
        ignored = Ignored()
        present = pc.indices_nonzero(pc.fill_null(pc.greater(pc.binary_length(array), 0), False)).cast(pa.int64())
        if len(present) == len(array):
            columns, positions = self._rows.parse_messages(array, name_of, ignored)
        else:
            columns, positions = self._rows.parse_messages(array.take(present), lambda index: name_of(present[index].as_py()), ignored)
            positions = present if positions is None else present.take(positions)
        count = len(array) if positions is None else len(positions)
        return decoded(make_batch(columns, self._schema, count), positions, ignored)


class CsvEncodingFormat(EncodingFormat):
    """Encodes rows as CSV records without a line break at the end."""

    def __init__(self, config: ReadableConfig) -> None:
        self._config = config

    @override
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        require_a_column("csv", consumed_type)
        refuse_types(consumed_type)
        return CsvMessageEncoder(consumed_type, self._config)


class CsvMessageEncoder(MessageEncoder):
    """Encodes each row as a line."""

    def __init__(self, row_type: RowType, config: ReadableConfig) -> None:
        from table_runtime.formats.csv.writer import CsvEncoder  # readers need none of it

        self._encoder = CsvEncoder(row_type, config)

    @override
    def encode(self, rows: SupportsArrowArray) -> pa.Array:
        return self._encoder.lines(import_batch(rows)).cast(pa.binary())
