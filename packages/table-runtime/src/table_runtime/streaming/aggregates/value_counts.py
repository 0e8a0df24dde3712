"""Counts of values by group, NULLs left out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.streaming.aggregates.running import running_totals
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown


def signs_of_values(column: pa.Array | None, signs: Integers) -> Integers:
    """Returns the signs of rows, with 0 for those whose value is NULL."""
    if column is None or not column.null_count:
        return signs
    return np.asarray(signs * pc.is_valid(column).to_numpy(zero_copy_only=False))


class ValueCounts:
    """Counts by slot."""

    def __init__(self) -> None:
        self.counts: Integers = np.zeros(1024, np.int64)

    def reserve(self, size: int) -> None:
        """Makes room for the slots below ``size``."""
        self.counts = grown(self.counts, size)

    def insert(self, column: pa.Array | None, slots: Slots, signs: Integers | None = None) -> None:
        """Counts the values of a column, or rows if there is none, by slot; ``signs``: only those that are added, less those that are retracted."""
        if column is not None and column.null_count:
            is_valid = pc.is_valid(column).to_numpy(zero_copy_only=False)
            slots, signs = slots[is_valid], None if signs is None else signs[is_valid]
        np.add.at(self.counts, slots, 1 if signs is None else signs)

    def merge(self, other: ValueCounts, slots: Slots, into: Slots) -> None:
        """Adds the counts of some slots of others to those of the slots ``into``."""
        np.add.at(self.counts, into, other.counts[slots])

    def advance(self, signs: Integers, segments: Segments) -> Integers:
        """Adds the signs of sorted rows, and returns the count after each of them."""
        initial = np.where(segments.is_fresh, 0, self.counts[segments.slots])
        # Where all rows of the groups have counted so far, the count is that of the rows.
        counts_all = signs is segments.signs and np.array_equal(initial, segments.initial_counts)
        counts = segments.counts if counts_all else running_totals(signs, initial, segments)
        self.counts[segments.last_slots] = counts[segments.last_rows]
        return counts
