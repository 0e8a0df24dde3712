"""The last row of each full partition of a rank: rows after it are found in one comparison for all rows of a batch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_runtime.columns.ordering import SortKey
from table_runtime.streaming.changes.order_words import order_words
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.changes.sort_keys import Comparable
from table_runtime.streaming.state.columns import grown

_LEAST, _MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class RankBounds:
    """The word (see ``order_words``) of the last row of each partition of ``size`` rows; the greatest number where all rows may come before it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._bounds: Integers = np.full(1024, _MOST)

    def before(self, values: pa.Array, key: SortKey, slots: Slots) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns which rows may stand before the last row of their partition. NULLs always may."""
        self._bounds = grown(self._bounds, int(slots.max(initial=0)) + 1, _MOST)
        may_stand_before = self.admits(order_words(values, key), slots)
        if values.null_count:
            may_stand_before |= values.is_null().to_numpy(zero_copy_only=False)
        return may_stand_before

    def admits(self, words: Integers, slots: Slots) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns which rows, by their words, may stand before the last row of their partition; all partitions are known."""
        bounds = self._bounds.take(slots)
        return np.asarray((words < bounds) | (bounds == _MOST))

    def set(self, slots: Slots, partitions: Iterable[Sequence[Comparable]]) -> None:
        """Notes the last of the ``sort_keys`` of some partitions, which are in order."""
        self._bounds = grown(self._bounds, int(slots.max(initial=0)) + 1, _MOST)
        self._bounds[slots] = [self._bound(keys[-1]) if len(keys) >= self._size else _MOST for keys in partitions]

    def set_words(self, slots: Slots, lengths: Integers, last: Integers) -> None:
        """Notes the words of the last rows of some partitions, of which those with the full length have one."""
        self._bounds = grown(self._bounds, int(slots.max(initial=0)) + 1, _MOST)
        self._bounds[slots] = np.where(lengths >= self._size, last, _MOST)

    @staticmethod
    def _bound(key: Any) -> int:
        if isinstance(key, int):
            return key
        return _LEAST if key == -math.inf else _MOST  # all values stand behind a NULL that stands first, and before one that stands last
