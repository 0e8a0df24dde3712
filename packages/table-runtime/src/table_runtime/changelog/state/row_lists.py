"""Lists of row numbers by slot, in the order in which rows were added."""

from __future__ import annotations

from typing import Any

import numpy as np

from table_runtime.changelog.slot_groups import SlotGroups, Slots
from table_runtime.changelog.state.columns import grown

__all__ = ["RowLists", "Rows"]

Rows = np.ndarray[Any, np.dtype[np.int64]]
"""Numbers of rows."""

LONGEST_CHAIN = 64
"""A slot with more rows keeps them in an array: following a chain takes one round over all slots for each of its rows."""


class RowLists:
    """Each slot has a chain of its rows, or an array if they are many."""

    def __init__(self) -> None:
        self._head = np.full(1024, -1, np.int64)
        self._tail = np.full(1024, -1, np.int64)
        self._length = np.zeros(1024, np.int64)
        self._next = np.full(1024, -1, np.int64)
        self._arrays: dict[int, _Array] = {}

    def append(self, slots: Slots, rows: Rows) -> None:
        """Adds rows to the lists of their slots, in this order; the numbers are new."""
        if not len(slots):
            return
        size = int(slots.max()) + 1
        self._head, self._tail = grown(self._head, size, -1), grown(self._tail, size, -1)
        self._length = grown(self._length, size)
        groups = SlotGroups(slots)
        self._length[groups.slots] += groups.sizes
        if self._arrays or (self._length[groups.slots] > LONGEST_CHAIN).any():
            is_long = self._length[groups.slots] > LONGEST_CHAIN
            for group in np.flatnonzero(is_long).tolist():
                slot = int(groups.slots[group])
                if slot not in self._arrays:
                    self._arrays[slot] = _Array(self._chain(slot))
                self._arrays[slot].extend(rows[groups.order[groups.starts[group] : groups.ends[group]]])
            is_short = ~np.repeat(is_long, groups.sizes)
            if not is_short.any():
                return
            short = np.sort(groups.order[is_short])
            slots, rows = slots[short], rows[short]
            groups = SlotGroups(slots)
        self._next = grown(self._next, int(rows.max()) + 1, -1)
        ordered = rows[groups.order]
        is_start = np.zeros(len(ordered), np.bool_)
        is_start[groups.starts] = True
        self._next[ordered[:-1][~is_start[1:]]] = ordered[1:][~is_start[1:]]
        first, last = ordered[groups.starts], ordered[groups.ends - 1]
        tails = self._tail[groups.slots]
        self._next[tails[tails >= 0]] = first[tails >= 0]
        self._head[groups.slots[tails < 0]] = first[tails < 0]
        self._tail[groups.slots] = last

    def lengths(self, slots: Slots) -> Rows:
        """Returns how many rows the list of each slot has; 0 for slots that are -1 or have no list."""
        known = (slots >= 0) & (slots < len(self._length))
        return np.where(known, self._length[np.where(known, slots, 0)], 0)

    def find(self, slots: Slots) -> tuple[Rows, Rows]:
        """Returns all pairs of a position in ``slots`` and a row of that slot's list, by position and then in the order of the list."""
        lengths = self.lengths(slots)
        positions, rows = [], []
        chained = np.flatnonzero((lengths > 0) & (lengths <= LONGEST_CHAIN))
        current = self._head[slots[chained]]
        while len(chained):
            positions.append(chained)
            rows.append(current)
            current = self._next[current]
            chained, current = chained[current >= 0], current[current >= 0]
        for position in np.flatnonzero(lengths > LONGEST_CHAIN).tolist():
            found = self._arrays[int(slots[position])].values
            positions.append(np.full(len(found), position))
            rows.append(found)
        if not positions:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        all_positions, all_rows = np.concatenate(positions), np.concatenate(rows)
        order = SlotGroups(all_positions).order
        return all_positions[order], all_rows[order]

    def _chain(self, slot: int) -> Rows:
        """Returns the rows of a slot's chain, and empties it."""
        rows = []
        row = int(self._head[slot])
        while row >= 0:
            rows.append(row)
            row = int(self._next[row])
        self._head[slot] = self._tail[slot] = -1
        return np.array(rows, np.int64)


class _Array:
    """A growing array of rows."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._size = len(rows)

    @property
    def values(self) -> Rows:
        return self._rows[: self._size]

    def extend(self, rows: Rows) -> None:
        size = self._size + len(rows)
        self._rows = grown(self._rows, size)
        self._rows[self._size : size] = rows
        self._size = size
