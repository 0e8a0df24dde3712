"""Lists of row numbers by slot, in the order in which rows were added."""

from __future__ import annotations

from typing import Any

import numpy as np

from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.state.columns import grown

Rows = np.ndarray[Any, np.dtype[np.int64]]
"""Numbers of rows."""

LONGEST_CHAIN = 64
"""A slot with more rows keeps them in an array: following a chain takes one round over all slots for each of its rows."""


class RowLists:
    """Each slot has a chain of its rows from the last to the first, or an array if they are many."""

    def __init__(self) -> None:
        self._head = np.full(1024, -1, np.int32)
        self._length = np.zeros(1024, np.int32)
        self._next = np.full(1024, -1, np.int32)
        self._arrays: dict[int, _Array] = {}

    def append(self, slots: Slots, rows: Rows) -> None:
        """Adds rows to the lists of their slots, in this order; the numbers are new and ascending."""
        if not len(slots):
            return
        size = int(slots.max()) + 1
        self._head, self._length = grown(self._head, size, -1), grown(self._length, size)
        groups = SlotGroups(slots)
        lengths = self._length[groups.slots] + groups.sizes
        self._length[groups.slots] = lengths
        is_long = lengths > LONGEST_CHAIN
        if is_long.any():
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
        self._next = grown(self._next, int(rows.max()) + 1)
        ordered = rows[groups.order]
        self._next[ordered[1:]] = ordered[:-1]
        self._next[ordered[groups.starts]] = self._head[groups.slots]
        self._head[groups.slots] = ordered[groups.ends - 1]

    def lengths(self, slots: Slots) -> Rows:
        """Returns how many rows the list of each slot has; 0 for slots that are negative or have no list."""
        known = (slots >= 0) & (slots < len(self._length))
        return np.asarray(self._length.take(slots, mode="clip") * known, np.int64)

    def find(self, slots: Slots) -> tuple[Rows, Rows]:
        """Returns all pairs of a position in ``slots`` and a row of that slot's list, by position and then in the order of the list."""
        known = (slots >= 0) & (slots < len(self._head))
        current = self._head.take(slots, mode="clip")
        chained = np.flatnonzero(known & (current >= 0))
        current = current[chained]
        pairs: list[tuple[Rows, np.ndarray[Any, Any]]] = []
        while len(chained):
            pairs.append((chained, current))
            current = self._next.take(current)
            goes_on = np.flatnonzero(current >= 0)
            chained, current = chained[goes_on], current[goes_on]
        pairs.reverse()  # chains begin with the last row
        if self._arrays:
            for position in np.flatnonzero(self.lengths(slots) > LONGEST_CHAIN).tolist():
                found = self._arrays[int(slots[position])].values
                pairs.append((np.full(len(found), position), found))
        if not pairs:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        positions, rows = (np.concatenate(part).astype(np.int64, copy=False) for part in zip(*pairs, strict=True))
        if len(pairs) > 1:
            order = SlotGroups(positions).order
            positions, rows = positions[order], rows[order]
        return positions, rows

    def rows(self, slot: int) -> Rows:
        """Returns the list of a slot, not to be written."""
        return self._arrays[slot].values if slot in self._arrays else self.find(np.array([slot]))[1]

    def _chain(self, slot: int) -> Rows:
        """Returns the rows of a slot's chain, and empties it."""
        rows = []
        row = int(self._head[slot])
        while row >= 0:
            rows.append(row)
            row = int(self._next[row])
        self._head[slot] = -1
        return np.array(rows[::-1], np.int64)


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
