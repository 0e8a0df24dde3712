"""Partitions of a rank as lines of arrays, with a column per rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots

NO_ROW = -1
LAST_KEY = np.iinfo(np.int64).max
"""The key where there is no row."""


class RankLines:
    """The keys, which are integers, and the numbers of the rows of each partition in order, by slot; a partition has at most ``end`` rows."""

    def __init__(self, end: int) -> None:
        self.end = end
        self.lengths: Integers = np.zeros(0, np.int64)
        self.keys: Integers = np.zeros((0, end), np.int64)
        self.rows: Integers = np.zeros((0, end), np.int64)

    def reserve(self, size: int) -> None:
        """Makes room for the slots below ``size``; new partitions have no rows."""
        used = len(self.lengths)
        if size > used:
            more = max(size, 2 * used, 1024) - used
            self.lengths = np.concatenate([self.lengths, np.zeros(more, np.int64)])
            self.keys = np.concatenate([self.keys, np.full((more, self.end), LAST_KEY)])
            self.rows = np.concatenate([self.rows, np.full((more, self.end), NO_ROW)])

    def set(self, slots: Slots, lengths: Integers, keys: Integers, rows: Integers) -> None:
        """Sets some partitions to lines."""
        self.lengths[slots], self.keys[slots], self.rows[slots] = lengths, keys, rows

    def set_lists(self, slots: Slots, keys: Sequence[Sequence[Any]], rows: Sequence[Sequence[int]]) -> None:
        """Sets some partitions to lists of keys and rows."""
        self.reserve(int(slots.max(initial=-1)) + 1)
        lengths = np.array([len(part) for part in rows], np.int64)
        is_there = np.arange(self.end) < lengths[:, None]
        lines = np.full(is_there.shape, LAST_KEY), np.full(is_there.shape, NO_ROW)
        for line, parts in zip(lines, (keys, rows), strict=True):
            line[is_there] = [value for part in parts for value in part]
        self.set(slots, lengths, *lines)

    def of(self, slots: Slots) -> tuple[Integers, Integers]:
        """Returns the numbers of rows of some partitions, and their rows after each other."""
        lengths = self.lengths[slots]
        return lengths, self.rows[slots][np.arange(self.end) < lengths[:, None]]

    def all_rows(self) -> Integers:
        """Returns the rows of all partitions after each other."""
        rows: Integers = self.rows[self.rows != NO_ROW]
        return rows

    def renumber(self, rows: Integers) -> None:
        """Sets the rows of all partitions, in the order of ``all_rows``."""
        self.rows[self.rows != NO_ROW] = rows
