"""FIRST_VALUE and LAST_VALUE over insertions: one value by slot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.columns.batches import concat_arrays
from table_runtime.streaming.aggregates.value_by_slot import ValueBySlotState
from table_runtime.streaming.changes.segments import Integers, Segments


class FirstLastState(ValueBySlotState):
    """The first or last value that is not NULL."""

    keeps = "the value"

    def __init__(self, type_: pa.DataType, *, is_last: bool) -> None:
        super().__init__(type_)
        self._is_last = is_last

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        counts = (signs > 0) & pc.is_valid(args[0]).to_numpy(zero_copy_only=False)
        before = self._values.get(segments.slots)
        had_value = pc.is_valid(before).to_numpy(zero_copy_only=False) & ~segments.is_fresh
        # The result after a row is the value of a row in its segment, or the previous value of the slot, which is appended after all rows.
        rows = np.arange(segments.rows)
        kept = np.where(had_value, segments.rows + np.arange(len(before)), -1)[segments.of_row]
        if self._is_last:
            last = np.maximum.accumulate(np.where(counts, rows, -1))
            places = np.where(last >= segments.starts[segments.of_row], last, kept)
        else:
            first = np.minimum.reduceat(np.where(counts, rows, segments.rows), segments.starts)[segments.of_row]
            places = np.where(kept >= 0, kept, np.where(first <= rows, first, -1))
        every = concat_arrays([args[0], before], self._values.type)
        results = every.take(pa.array(places, mask=places < 0))
        ends = segments.ends[segments.is_last] - 1
        self._values.set(segments.slots[segments.is_last], results.take(pa.array(ends)))
        return results
