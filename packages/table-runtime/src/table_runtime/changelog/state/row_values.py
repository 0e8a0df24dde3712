"""The values of rows by number, as Arrow columns to which rows are added at the end."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from table_runtime.batches import concat_arrays, make_batch
from table_runtime.changelog.state.row_lists import Rows

__all__ = ["RowValues"]

_FEW = 4096
"""So many rows that are gone are kept before they are removed."""


class RowValues:
    """Rows numbered from 0. Chunks of similar sizes are merged, so that there are few of them."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self.size = 0
        self._chunks: list[pa.RecordBatch] = []
        self._starts: list[int] = []

    def append(self, rows: pa.RecordBatch) -> None:
        """Adds rows at the end."""
        if not rows.num_rows:
            return
        self._chunks.append(rows)
        self._starts.append(self.size)
        self.size += rows.num_rows
        while len(self._chunks) > 1 and self._chunks[-2].num_rows <= 2 * self._chunks[-1].num_rows:
            last, before = self._chunks.pop(), self._chunks.pop()
            self._starts.pop()
            self._chunks.append(_merged(self.schema, before, last))

    def take(self, rows: Rows) -> list[pa.Array]:
        """Returns the columns of some rows; NULL in all columns for -1."""
        if not self._chunks:
            return [pa.nulls(len(rows), field.type) for field in self.schema]
        if len(self._chunks) == 1:
            indices = pa.array(rows, mask=rows < 0)
            return [column.take(indices) for column in self._chunks[0].columns]
        chunk_of = np.searchsorted(np.array(self._starts), rows, side="right") - 1
        places = np.full(len(rows), -1, np.int64)
        taken: list[list[pa.Array]] = []
        count = 0
        for number, chunk in enumerate(self._chunks):
            here = np.flatnonzero(chunk_of == number)
            if len(here):
                indices = pa.array(rows[here] - self._starts[number])
                taken.append([column.take(indices) for column in chunk.columns])
                places[here] = np.arange(count, count + len(here))
                count += len(here)
        order = pa.array(places, mask=places < 0)
        return [concat_arrays([part[i] for part in taken], field.type).take(order) for i, field in enumerate(self.schema)]

    def has_many_gone(self, live: int) -> bool:
        """Whether removing the rows that are gone pays, when ``live`` are there."""
        return self.size > 2 * live + _FEW

    def keep(self, rows: Rows) -> None:
        """Removes all rows but these, which have the numbers from 0 in this order."""
        kept = make_batch(self.take(rows), self.schema, len(rows))
        self.size, self._chunks, self._starts = 0, [], []
        self.append(kept)


def _merged(schema: pa.Schema, *parts: pa.RecordBatch) -> pa.RecordBatch:
    columns = [concat_arrays([part.column(i) for part in parts], field.type) for i, field in enumerate(schema)]
    return make_batch(columns, schema, sum(part.num_rows for part in parts))
