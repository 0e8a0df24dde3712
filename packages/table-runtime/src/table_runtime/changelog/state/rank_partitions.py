"""Rows of a rank by partition, in order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from table_runtime.changelog.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE
from table_runtime.changelog.segments import Integers
from table_runtime.changelog.sort_keys import Comparable

__all__ = ["RankPartition", "RankPartitions"]

_NO_ROW = -1


class RankPartition:
    """The rows of one partition in order: their keys, and their numbers."""

    __slots__ = ("keys", "rows")

    def __init__(self) -> None:
        self.keys: list[Comparable] = []
        self.rows: list[int] = []


class RankPartitions(dict[int, RankPartition]):
    """The partitions by slot."""

    def of(self, slot: int) -> RankPartition:
        """Returns the partition of a slot, which is empty if there was none."""
        partition = self.get(slot)
        if partition is None:
            partition = self[slot] = RankPartition()
        return partition

    def add(self, slots: Sequence[int], keys: Sequence[Comparable], first: int, end: int) -> list[int]:
        """Adds rows to partitions of at most ``end`` rows, each behind rows with equal keys.

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
        self, slots: Sequence[int], keys: Sequence[Comparable], first: int, start: int, end: int
    ) -> tuple[Integers, Integers, Integers, int]:
        """Adds rows to partitions of at most ``end`` rows, of which each rank from ``start``, counted from 0, is a row that is updated.

        The rows have the numbers from ``first``. Returns kinds, rows and ranks of the changes, and how many rows the partitions have grown by.
        """
        every_rank = list(range(end + 1))
        before: list[int] = []
        after: list[int] = []
        ranks: list[int] = []
        grown = 0
        for row, (slot, key) in enumerate(zip(slots, keys, strict=True), first):
            partition = self.get(slot)
            if partition is None:
                partition = self[slot] = RankPartition()
            place = bisect_right(partition.keys, key)
            if place == end:
                continue
            rows = partition.rows
            least = place if place > start else start
            before += rows[least:]
            partition.keys.insert(place, key)
            rows.insert(place, row)
            size = len(rows)
            if size > end:
                partition.keys.pop()
                rows.pop()
            else:
                grown += 1
                if size > least:
                    before.append(_NO_ROW)
            after += rows[least:]
            ranks += every_rank[least : len(rows)]
        changes = np.array([before, after], np.int64).T.ravel()
        kinds = np.tile(np.array([UPDATE_BEFORE, UPDATE_AFTER], np.int64), len(after))
        is_new = changes[::2] == _NO_ROW
        kinds[1::2][is_new] = INSERT
        there = changes != _NO_ROW
        return kinds[there], changes[there], np.repeat(np.array(ranks, np.int64), 2)[there], grown
