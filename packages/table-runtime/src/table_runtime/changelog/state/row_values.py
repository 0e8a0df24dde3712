"""The values of rows by number, to which rows are added at the end."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa

from table_runtime.batches import concat_arrays, make_batch
from table_runtime.changelog.state.fixed_column import FixedColumn, has_fixed_width
from table_runtime.changelog.state.row_lists import Rows

__all__ = ["RowValues"]

_FEW = 4096
"""So many rows that are gone are kept before they are removed."""
_SPARSE = 8
"""A take of fewer rows than one in so many sorts them; a take of more marks them."""


class RowValues:
    """Rows numbered from 0. Columns of fixed width are in numpy; the others in Arrow chunks, which are merged if they have similar sizes."""

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

    def append(self, rows: pa.RecordBatch) -> None:
        """Adds rows at the end."""
        if not rows.num_rows:
            return
        for number, column in self._fixed.items():
            column.append(rows.column(number))
        if self._chunked:
            self._chunks.append(make_batch([rows.column(number) for number in self._chunked], self._chunked_schema, rows.num_rows))
            self._starts.append(self.size)
        self.size += rows.num_rows
        while len(self._chunks) > 1 and self._chunks[-2].num_rows <= 2 * self._chunks[-1].num_rows:
            last, before = self._chunks.pop(), self._chunks.pop()
            self._starts.pop()
            self._chunks.append(_merged(self._chunked_schema, before, last))

    def take(self, rows: Rows) -> list[pa.Array]:
        """Returns the columns of some rows; NULL in all columns for -1."""
        is_absent = rows < 0
        absent = is_absent if is_absent.any() else None
        chunked = iter(self._take_chunked(rows) if self._chunked else ())
        return [self._fixed[number].take(rows, absent) if number in self._fixed else next(chunked) for number in range(len(self.schema))]

    def _take_chunked(self, rows: Rows) -> list[pa.Array]:
        if not self._chunks:
            return [pa.nulls(len(rows), field.type) for field in self._chunked_schema]
        if len(self._chunks) == 1:
            indices = pa.array(rows, mask=rows < 0)
            return [column.take(indices) for column in self._chunks[0].columns]
        # Each row is copied once from its chunk, however often it is taken: an update of ranks takes a row for each rank that it had.
        distinct, places = _distinct(rows, self.size)
        bounds = [*np.searchsorted(distinct, self._starts).tolist(), len(distinct)]
        taken = []
        for chunk, first, (start, end) in zip(self._chunks, self._starts, pairwise(bounds), strict=True):
            if start < end:
                indices = pa.array(distinct[start:end] - first)
                taken.append([column.take(indices) for column in chunk.columns])
        columns = [concat_arrays([part[i] for part in taken], field.type) for i, field in enumerate(self._chunked_schema)]
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
