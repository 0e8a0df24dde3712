"""DISTINCT arguments: finds the rows that add the first copy of a value to a group, or retract the last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.columns.batches import concat_arrays
from table_runtime.streaming.aggregates.changed_values import ChangedValues
from table_runtime.streaming.aggregates.value_lists import ValueLists
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.distinct_words import first_of_each
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import StateTable, content_of

_FEW = 4096
"""At least this number of removed values is kept before they are purged."""
_NONE = -1


class FoundValues(NamedTuple):
    """The values of some rows: the number of each different value, and for each row the place of its value among them."""

    numbers: Integers
    places: Integers


class ValueNumbers:
    """A number for each value per group, shared by the calls of one DISTINCT argument that have different filters.

    A group has an owner number, and another one when it ended and begins again. Values that no call counts any more are purged periodically.
    """

    def __init__(self, types: Sequence[pa.DataType]) -> None:
        self._types = (pa.int64(), *types)
        self._values = KeySlots(self._types)
        self._next_look = _FEW
        self._next_owner = 0
        self._owners: Integers = np.full(1024, _NONE)
        self._lists = ValueLists()
        self.counts: list[Integers] = []
        """For each filter the count of each value, by its number; filled up with zeros at need."""
        self.changed: list[ChangedValues] = []
        """For each filter the values whose counts have changed since a snapshot."""

    @property
    def size(self) -> int:
        """How many values have a number, with those that are gone."""
        return self._values.size

    def find(self, args: Sequence[pa.Array], rows: Integers, segments: Segments) -> FoundValues:
        """Returns the numbers of the values in some rows of a batch. Called once for each batch, because groups that begin get their owners."""
        if self._values.size > self._next_look:
            self._forget()
        self._require_owners(segments.slots)
        known = self._values.size
        owners = self._owners[segments.slots]
        fresh = np.flatnonzero(segments.is_fresh)
        self._lists.clear(segments.slots[fresh])
        for changed in self.changed:
            changed.note_begun(segments.slots[fresh])
        owners[fresh] = self._new_owners(len(fresh))
        self._owners[segments.slots[segments.is_last]] = owners[segments.is_last]
        of_row = segments.of_row
        if len(rows) < segments.rows:
            of_row, taken = of_row[rows], pa.array(rows)
            args = [pc.take(arg, taken) for arg in args]
        found = FoundValues(*self._values.find_or_insert_distinct([pa.array(owners[of_row]), *args], len(rows)))
        if self._values.size > known:
            new = np.flatnonzero(found.numbers >= known)
            of_value = of_row[first_of_each(found.places, len(found.numbers))[new]]
            slots = segments.slots[of_value]
            is_present = self._owners[slots] == owners[of_value]  # the group may have ended and begun again in the batch
            self._lists.add(slots[is_present], found.numbers[new[is_present]])
        return found

    def of(self, slots: Slots, counts: Integers) -> tuple[Integers, Integers, Sequence[pa.Array]]:
        """Returns the values of some groups that ``counts`` counts: the places of their groups among the slots, ascending, their numbers, and the values."""
        listed = self._lists.of(slots)
        places, numbers = listed.places, listed.numbers
        if len(listed.rest):
            at, others = self._search(slots[listed.rest], np.flatnonzero(counts[: self._values.size] > 0))
            places, numbers = np.concatenate([places, listed.rest[at]]), np.concatenate([numbers, others])
        kept = np.flatnonzero(counts[numbers] > 0)
        order = kept[np.argsort(places[kept], kind="stable")]
        return places[order], numbers[order], self._values.keys(numbers[order])[1:]

    def changes(self, slots: Slots, place: int) -> tuple[Integers, Integers, Sequence[pa.Array]]:
        """Returns the values of some groups whose counts for a filter have changed, those with the count 0 too, as ``of`` does."""
        self._reserve(slots)
        places, numbers = self.changed[place].of(self._owners[slots])
        return places, numbers, self._values.keys(numbers)[1:]

    def take_changes(self, place: int) -> None:
        """Begins the next snapshot of a filter."""
        self.changed[place].take(self._values.first_numbers)

    def _search(self, slots: Slots, numbers: Integers) -> tuple[Integers, Integers]:
        """Searches among some values for those of some groups; returns the places of their groups among the slots, and their numbers."""
        owners = self._owners[slots]
        order = np.argsort(owners)
        of_value = self._values.first_numbers(numbers)
        nearest = order[np.minimum(np.searchsorted(owners, of_value, sorter=order), len(slots) - 1)]
        found = np.flatnonzero(owners[nearest] == of_value)
        return nearest[found], numbers[found]

    def find_again(self, slots: Slots, values: Sequence[pa.Array]) -> Integers:
        """Returns the numbers of different values of the present groups of slots."""
        self._require_owners(slots)
        known = self._values.size
        numbers = self._values.find_or_insert([pa.array(self._owners[slots]), *values], len(slots))
        is_new = numbers >= known
        self._lists.add(slots[is_new], numbers[is_new])
        return numbers

    def _require_owners(self, slots: Slots) -> None:
        """Gives groups without an owner one: new ones, and those of a snapshot that had no values."""
        self._reserve(slots)
        missing = np.unique(slots[self._owners[slots] == _NONE])
        self._owners[missing] = self._new_owners(len(missing))

    def _reserve(self, slots: Slots) -> None:
        self._owners = grown(self._owners, int(slots.max(initial=0)) + 1, _NONE)

    def _new_owners(self, count: int) -> Integers:
        self._next_owner += count
        return np.arange(self._next_owner - count, self._next_owner)

    def _forget(self) -> None:
        """Forgets the values that are gone, if they are many."""
        is_there = np.zeros(self._values.size, np.bool_)
        for counts in self.counts:
            is_there[np.flatnonzero(counts[: len(is_there)] > 0)] = True
        for changed in self.changed:  # the next snapshot says that they are gone
            is_there[changed.numbers()] = True
        there = np.flatnonzero(is_there)
        # Values of groups that ended without a retraction of each of them are not there.
        there = there[np.isin(self._values.first_numbers(there), self._owners)]
        if self._values.size > 2 * len(there) + _FEW:
            keys = self._values.keys(there)
            renumbered = np.full(self._values.size, _NONE)
            self._values = KeySlots(self._types)
            numbers = self._values.find_or_insert(keys, len(there))
            order = np.argsort(self._owners)
            self._lists = ValueLists()
            self._lists.add(order[np.searchsorted(self._owners, keys[0].to_numpy(), sorter=order)], numbers)
            renumbered[there] = numbers
            for changed in self.changed:
                changed.renumber(renumbered)
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
        self._changed = ChangedValues()
        values.changed.append(self._changed)
        self._open: Truths = np.zeros(0, np.bool_)
        self._restored: Truths = np.zeros(0, np.bool_)

    def signs(self, found: FoundValues, rows: Integers, signs: Integers, segments: Segments) -> Integers:
        """Returns 1 for rows that add the first copy of a value, -1 for rows that retract the last copy, and 0 for the others.

        ``found`` are the values in ``rows``, which contain all rows whose sign is not 0. Rows of sign 0, which a filter removed, are left out.
        """
        places, signs = found.places, signs[rows]
        if not signs.all():
            kept = np.flatnonzero(signs)
            places, rows, signs = places[kept], rows[kept], signs[kept]
        result = np.zeros(segments.rows, np.int64)
        if signs.min(initial=1) > 0:
            self.ignored = set()
            result[rows[self._first_copies(found.numbers, places)]] = 1
            return result
        kept_counts = self._grown_counts()
        groups = SlotGroups(places)
        numbers = found.numbers[groups.slots]
        counts = running_counts(signs[groups.order], np.repeat(kept_counts[numbers], groups.sizes), groups)
        kept_counts[numbers] = counts.after[groups.ends - 1]
        self._changed.note(numbers)
        self.ignored = set(rows[groups.order[(signs[groups.order] < 0) & (counts.before == 0)]].tolist()) if counts.ignored else set()
        result[rows[groups.order]] = np.minimum(counts.after, 1) - np.minimum(counts.before, 1)
        return result

    def _first_copies(self, numbers: Integers, places: Integers) -> Integers:
        """Counts values that are added, at ``places`` among the ``numbers``; returns which of them are the first copies."""
        kept_counts = self._grown_counts()
        before = kept_counts[numbers]
        added = np.bincount(places, minlength=len(numbers))
        kept_counts[numbers] = before + added
        self._changed.note(numbers[added > 0])
        result: Integers = first_of_each(places, len(numbers))[(before == 0) & (added > 0)]
        return result

    def _grown_counts(self) -> Integers:
        """Returns the counts, with room for all values."""
        counts = self._values.counts[self._place] = grown(self._values.counts[self._place], self._values.size)
        return counts

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        counts = self._grown_counts()
        places, numbers, values = self._values.of(slots, counts)
        return content_of(pa.array(places), [pa.array(counts[numbers]), *values])

    @override
    def take_changes(self) -> None:
        self._values.take_changes(self._place)
        self._open = self._restored = np.zeros(0, np.bool_)

    @override
    def changes(self, slots: Slots) -> pa.RecordBatch:
        """Returns the values whose counts have changed, after a row without a count for each group that has others, too."""
        counts = self._grown_counts()
        places, numbers, values = self._values.changes(slots, self._place)
        others = np.flatnonzero(~self._changed.has_begun(slots))
        all_places = np.concatenate([others, places])
        order = np.argsort(all_places, kind="stable")
        columns = [pa.array(counts[numbers]), *values]
        taken = pa.array(order)
        return content_of(
            pa.array(all_places[order]),
            [concat_arrays([pa.nulls(len(others), column.type), column], column.type).take(taken) for column in columns],
        )

    @override
    def is_open(self, slots: Slots) -> Truths:
        self._open = grown(self._open, int(slots.max(initial=0)) + 1, False)
        result: Truths = self._open[slots]
        return result

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        at = slots[content.column(0).to_numpy()]
        was_open = self.is_open(at)
        self.is_open(slots)
        self._open[slots] = False
        counts, values = content.column(1), content.columns[2:]
        if counts.null_count:
            is_open = pc.is_null(counts).to_numpy(zero_copy_only=False)
            self._open[at[is_open]] = True
            rows = np.flatnonzero(~is_open)
            at, was_open, taken = at[rows], was_open[rows], pa.array(rows)
            counts, values = counts.take(taken), [column.take(taken) for column in values]
        numbers, given = self._values.find_again(at, values), counts.to_numpy()
        if was_open.any() or self._open[at].any():
            self._restored = grown(self._restored, self._values.size, False)
            new = np.flatnonzero(~(was_open & self._restored[numbers]))  # what a newer snapshot says counts
            numbers, given, at = numbers[new], given[new], at[new]
            self._restored[numbers[self._open[at]]] = True
        self._grown_counts()[numbers] = given
