"""DISTINCT arguments: finds the rows that add the first copy of a value to a group, or retract the last."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.changelog.running_counts import running_counts
from table_runtime.changelog.segments import Integers, Segments
from table_runtime.changelog.slot_groups import SlotGroups, Slots
from table_runtime.changelog.state.columns import grown
from table_runtime.changelog.state.key_slots import KeySlots
from table_runtime.changelog.state.state_table import StateTable, content_of

__all__ = ["DistinctValues"]


_FEW = 4096
"""At least this number of removed values is kept before they are purged."""


class DistinctValues(StateTable):
    """The count of each value per group. A generation number distinguishes a group that ended from a later one in the same slot.

    Removed values are purged periodically.
    """

    def __init__(self, types: Sequence[pa.DataType]) -> None:
        self._types = (pa.int64(), pa.int64(), *types)
        self._values = KeySlots(self._types)
        self._next_look = _FEW
        self._counts = np.zeros(1024, np.int64)
        self._generations = np.zeros(1024, np.int64)
        self.ignored: set[int] = set()
        """Positions of the sorted rows of the last batch that retract a value which does not exist."""

    def signs(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> Integers:
        """Returns 1 for rows that add the first copy of a value, -1 for rows that retract the last copy, and 0 for the others.

        Rows of sign 0, which a filter removed, are not looked up.
        """
        self._generations = grown(self._generations, int(segments.slots.max(initial=0)) + 1)
        generations = self._generations[segments.slots]
        # The first segment of a slot continues its generation unless it is fresh; each further one begins a new generation.
        is_first = np.ones(len(segments.slots), np.bool_)
        is_first[1:] = segments.slots[1:] != segments.slots[:-1]
        fresh = np.cumsum(segments.is_fresh)
        base = fresh - segments.is_fresh
        generations = generations + fresh - np.repeat(base[is_first], np.diff(np.append(np.flatnonzero(is_first), len(fresh))))
        self._generations[segments.slots[segments.is_last]] = generations[segments.is_last]
        result = np.zeros(segments.rows, np.int64)
        rows = np.flatnonzero(signs)
        of_row = segments.of_row
        if len(rows) < segments.rows:
            signs, of_row, taken = signs[rows], of_row[rows], pa.array(rows)
            args = [pc.take(arg, taken) for arg in args]
        keys = [pa.array(segments.slots[of_row]), pa.array(generations[of_row]), *args]
        values = self._values.find_or_insert(keys, len(rows))
        self._counts = grown(self._counts, self._values.size)
        groups = SlotGroups(values)
        counts = running_counts(signs[groups.order], np.repeat(self._counts[groups.slots], groups.sizes), groups)
        self._counts[groups.slots] = counts.after[groups.ends - 1]
        self.ignored = set(rows[groups.order[(signs[groups.order] < 0) & (counts.before == 0)]].tolist()) if counts.ignored else set()
        if self._values.size > self._next_look:
            self._forget()
        result[rows[groups.order]] = np.minimum(counts.after, 1) - np.minimum(counts.before, 1)
        return result

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        there = np.flatnonzero(self._counts[: self._values.size] > 0)
        keys = self._values.keys(there)
        places = np.full(len(self._generations), -1, np.int64)
        known = slots < len(places)
        places[slots[known]] = np.flatnonzero(known)
        owners = keys[0].to_numpy()
        at = np.where(keys[1].to_numpy() == self._generations[owners], places[owners], -1)
        order = np.argsort(at, kind="stable")[int((at < 0).sum()) :]
        taken = pa.array(order)
        return content_of(pa.array(at[order]), [pa.array(self._counts[there[order]]), *(column.take(taken) for column in keys[2:])])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        owners = slots[content.column(0).to_numpy()]
        self._generations = grown(self._generations, int(owners.max(initial=0)) + 1)
        keys = [pa.array(owners), pa.array(self._generations[owners]), *content.columns[2:]]
        values = self._values.find_or_insert(keys, content.num_rows)
        self._counts = grown(self._counts, self._values.size)
        self._counts[values] = content.column(1).to_numpy()

    @property
    def size(self) -> int:
        """How many values are kept, with those that are gone."""
        return self._values.size

    def _forget(self) -> None:
        """Forgets the values that are gone, if they are many."""
        there = np.flatnonzero(self._counts[: self._values.size] > 0)
        keys = self._values.keys(there)
        # Values of groups that ended without a retraction of each of them.
        there = there[keys[1].to_numpy() == self._generations[keys[0].to_numpy()]]
        if self._values.size > 2 * len(there) + _FEW:
            keys, counts = self._values.keys(there), self._counts[there]
            self._values = KeySlots(self._types)
            self._counts = np.zeros(max(1024, len(there)), np.int64)
            self._counts[self._values.find_or_insert(keys, len(there))] = counts
        self._next_look = max(_FEW, 2 * self._values.size)
