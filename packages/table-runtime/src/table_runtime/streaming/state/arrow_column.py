"""A column of Arrow values by slot, for types that numpy does not hold."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from table_runtime.columns.batches import concat_arrays
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown


class ArrowColumn:
    """Values by slot, NULL where none was written. Written values stay in chunks, which are merged as they become many or old."""

    def __init__(self, type_: pa.DataType) -> None:
        self.type = type_
        self._chunks: list[pa.Array] = [pa.nulls(1, type_)]
        self._places = np.zeros(1024, np.int64)
        self._size = 0

    def reserve(self, size: int) -> None:
        """Makes room for the slots below ``size``."""
        self._places = grown(self._places, size)
        self._size = max(self._size, size)

    def get(self, slots: Slots) -> pa.Array:
        """Returns the values of some slots."""
        self._merge()
        return self._chunks[0].take(pa.array(self._places[slots]))

    def set(self, slots: Slots, values: pa.Array) -> None:
        """Writes the values of some slots, all different."""
        if not len(slots):
            return
        length = sum(len(chunk) for chunk in self._chunks)
        self._places[slots] = np.arange(length, length + len(slots))
        self._chunks.append(values)
        if length > 4 * self._size + 4096:
            self._compact()

    def _merge(self) -> None:
        if len(self._chunks) > 1:
            self._chunks = [concat_arrays(self._chunks, self.type)]

    def _compact(self) -> None:
        self._merge()
        live = self._chunks[0].take(pa.array(self._places[: self._size]))
        self._chunks = [concat_arrays([pa.nulls(1, self.type), live], self.type)]
        self._places[: self._size] = np.arange(1, self._size + 1)
