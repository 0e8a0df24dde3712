"""Messages to rows: key and value are decoded apart, by whole batches, and joined with the metadata."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from connector_kafka.message_batch import MessageBatch
from table_common.arrow import ROW_KIND_COLUMN, import_batch, to_arrow_schema
from table_common.arrow import compute as pc
from table_common.connector import DecodedMessages, MessageDecoder, RowKind
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType


@dataclass(frozen=True, slots=True)
class ColumnOrigin:
    """Where a column comes from: its position in the rows of the key or the value, or the key of a metadata column."""

    value: int | None = None
    key: int | None = None
    metadata: str | None = None


@dataclass(frozen=True, slots=True)
class DecodedRows:
    """The rows of a batch of messages, and how many unreadable values and messages were ignored."""

    rows: pa.RecordBatch
    ignored: int = 0
    first_ignored: str | None = None


@dataclass(frozen=True)
class RecordDecoding:
    """How messages become rows. Pickled with the provider; each thread that decodes has a copy of its own."""

    value: MessageDecoder
    key: MessageDecoder | None
    columns: tuple[ColumnOrigin, ...]
    produced_type: RowType
    has_row_kinds: bool = False
    """Whether the rows of the value end with their kinds."""
    is_upsert: bool = False
    """Whether a value is the new row of its key, and a message without value a deletion."""

    def open(self) -> None:
        """Opens the decoders."""
        for decoder in (self.value, self.key):
            if decoder is not None:
                decoder.open()

    def new_batch(self, topic: str, partition: int) -> MessageBatch:
        """Returns an empty batch, which takes what is needed of messages."""
        types = to_arrow_schema(self.produced_type).types
        metadata = [(origin.metadata, type_) for origin, type_ in zip(self.columns, types, strict=True) if origin.metadata is not None]
        return MessageBatch(topic, partition, has_keys=self.key is not None or self.is_upsert, metadata=metadata)

    def decode(self, messages: MessageBatch) -> DecodedRows:
        """Returns the rows of messages of one partition.

        Raises:
            TableRuntimeException: a message cannot be read; the error names topic, partition and offset.
        """
        if self.is_upsert:
            _require_keys(messages)
        values, where = messages.values, messages.place
        tombstones = pc.indices_nonzero(pc.is_null(values)).cast(pa.int64()) if self.is_upsert and values.null_count else None
        found = self._decoded_values(values, tombstones, where)
        rows = import_batch(found.rows)
        width = rows.num_columns - (1 if self.has_row_kinds else 0)
        positions = pc.cast(_positions(found, len(messages)), pa.int64())
        every = positions if tombstones is None else pa.concat_arrays([positions, tombstones])
        is_each = (found.positions is None and tombstones is None) or (len(every) == len(messages) and _is_identity(every))
        keys, key_ignored, first_ignored = self._decoded_keys(messages, every, is_each)
        chosen: list[pa.Array] = []
        metadata = iter(range(len(self.columns)))
        schema = to_arrow_schema(self.produced_type)
        for origin in self.columns:
            if origin.metadata is not None:
                column = messages.metadata(next(metadata))
                chosen.append(column if is_each else column.take(every))
            elif origin.value is not None:
                column = rows.column(origin.value)
                if tombstones is not None:
                    key = keys.column(origin.key) if keys is not None and origin.key is not None else None
                    added = pa.nulls(len(tombstones), column.type) if key is None else key.slice(len(positions)).cast(column.type)
                    column = pa.concat_arrays([column, added])
                chosen.append(column)
            else:
                assert keys is not None
                assert origin.key is not None
                chosen.append(keys.column(origin.key))
        fields = list(schema)
        if self.is_upsert:
            deletions = len(tombstones) if tombstones is not None else 0
            kinds = [RowKind.UPDATE_AFTER.value] * len(positions) + [RowKind.DELETE.value] * deletions
            chosen.append(pa.array(kinds, pa.int8()))
            fields = [field.with_nullable(True) for field in fields]  # a deletion has its key only
        elif self.has_row_kinds:
            chosen.append(rows.column(width))
        if len(chosen) > len(fields):
            fields.append(pa.field(ROW_KIND_COLUMN, pa.int8(), nullable=False))
        batch = _batch(chosen, pa.schema(fields), len(every))
        if tombstones is not None:
            batch = batch.take(pc.sort_indices(every))
        return DecodedRows(batch, found.ignored + key_ignored, found.first_ignored or first_ignored)

    def _decoded_values(self, values: pa.Array, tombstones: pa.Array | None, where: Callable[[int], str]) -> DecodedMessages:
        if tombstones is None:
            return self.value.decode(values, where)
        kept = pc.indices_nonzero(pc.is_valid(values)).cast(pa.int64())
        found = self.value.decode(values.take(kept), lambda position: where(kept[position].as_py()))
        positions = kept if found.positions is None else kept.take(pa.array(found.positions))
        return DecodedMessages(found.rows, positions, found.ignored, found.first_ignored)

    def _decoded_keys(self, messages: MessageBatch, every: pa.Array, is_each: bool) -> tuple[pa.RecordBatch | None, int, str | None]:
        """Returns the key of each row; NULLs where a message has none."""
        if self.key is None:
            return None, 0, None
        found = self.key.decode(messages.keys, lambda position: f"{messages.place(position)}, key")
        keys = import_batch(found.rows)
        positions = pc.cast(_positions(found, len(messages)), pa.int64())
        if is_each and len(positions) == len(messages) and _is_identity(positions):
            return keys, found.ignored, found.first_ignored
        # The last of several keys of a message counts; there is none but in odd formats.
        index: list[int | None] = [None] * len(messages)
        for row, position in enumerate(positions.to_pylist()):
            index[position] = row
        rows = pa.array(index, pa.int64()).take(every)
        columns = [column.take(rows) for column in keys.columns]
        fields = [field.with_nullable(True) for field in keys.schema]
        return _batch(columns, pa.schema(fields), len(every)), found.ignored, found.first_ignored


def _positions(found: DecodedMessages, count: int) -> pa.Array:
    return pa.arange(0, count) if found.positions is None else pa.array(found.positions)


def _is_identity(positions: pa.Array) -> bool:
    """Whether ascending positions without gaps begin with 0; the caller knows that there are as many as messages."""
    return len(positions) == 0 or bool(pc.equal(positions, pa.arange(0, len(positions))).false_count == 0)


def _require_keys(messages: MessageBatch) -> None:
    keys = messages.keys
    if keys.null_count:
        raise TableRuntimeException(
            f"{messages.place(keys.is_null().index(True).as_py())} has no key, but each message of a table of the connector 'upsert-kafka' is the row of its key.",
            hint="the connector 'kafka' reads messages without keys",
        )


def _batch(columns: Sequence[pa.Array], schema: pa.Schema, count: int) -> pa.RecordBatch:
    if columns:
        return pa.RecordBatch.from_arrays(list(columns), schema=schema)
    return pa.RecordBatch.from_struct_array(pa.array([{}] * count, pa.struct([])))
