"""The values of rows by number, to which rows are added at the end."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from table_runtime.columns.batches import concat_arrays, make_batch
from table_runtime.streaming.state.fixed_column import FixedColumn, has_fixed_width
from table_runtime.streaming.state.row_lists import Rows

_FEW = 4096
"""The number of deleted rows at which the storage is compacted."""
_FAN_IN = 4
"""The number of chunks of one level that are merged: a value is copied once per level, and a level has fewer chunks."""
_LARGE = 1 << 28
"""Chunks with this number of bytes are not merged: the texts of an array have less than 2 GiB."""
_SPARSE = 8
"""A take of fewer rows than one in this number sorts them; a take of more marks them."""


class RowValues:
    """Rows numbered from 0. Columns of fixed width are in numpy; the others in Arrow chunks, of which a few of similar size are merged into one."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self._chunked = [number for number, field in enumerate(schema) if not has_fixed_width(field.type)]
        self._chunked_schema = pa.schema([schema.field(number) for number in self._chunked])
        self._reset()

    def _reset(self) -> None:
        self.size = 0
        self._fixed = {number: FixedColumn(field.type) for number, field in enumerate(self.schema) if number not in self._chunked}
        self._chunks: list[pa.RecordBatch] = []
        self._starts: list[int] = []
        self._levels: list[int] = []

    def append(self, rows: pa.RecordBatch) -> None:
        """Adds rows at the end."""
        if not rows.num_rows:
            return
        for number, column in self._fixed.items():
            column.append(rows.column(number))
        if self._chunked:
            self._append_chunk(make_batch([rows.column(number) for number in self._chunked], self._chunked_schema, rows.num_rows))
        self.size += rows.num_rows

    def _append_chunk(self, chunk: pa.RecordBatch) -> None:
        level = (chunk.num_rows.bit_length() - 1) // (_FAN_IN.bit_length() - 1)
        self._chunks.append(chunk)
        self._starts.append(self.size)
        self._levels.append(level)
        first = len(self._levels) - 1
        while True:
            while first and self._levels[first - 1] <= level:
                first -= 1
            is_alone = self._levels[first] == level and len(self._levels) - first < _FAN_IN
            parts = self._chunks[first:]
            if is_alone or sum(part.nbytes for part in parts) > _LARGE:
                return
            level += self._levels[first] == level
            self._chunks[first:] = [_merged(self._chunked_schema, *parts)]
            self._levels[first:] = [level]
            del self._starts[first + 1 :]

    def take(self, rows: Rows, columns: Container[int] | None = None) -> list[pa.Array]:
        """Returns the columns of some rows; NULL in all columns for -1. Columns that are not in ``columns``, if given, are NULL throughout."""
        is_absent = rows < 0
        absent = is_absent if is_absent.any() else None
        needed = [number for number in range(len(self.schema)) if columns is None or number in columns]
        taken = {number: self._fixed[number].take(rows, absent) for number in needed if number in self._fixed}
        if len(taken) < len(needed):
            wanted = [place for place, number in enumerate(self._chunked) if columns is None or number in columns]
            taken |= zip((self._chunked[place] for place in wanted), self._take_chunked(rows, wanted), strict=True)
        return [taken[number] if number in taken else pa.nulls(len(rows), field.type) for number, field in enumerate(self.schema)]

    def _take_chunked(self, rows: Rows, wanted: Sequence[int]) -> list[pa.Array]:
        types = [self._chunked_schema.field(place).type for place in wanted]
        if not self._chunks:
            return [pa.nulls(len(rows), type_) for type_ in types]
        if len(self._chunks) == 1:
            indices = pa.array(rows, mask=rows < 0)
            return [self._chunks[0].column(place).take(indices) for place in wanted]
        # Each row is copied once from its chunk, however often it is taken: an update of ranks takes a row for each rank that it had.
        distinct, places = _distinct(rows, self.size)
        bounds = [*np.searchsorted(distinct, self._starts).tolist(), len(distinct)]
        taken = []
        for chunk, first, (start, end) in zip(self._chunks, self._starts, pairwise(bounds), strict=True):
            if start < end:
                indices = pa.array(distinct[start:end] - first)
                taken.append([chunk.column(place).take(indices) for place in wanted])
        columns = [concat_arrays([part[i] for part in taken], type_) for i, type_ in enumerate(types)]
        if np.array_equal(rows, distinct):
            return columns
        order = pa.array(places, mask=rows < 0)
        return [column.take(order) for column in columns]

    def has_many_gone(self, live: int) -> bool:
        """Whether removing the rows that are gone pays, when ``live`` are there."""
        return self.size > 2 * live + _FEW

    def keep(self, rows: Rows) -> None:
        """Removes all rows but these, which have the numbers from 0 in this order."""
        kept = make_batch(self.take(rows), self.schema, len(rows))
        self._reset()
        self.append(kept)


def _distinct(rows: Rows, size: int) -> tuple[Rows, Rows]:
    """Returns the distinct ones of some rows below ``size`` in order, and the place of each row among them; -1 is no row and has any place."""
    if len(rows) * _SPARSE < size:
        distinct, places = np.unique(rows, return_inverse=True)
        absent = int(np.searchsorted(distinct, 0))
        return distinct[absent:], places - absent
    is_taken = np.zeros(size, np.bool_)
    is_taken[rows[rows >= 0]] = True
    return np.flatnonzero(is_taken), (np.cumsum(is_taken) - 1)[rows]


def _merged(schema: pa.Schema, *parts: pa.RecordBatch) -> pa.RecordBatch:
    columns = [concat_arrays([part.column(i) for part in parts], field.type) for i, field in enumerate(schema)]
    return make_batch(columns, schema, sum(part.num_rows for part in parts))
