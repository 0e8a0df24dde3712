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

__all__ = ["DistinctValues", "ValueNumbers"]


_FEW = 4096
"""At least this number of removed values is kept before they are purged."""


class ValueNumbers:
    """A number for each value per group, shared by the calls of one DISTINCT argument that have different filters.

    A generation number distinguishes a group that ended from a later one in the same slot. Values that no call counts any more are purged periodically.
    """

    def __init__(self, types: Sequence[pa.DataType]) -> None:
        self._types = (pa.int64(), pa.int64(), *types)
        self._values = KeySlots(self._types)
        self._next_look = _FEW
        self.generations = np.zeros(1024, np.int64)
        self.counts: list[Integers] = []
        """For each filter the count of each value, by its number; filled up with zeros at need."""

    @property
    def size(self) -> int:
        """How many values have a number, with those that are gone."""
        return self._values.size

    def find(self, args: Sequence[pa.Array], rows: Integers, segments: Segments) -> Integers:
        """Returns the number of the value in each of some rows of a batch. Called once for each batch, because it advances the generations."""
        if self._values.size > self._next_look:
            self._forget()
        self.generations = grown(self.generations, int(segments.slots.max(initial=0)) + 1)
        generations = self.generations[segments.slots]
        # The first segment of a slot continues its generation unless it is fresh; each further one begins a new generation.
        is_first = np.ones(len(segments.slots), np.bool_)
        is_first[1:] = segments.slots[1:] != segments.slots[:-1]
        fresh = np.cumsum(segments.is_fresh)
        base = fresh - segments.is_fresh
        generations = generations + fresh - np.repeat(base[is_first], np.diff(np.append(np.flatnonzero(is_first), len(fresh))))
        self.generations[segments.slots[segments.is_last]] = generations[segments.is_last]
        of_row = segments.of_row
        if len(rows) < segments.rows:
            of_row, taken = of_row[rows], pa.array(rows)
            args = [pc.take(arg, taken) for arg in args]
        return self._values.find_or_insert([pa.array(segments.slots[of_row]), pa.array(generations[of_row]), *args], len(rows))

    def keys(self, numbers: Integers) -> Sequence[pa.Array]:
        """Returns the slots, the generations and the values with these numbers."""
        return self._values.keys(numbers)

    def find_again(self, slots: Slots, values: Sequence[pa.Array]) -> Integers:
        """Returns the numbers of values of the present groups of slots."""
        self.generations = grown(self.generations, int(slots.max(initial=0)) + 1)
        return self._values.find_or_insert([pa.array(slots), pa.array(self.generations[slots]), *values], len(slots))

    def _forget(self) -> None:
        """Forgets the values that are gone, if they are many."""
        is_there = np.zeros(self._values.size, np.bool_)
        for counts in self.counts:
            is_there[np.flatnonzero(counts[: len(is_there)] > 0)] = True
        there = np.flatnonzero(is_there)
        keys = self._values.keys(there)
        # Values of groups that ended without a retraction of each of them.
        there = there[keys[1].to_numpy() == self.generations[keys[0].to_numpy()]]
        if self._values.size > 2 * len(there) + _FEW:
            keys = self._values.keys(there)
            self._values = KeySlots(self._types)
            numbers = self._values.find_or_insert(keys, len(there))
            size = int(there.max(initial=0)) + 1
            for place, counts in enumerate(self.counts):
                self.counts[place] = np.zeros(max(1024, len(there)), np.int64)
                self.counts[place][numbers] = grown(counts, size)[there]
        self._next_look = max(_FEW, 2 * self._values.size)


class DistinctValues(StateTable):
    """The count of each value per group, for the calls with one filter."""

    def __init__(self, values: ValueNumbers) -> None:
        self._values = values
        self._place = len(values.counts)
        self.ignored: set[int] = set()
        """Positions of the sorted rows of the last batch that retract a value which does not exist."""
        values.counts.append(np.zeros(1024, np.int64))

    def signs(self, numbers: Integers, rows: Integers, signs: Integers, segments: Segments) -> Integers:
        """Returns 1 for rows that add the first copy of a value, -1 for rows that retract the last copy, and 0 for the others.

        ``numbers`` are those of the values in ``rows``, which contain all rows whose sign is not 0. Rows of sign 0, which a filter removed, are left out.
        """
        result = np.zeros(segments.rows, np.int64)
        signs = signs[rows]
        if not signs.all():
            kept = np.flatnonzero(signs)
            numbers, rows, signs = numbers[kept], rows[kept], signs[kept]
        kept_counts = self._grown_counts()
        groups = SlotGroups(numbers)
        counts = running_counts(signs[groups.order], np.repeat(kept_counts[groups.slots], groups.sizes), groups)
        kept_counts[groups.slots] = counts.after[groups.ends - 1]
        self.ignored = set(rows[groups.order[(signs[groups.order] < 0) & (counts.before == 0)]].tolist()) if counts.ignored else set()
        result[rows[groups.order]] = np.minimum(counts.after, 1) - np.minimum(counts.before, 1)
        return result

    def _grown_counts(self) -> Integers:
        """Returns the counts, with room for all values."""
        counts = self._values.counts[self._place] = grown(self._values.counts[self._place], self._values.size)
        return counts

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        counts = self._grown_counts()
        there = np.flatnonzero(counts[: self._values.size] > 0)
        keys = self._values.keys(there)
        generations = self._values.generations
        places = np.full(len(generations), -1, np.int64)
        known = slots < len(places)
        places[slots[known]] = np.flatnonzero(known)
        owners = keys[0].to_numpy()
        at = np.where(keys[1].to_numpy() == generations[owners], places[owners], -1)
        order = np.argsort(at, kind="stable")[int((at < 0).sum()) :]
        taken = pa.array(order)
        return content_of(pa.array(at[order]), [pa.array(counts[there[order]]), *(column.take(taken) for column in keys[2:])])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        numbers = self._values.find_again(slots[content.column(0).to_numpy()], content.columns[2:])
        self._grown_counts()[numbers] = content.column(1).to_numpy()
