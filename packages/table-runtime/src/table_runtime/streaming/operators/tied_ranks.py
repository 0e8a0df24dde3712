"""RANK and DENSE_RANK: rows with equal order keys have one rank, and all of them move when a row before them comes or goes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from table_runtime.streaming.changes.batch import DELETE, INSERT
from table_runtime.streaming.changes.sort_keys import Comparable
from table_runtime.streaming.state.rank_partitions import RankPartition

_Changes = list[tuple[int, int, int]]
"""Kind, row and rank."""


class TiedRanks:
    """Ranks from 0, of which those from ``start`` to before ``end`` (None: no bound) are shown; as 0 unless ``has_rank``."""

    def __init__(self, start: int, end: int | None, *, is_dense: bool, has_rank: bool) -> None:
        self._start = start
        self._end = end
        self._is_dense = is_dense
        self._has_rank = has_rank

    def add(self, partition: RankPartition, key: Comparable, row: int) -> _Changes:
        """Adds a row; returns the changes: deletions, then insertions, each in the order of the rows."""
        first, place = bisect_left(partition.keys, key), bisect_right(partition.keys, key)
        shown = self._shown(self._rank(partition.keys, first))
        gone, come = self._moved(partition, place, 1 if not self._is_dense or first == place else 0)
        partition.keys.insert(place, key)
        partition.rows.insert(place, row)
        return gone + ([] if shown is None else [(INSERT, row, shown)]) + come

    def remove(self, partition: RankPartition, place: int) -> _Changes:
        """Removes the row at a place; returns the changes: deletions, then insertions, each in the order of the rows."""
        key = partition.keys[place]
        first, last = bisect_left(partition.keys, key), bisect_right(partition.keys, key)
        shown = self._shown(self._rank(partition.keys, first))
        gone, come = self._moved(partition, last, -1 if not self._is_dense or last - first == 1 else 0)
        del partition.keys[place]
        row = partition.rows.pop(place)
        return ([] if shown is None else [(DELETE, row, shown)]) + gone + come

    def first_hidden(self, keys: Sequence[Comparable]) -> int:
        """Returns the place of the first row whose rank is behind the bound."""
        end = self._end
        if end is None or len(keys) <= end:
            return len(keys)
        if not self._is_dense:
            return bisect_right(keys, keys[end - 1]) if end else 0
        place = 0
        for _ in range(end):
            if place < len(keys):
                place = bisect_right(keys, keys[place], place)
        return place

    def _moved(self, partition: RankPartition, place: int, shift: int) -> tuple[_Changes, _Changes]:
        """Returns the deletions and insertions of the rows from a place on if their ranks move."""
        gone: _Changes = []
        come: _Changes = []
        if not shift or (self._end is None and not self._start and not self._has_rank):
            return gone, come
        keys, rows = partition.keys, partition.rows
        rank = self._rank(keys, place)
        while place < len(keys) and (self._end is None or min(rank, rank + shift) < self._end):
            last = bisect_right(keys, keys[place], place)
            old, new = self._shown(rank), self._shown(rank + shift)
            if old is not None and old != new:
                gone += [(DELETE, row, old) for row in rows[place:last]]
            if new is not None and old != new:
                come += [(INSERT, row, new) for row in rows[place:last]]
            rank += 1 if self._is_dense else last - place
            place = last
        return gone, come

    def _rank(self, keys: Sequence[Comparable], place: int) -> int:
        """Returns the rank of the first row with a key, which is at ``place``; any rank that is not shown if it is far behind the bound."""
        if not self._is_dense:
            return place
        rank = start = 0
        while start < place and (self._end is None or rank <= self._end):
            start = bisect_right(keys, keys[start], start)
            rank += 1
        return rank

    def _shown(self, rank: int) -> int | None:
        if rank < self._start or (self._end is not None and rank >= self._end):
            return None
        return rank if self._has_rank else 0
