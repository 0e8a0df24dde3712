"""Adds rows to many partitions of a rank at once: one row of each partition per round, on arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.state.rank_lines import RankLines

MOST_RANKS = 32
"""The largest bound for which arrays with a column per rank are used: a partition of few rows takes no more memory so than as lists."""
_FEWEST_PARTITIONS = 96
"""A round with fewer partitions takes longer on arrays than one row after the other."""


class RankedChanges:
    """The rows before and after each change, -1 where there was none, and their ranks from 0, for rows that come one after the other."""

    def __init__(self, rows: int) -> None:
        self._counts: Integers = np.zeros(rows, np.int64)
        self._parts: list[tuple[Integers, Integers, Integers, Integers]] = []

    def add(self, rows: Integers, counts: Integers, least: Integers, before: Integers, after: Integers) -> None:
        """Adds the changes of some rows: ``counts`` of each, whose ranks begin with ``least``."""
        self._counts[rows] = counts
        self._parts.append((rows, least, before, after))

    def in_order(self) -> tuple[Integers, Integers, Integers]:
        """Returns the rows before, the rows after, and the ranks, in the order of the rows that came."""
        ends = np.cumsum(self._counts)
        total = int(ends[-1]) if len(ends) else 0
        before, after, ranks = (np.empty(total, np.int64) for _ in range(3))
        for rows, least, gone, come in self._parts:
            counts = self._counts[rows]
            within = _within(counts)
            places = np.repeat(ends[rows] - counts, counts) + within
            before[places], after[places] = gone, come
            ranks[places] = np.repeat(least, counts) + within
        return before, after, ranks


class Rounds:
    """The partitions that some rows belong to, as arrays with a line per partition and a column per rank up to ``end``.

    Attributes:
        slots, lengths: the slot of each partition, and how many rows it has.
        keys, rows: the keys and the numbers of the rows of each partition.
        rest: the positions of the rows that the rounds left over, in the order in which they came; all of them are of few partitions.
    """

    def __init__(self, slots: Slots, lines: RankLines) -> None:
        self._groups = SlotGroups(slots)
        self._end = lines.end
        self.slots: Slots = self._groups.slots
        self.lengths: Integers = lines.lengths[self.slots]
        self.keys: Integers = lines.keys[self.slots]
        self.rows: Integers = lines.rows[self.slots]
        self.rest: Integers = np.zeros(0, np.int64)

    def run(self, keys: Integers, first: int, start: int, changes: RankedChanges) -> None:
        """Adds rows with the numbers from ``first`` while there are many partitions with more of them."""
        order, starts = self._groups.order, self._groups.starts
        by_size = np.argsort(-self._groups.sizes, kind="stable")
        sizes = self._groups.sizes[by_size]
        done = 0
        while (count := int(np.searchsorted(-sizes, -done))) >= _FEWEST_PARTITIONS:
            partitions = by_size[:count]
            positions = order[starts[partitions] + done]
            self._add(partitions, positions, keys[positions], first, start, changes)
            done += 1
        left = by_size[:count]
        counts = sizes[:count] - done
        self.rest = np.sort(order[np.repeat(starts[left] + done, counts) + _within(counts)])

    def _add(self, partitions: Integers, positions: Integers, keys: Integers, first: int, start: int, changes: RankedChanges) -> None:
        """Adds one row to each of some partitions, after rows with equal keys."""
        old_keys, lengths = self.keys[partitions], self.lengths[partitions]
        places = np.minimum((old_keys <= keys[:, None]).sum(axis=1), lengths)
        kept = np.flatnonzero(places < self._end)
        if len(kept) < len(places):
            partitions, positions, keys, places = partitions[kept], positions[kept], keys[kept], places[kept]
            old_keys, lengths = old_keys[kept], lengths[kept]
        old_rows = self.rows[partitions]
        ranks = np.arange(self._end)
        is_before, is_place = ranks < places[:, None], ranks == places[:, None]
        new_rows = _inserted(old_rows, is_before, is_place, first + positions)
        self.keys[partitions] = _inserted(old_keys, is_before, is_place, keys)
        self.rows[partitions] = new_rows
        self.lengths[partitions] = lengths = np.minimum(lengths + 1, self._end)
        least = np.maximum(places, start)
        is_changed = (ranks >= least[:, None]) & (ranks < lengths[:, None])
        changes.add(positions, is_changed.sum(axis=1), least, old_rows[is_changed], new_rows[is_changed])


def stretches(positions: Integers, slots: Slots, first: int) -> Iterator[Integers]:
    """Yields the positions in groups: the ``first`` rows of each partition, then twice as many of each, and so on; each group in the order of ``positions``.

    Of n rows that come in random order, the last ones seldom are among the first k: if what is behind them is dropped before each group, about
    k log n rows of a partition are left.
    """
    owners = slots[positions]
    order = np.argsort(owners, kind="stable")
    sizes = np.diff(np.flatnonzero(np.diff(owners[order], prepend=-1)), append=len(order))
    numbers = np.empty(len(order), np.int64)
    numbers[order] = _within(sizes)
    groups = np.log2(numbers // first + 1).astype(np.int64)
    for group in range(int(groups.max(initial=-1)) + 1):
        yield positions[groups == group]


def _inserted(old: Integers, is_before: Any, is_place: Any, values: Integers) -> Integers:
    """Returns lines with a value at a place, and what was there and after it one column later."""
    moved = np.empty_like(old)
    moved[:, 1:] = old[:, :-1]
    result = np.where(is_before, old, moved)
    result[is_place] = values
    return result


def _within(counts: Integers) -> Integers:
    """Returns 0, 1, … for each count."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
