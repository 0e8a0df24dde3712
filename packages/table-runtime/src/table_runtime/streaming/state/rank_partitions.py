"""Rows of a rank by partition, in order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from table_runtime.columns.ordering import SortKey
from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.changes.sort_keys import Comparable
from table_runtime.streaming.state.rank_bounds import RankBounds
from table_runtime.streaming.state.rank_lines import NO_ROW, RankLines
from table_runtime.streaming.state.rank_rounds import RankedChanges, Rounds, stretches

_FIRST_STRETCH = 16
"""The number of rows of a large partition after which a bound is computed, and rows beyond it are dropped at once; it doubles each time."""


class RankPartition:
    """The rows of one partition in order: their keys, and their numbers."""

    __slots__ = ("keys", "rows")

    def __init__(self, keys: list[Comparable] | None = None, rows: list[int] | None = None) -> None:
        self.keys: list[Comparable] = [] if keys is None else keys
        self.rows: list[int] = [] if rows is None else rows

    def stays(self, key: Comparable, place: int) -> bool:
        """Whether a row with this key keeps its place among the others."""
        keys = self.keys
        return not (place and key < keys[place - 1]) and not (place < len(keys) and keys[place] < key)

    def place_of(self, key: Comparable, identity: int, id_of_row: Sequence[int]) -> int | None:
        """Returns the place of the first row with this key and this identity."""
        place = bisect_left(self.keys, key)
        while place < len(self.keys) and not key < self.keys[place]:
            if id_of_row[self.rows[place]] == identity:
                return place
            place += 1
        return None


class RankPartitions(dict[int, RankPartition]):
    """The partitions by slot; where their keys are integers and many rows come at once, they are lines instead."""

    _has_null_keys = False
    _lines: RankLines | None = None

    def note_nulls(self, rows: pa.RecordBatch, orders: Sequence[SortKey]) -> bool:
        """Takes notice of new rows; returns whether these or earlier ones have a NULL as order key."""
        self._has_null_keys = self._has_null_keys or any(rows.column(order.column).null_count for order in orders)
        return self._has_null_keys

    def of(self, slot: int) -> RankPartition:
        """Returns the partition of a slot, which is empty if there was none."""
        partition = self.get(slot)
        if partition is None:
            partition = self[slot] = RankPartition()
        return partition

    def add(self, slots: Sequence[int], keys: Sequence[Comparable], first: int, end: int) -> list[int]:
        """Adds rows to partitions of at most ``end`` rows, each after rows with equal keys.

        The rows have the numbers from ``first``. A row that is pushed out is deleted before the new one is inserted; where a partition is
        one row, it is updated. Returns for each change four times the number of its row, plus its kind.
        """
        gone, come = (UPDATE_BEFORE, UPDATE_AFTER) if end == 1 else (DELETE, INSERT)
        changes: list[int] = []
        for row, (slot, key) in enumerate(zip(slots, keys, strict=True), first):
            partition = self.get(slot)
            if partition is None:
                partition = self[slot] = RankPartition()
            place = bisect_right(partition.keys, key)
            if place == end:
                continue
            if len(partition.rows) < end:
                changes.append(4 * row + INSERT)
            else:
                partition.keys.pop()
                changes += (4 * partition.rows.pop() + gone, 4 * row + come)
            partition.keys.insert(place, key)
            partition.rows.insert(place, row)
        return changes

    def add_ranked(
        self, slots: Slots, keys: Sequence[Comparable], first: int, start: int, end: int, check: Callable[[], None]
    ) -> tuple[Integers, Integers, Integers, int]:
        """Adds rows to partitions of at most ``end`` rows, of which each rank from ``start``, counted from 0, is a row that is updated.

        The rows have the numbers from ``first``. Returns kinds, rows and ranks of the changes, and how many rows the partitions have grown by.
        """
        self._leave_lines()
        changes = RankedChanges(len(slots))
        grown = self._add_one_by_one(np.arange(len(slots)), slots, keys, first, start, end, changes, check)
        return *_kinds_and_rows(changes), grown

    @property
    def are_lines(self) -> bool:
        """Whether the partitions are lines."""
        return self._lines is not None

    def row_counts(self, slots: Slots) -> Integers:
        """Returns how many rows some partitions have."""
        if self._lines is not None:
            return self._lines.lengths[slots]
        return np.array([0 if (found := self.get(slot)) is None else len(found.rows) for slot in slots.tolist()], np.int64)

    def rows_of(self, slots: Slots) -> tuple[Integers, Integers]:
        """Returns how many rows some partitions have, and their rows after each other."""
        if self._lines is not None:
            return self._lines.of(slots)
        return self.row_counts(slots), np.array([row for slot in slots.tolist() for row in self[slot].rows], np.int64)

    def renumber(self, number: Callable[[Integers], Integers]) -> None:
        """Gives the rows of all partitions other numbers: those that ``number`` returns for them."""
        if self._lines is not None:
            self._lines.renumber(number(self._lines.all_rows()))
            return
        numbers = number(np.array([row for partition in self.values() for row in partition.rows], np.int64)).tolist()
        start = 0
        for partition in self.values():
            end = start + len(partition.rows)
            partition.rows = numbers[start:end]
            start = end

    def _as_lines(self, size: int, end: int) -> RankLines:
        """Makes the partitions lines, with room for the slots below ``size``."""
        if self._lines is None:
            self._lines = RankLines(end)
        if self:
            self._store(self)
            self.clear()
        self._lines.reserve(size)
        return self._lines

    def _leave_lines(self) -> None:
        """Makes the partitions lists."""
        if self._lines is not None:
            self.update(self._listed(np.flatnonzero(self._lines.lengths)))
            self._lines = None

    def _listed(self, slots: Slots) -> RankPartitions:
        """Returns some partitions, which are lines, as lists."""
        assert self._lines is not None
        lines = zip(self._lines.lengths[slots].tolist(), self._lines.keys[slots].tolist(), self._lines.rows[slots].tolist(), strict=True)
        listed = RankPartitions()
        for slot, (length, keys, rows) in zip(slots.tolist(), lines, strict=True):
            listed[slot] = RankPartition(keys[:length], rows[:length])
        return listed

    def _store(self, partitions: RankPartitions) -> None:
        """Sets the lines of some partitions."""
        assert self._lines is not None
        parts = list(partitions.values())
        self._lines.set_lists(np.array(list(partitions), np.int64), [part.keys for part in parts], [part.rows for part in parts])

    def add_ranked_words(
        self, slots: Slots, words: Integers, first: int, start: int, end: int, bounds: RankBounds, check: Callable[[], None]
    ) -> tuple[Integers, Integers, Integers, int]:
        """Does what ``add_ranked`` does for many rows whose keys, and those of all rows that are there, are integers; sets the bounds, too."""
        changes = RankedChanges(len(slots))
        lines = self._as_lines(int(slots.max(initial=-1)) + 1, end)
        rounds = Rounds(slots, lines)
        grown = -int(rounds.lengths.sum())
        rounds.run(words, first, start, changes)
        grown += int(rounds.lengths.sum())
        lines.set(rounds.slots, rounds.lengths, rounds.keys, rounds.rows)
        bounds.set_words(rounds.slots, rounds.lengths, rounds.keys[:, -1])
        for rest in stretches(rounds.rest, slots, max(_FIRST_STRETCH, end)):
            rest = rest[bounds.admits(words[rest], slots[rest])]
            places = np.unique(slots[rest])
            listed = self._listed(places)
            grown += listed._add_one_by_one(rest, slots[rest], words[rest].tolist(), first, start, end, changes, check)
            self._store(listed)
            bounds.set(places, (listed[slot].keys for slot in places.tolist()))
        return *_kinds_and_rows(changes), grown

    def _add_one_by_one(
        self,
        positions: Integers,
        slots: Slots,
        keys: Sequence[Comparable],
        first: int,
        start: int,
        end: int,
        changes: RankedChanges,
        check: Callable[[], None],
    ) -> int:
        """Adds the rows at some positions; returns how many rows the partitions have grown by."""
        before: list[int] = []
        after: list[int] = []
        counts: list[int] = []
        ranks: list[int] = []
        grown = 0
        for number, (position, slot, key) in enumerate(zip(positions.tolist(), slots.tolist(), keys, strict=True)):
            if not number % 4096:
                check()
            partition = self.get(slot)
            if partition is None:
                partition = self[slot] = RankPartition()
            place = bisect_right(partition.keys, key)
            if place == end:
                counts.append(0)
                ranks.append(0)
                continue
            rows = partition.rows
            least = place if place > start else start
            before += rows[least:]
            partition.keys.insert(place, key)
            rows.insert(place, first + position)
            size = len(rows)
            if size > end:
                partition.keys.pop()
                rows.pop()
            else:
                grown += 1
                if size > least:
                    before.append(NO_ROW)
            after += rows[least:]
            counts.append(max(len(rows) - least, 0))
            ranks.append(least)
        changes.add(positions, *(np.array(values, np.int64) for values in (counts, ranks, before, after)))
        return grown


def _kinds_and_rows(changes: RankedChanges) -> tuple[Integers, Integers, Integers]:
    """Returns kind, row and rank of each change, an update as two."""
    before, after, ranks = changes.in_order()
    rows = np.empty(2 * len(after), np.int64)
    rows[::2], rows[1::2] = before, after
    kinds: Integers = np.empty(len(rows), np.int64)
    kinds[::2] = UPDATE_BEFORE
    kinds[1::2] = np.where(before == NO_ROW, INSERT, UPDATE_AFTER)
    there = np.flatnonzero(rows != NO_ROW)
    return kinds[there], rows[there], ranks[there >> 1]
