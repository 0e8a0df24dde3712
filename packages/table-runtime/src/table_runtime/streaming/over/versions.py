"""The versions of partitions while rows come and go: each is a list of rows in order, over which the calls of OVER are evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.row_lists import Rows


@dataclass(slots=True)
class _Partition:
    """The rows of a partition in order: ``order``, then ``tail``. ``version`` is the number of its version that is to be evaluated, if there is one."""

    order: Rows
    tail: list[int]
    version: int | None = None

    def __len__(self) -> int:
        return len(self.order) + len(self.tail)

    def rows(self) -> Rows:
        """Returns all rows."""
        if self.tail:
            self.order = np.concatenate([self.order, np.array(self.tail, np.int64)])
            self.tail = []
        return self.order


@dataclass(slots=True)
class VersionChange:
    """One inserted or removed row: the number of the change, the row's index in the partition, and its index among the evaluated rows.

    ``before`` and ``after`` are the indexes, among the evaluated rows, of other rows whose results may change, in the version before and after
    the change; ``places`` are their indexes in the partition. None: no results change.
    """

    change: int
    place: int
    position: Any
    before: Any = None
    after: Any = None
    places: Any = None


class Versions:
    """Applies changes to partitions. Rows are numbers; ``ranks`` orders them, and rows with equal ``identities`` are equal.

    ``slots`` are the partitions of the first rows, which are there at the beginning. Rows with equal ranks are in the order of their numbers.
    """

    def __init__(self, slots: Slots, ranks: Rows, identities: Slots, *, looks_back: bool, has_peers: bool) -> None:
        self._ranks = ranks
        self._identities = identities
        self._looks_back = looks_back
        self._has_peers = has_peers
        self._partitions: dict[int, _Partition] = {}
        order = np.lexsort((ranks[: len(slots)], slots))
        found, starts = np.unique(slots[order], return_index=True)
        for slot, rows in zip(found.tolist(), np.split(order, starts[1:]), strict=False):
            self._partitions[slot] = _Partition(rows, [])
        self._versions: list[Rows | None] = []
        self._steps: list[tuple[int, int, int, int | None, int, bool]] = []
        self.size = 0
        """The number of rows to be evaluated besides those that were there when the last steps were taken."""

    def add(self, slot: int, row: int, change: int) -> None:
        """Adds a row after those that are not greater."""
        partition = self._partitions.get(slot)
        if partition is None:
            partition = self._partitions[slot] = _Partition(np.zeros(0, np.int64), [])
        count, rank = len(partition), int(self._ranks[row])
        if self._is_last(partition, rank):
            # The results of the rows before it stay: one version serves for all rows that are added at the end.
            version = self._current(partition)
            partition.tail.append(row)
            self.size += 1
            self._steps.append((change, count, version, None, count, True))
            return
        rows = partition.rows()
        ranks = self._ranks[rows]
        place = int(np.searchsorted(ranks, rank, side="right"))
        self._step(partition, np.insert(rows, place, row), change, place, self._first(ranks, rank, place), is_added=True)

    def remove(self, slot: int, row: int, change: int) -> int | None:
        """Removes the first row that is equal to a row; returns it, or None if there is none."""
        partition = self._partitions.get(slot)
        if partition is None:
            return None
        rows = partition.rows()
        equal = np.flatnonzero(self._identities[rows] == self._identities[row])
        if not len(equal):
            return None
        place = int(equal[0])
        removed = int(rows[place])
        first = self._first(self._ranks[rows], int(self._ranks[row]), place)
        self._step(partition, np.delete(rows, place), change, place, first, is_added=False)
        return removed

    def take(self) -> tuple[Rows, Rows, list[VersionChange]]:
        """Returns the number of the version and the row for each row to be evaluated, and the steps; the partitions stay."""
        for partition in self._partitions.values():
            if partition.version is not None:
                self._versions[partition.version] = partition.rows()
                partition.version = None
        versions = [np.zeros(0, np.int64) if rows is None else rows for rows in self._versions]
        sizes = np.array([len(rows) for rows in versions], np.int64)
        starts = np.cumsum(sizes) - sizes
        steps = [self._positions(starts, *step) for step in self._steps]
        self._versions, self._steps, self.size = [], [], 0
        numbers = np.repeat(np.arange(len(versions)), sizes)
        return numbers, np.concatenate([np.zeros(0, np.int64), *versions]), steps

    def _is_last(self, partition: _Partition, rank: int) -> bool:
        """Whether a row comes after all others, and leaves their results as they are."""
        if not self._looks_back:
            return False
        if not len(partition):
            return True
        last = int(self._ranks[partition.tail[-1] if partition.tail else partition.order[-1]])
        return rank > last or (rank == last and not self._has_peers)

    def _first(self, ranks: Rows, rank: int, place: int) -> int:
        """Returns the first place whose results may change."""
        if not self._looks_back:
            return 0
        return int(np.searchsorted(ranks, rank, side="left")) if self._has_peers else place

    def _current(self, partition: _Partition) -> int:
        """Returns the number of the current version of a partition, which is evaluated."""
        if partition.version is None:
            partition.version = len(self._versions)
            self._versions.append(None)
        return partition.version

    def _step(self, partition: _Partition, rows: Rows, change: int, place: int, first: int, *, is_added: bool) -> None:
        old = self._current(partition)
        self._versions[old] = partition.order
        partition.order, partition.version = rows, len(self._versions)
        self._versions.append(None)
        self.size += len(rows)
        self._steps.append((change, place, partition.version, old, first, is_added))

    def _positions(self, starts: Rows, change: int, place: int, version: int, old: int | None, first: int, is_added: bool) -> VersionChange:
        if old is None:
            return VersionChange(change, place, starts[version] + place)
        rows = self._versions[old]
        assert rows is not None
        count = len(rows)
        before = np.arange(first, count)
        if is_added:
            after = before + (before >= place)
            return VersionChange(change, place, starts[version] + place, starts[old] + before, starts[version] + after, after)
        before = before[before != place]
        return VersionChange(change, place, starts[old] + place, starts[old] + before, starts[version] + before - (before > place), before)
