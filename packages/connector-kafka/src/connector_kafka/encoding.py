"""Rows to messages: key, value, headers and timestamp, by whole batches."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.arrow import ROW_KIND_COLUMN
from table_common.arrow import compute as pc
from table_common.connector import MessageEncoder, RowKind
from table_common.frozen_dataclass import dataclass

_DELETIONS = pa.array([RowKind.DELETE.value, RowKind.UPDATE_BEFORE.value], pa.int8())


@dataclass(frozen=True, slots=True)
class EncodedRows:
    """Messages as columns of the same length; ``keys`` are None without a format of keys."""

    keys: pa.Array | None
    values: pa.Array
    timestamps: pa.Array
    headers: pa.Array


@dataclass(frozen=True)
class RecordEncoding:
    """How rows become messages. Pickled with the provider; opened once in each task."""

    value: MessageEncoder
    value_columns: tuple[int, ...]
    key: MessageEncoder | None
    key_columns: tuple[int, ...]
    key_names: tuple[str, ...]
    width: int
    """The number of physical columns; columns of metadata follow."""
    metadata: tuple[str, ...] = ()
    is_upsert: bool = False

    def open(self) -> None:
        """Opens the encoders."""
        for encoder in (self.value, self.key):
            if encoder is not None:
                encoder.open()

    def encode(self, rows: pa.RecordBatch, kinds: pa.Array | None) -> EncodedRows:
        """Returns the messages of rows; ``kinds`` are the codes of their row kinds, None for insertions."""
        keys = None
        if self.key is not None:
            key_rows = rows.select(list(self.key_columns)).rename_columns(list(self.key_names))
            keys = pa.array(self.key.encode(key_rows)).cast(pa.binary())
        return EncodedRows(keys, self._values(rows, kinds), self._timestamps(rows), self._headers(rows))

    def _values(self, rows: pa.RecordBatch, kinds: pa.Array | None) -> pa.Array:
        values = rows.select(list(self.value_columns))
        if kinds is None:
            return self._encoded(values)
        if not self.is_upsert:
            kind_field = pa.field(ROW_KIND_COLUMN, pa.int8(), nullable=False)
            return self._encoded(pa.RecordBatch.from_arrays([*values.columns, kinds], schema=values.schema.append(kind_field)))
        is_kept = pc.invert(pc.is_in(kinds, _DELETIONS))
        kept = pc.indices_nonzero(is_kept)
        if len(kept) == rows.num_rows:
            return self._encoded(values)
        # A deletion has no value. Its columns are not encoded: all but the key may be NULL.
        numbers = pc.if_else(
            is_kept, pc.subtract(pc.cumulative_sum(is_kept.cast(pa.int64())), pa.scalar(1, pa.int64())), pa.scalar(None, pa.int64())
        )
        return self._encoded(values.take(kept)).take(numbers)

    def _encoded(self, values: pa.RecordBatch) -> pa.Array:
        return pa.array(self.value.encode(values)).cast(pa.binary())

    def _timestamps(self, rows: pa.RecordBatch) -> pa.Array:
        column = self._metadata(rows, "timestamp")
        if column is None:
            return pa.nulls(rows.num_rows, pa.int64())
        return column.cast(pa.timestamp("ms", column.type.tz), safe=False).cast(pa.int64())

    def _headers(self, rows: pa.RecordBatch) -> pa.Array:
        type_ = pa.map_(pa.string(), pa.binary())
        column = self._metadata(rows, "headers")
        return pa.nulls(rows.num_rows, type_) if column is None else column.cast(type_)

    def _metadata(self, rows: pa.RecordBatch, key: str) -> pa.Array | None:
        return rows.column(self.width + self.metadata.index(key)) if key in self.metadata else None


def last_of_each_key(keys: Sequence[bytes]) -> pa.Array:
    """Returns the ascending positions of the last message of each key."""
    last = {key: position for position, key in enumerate(keys)}
    return pa.array(sorted(last.values()), pa.int64())
