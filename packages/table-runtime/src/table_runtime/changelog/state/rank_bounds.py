"""The last row of each full partition of a rank: rows behind it are found in one comparison for all rows of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_runtime.changelog.order_words import order_words
from table_runtime.changelog.segments import Integers
from table_runtime.changelog.slot_groups import Slots
from table_runtime.changelog.state.columns import grown
from table_runtime.ordering import SortKey

__all__ = ["RankBounds"]

_LEAST = np.iinfo(np.int64).min


class RankBounds:
    """The words of all rows that are kept (see ``order_words``), and the word of the last row of each partition of ``size`` rows."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._words: Integers = np.zeros(1024, np.int64)
        self._is_null = np.zeros(1024, np.bool_)
        self._rows = 0
        self._nulls_first = False
        self._bounds: Integers = np.zeros(1024, np.int64)
        self._is_full = np.zeros(1024, np.bool_)

    def before(self, values: pa.Array, key: SortKey, slots: Slots) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns which rows may stand before the last row of their partition. NULLs always may."""
        size = int(slots.max(initial=0)) + 1
        self._bounds, self._is_full = grown(self._bounds, size), grown(self._is_full, size)
        is_behind = self._is_full[slots] & (order_words(values, key) >= self._bounds[slots])
        if values.null_count:
            is_behind &= values.is_valid().to_numpy(zero_copy_only=False)
        return np.logical_not(is_behind)

    def append(self, values: pa.Array, key: SortKey) -> None:
        """Adds the order values of the next rows that are kept."""
        start, self._rows = self._rows, self._rows + len(values)
        self._words, self._is_null = grown(self._words, self._rows), grown(self._is_null, self._rows)
        self._words[start : self._rows] = order_words(values, key)
        self._is_null[start : self._rows] = values.is_null().to_numpy(zero_copy_only=False)
        self._nulls_first = key.nulls_first

    def keep(self, rows: Integers) -> None:
        """Keeps some rows, which are numbered anew in this order."""
        self._words[: len(rows)], self._is_null[: len(rows)] = self._words[rows], self._is_null[rows]
        self._rows = len(rows)

    def set(self, slots: Slots, partitions: Sequence[Sequence[int]]) -> None:
        """Notes the last of the rows of some partitions, which are in order."""
        size = int(slots.max(initial=0)) + 1
        self._bounds, self._is_full = grown(self._bounds, size), grown(self._is_full, size)
        full = np.array([len(rows) >= self._size for rows in partitions], np.bool_)
        last = np.array([rows[-1] for rows in partitions if len(rows) >= self._size], np.int64)
        is_null = self._is_null[last]
        # All values stand behind a NULL that stands first, and before one that stands last.
        self._bounds[slots[full]] = np.where(is_null, _LEAST, self._words[last])
        self._is_full[slots] = full
        self._is_full[slots[full]] = ~is_null | self._nulls_first
