"""Slots of keys that are one integer, found by address while the integers lie close together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.cells import EMPTY, Cells, find_or_claim
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.hash_table import HashTable, Truths, Words

_FEW_CELLS = 1 << 18
_CELLS_PER_KEY = 4
_LEAST, _GREATEST = -(1 << 62), 1 << 62
"""Integers outside of this range are not addressed: the range of the addresses fits into 64 bits."""


class IntegerTable:
    """A table of keys like ``HashTable`` whose keys have one word.

    Each integer from the least to the greatest one has a cell with its slot. When integers are too far apart for that, or when a key has a word that is
    mostly 0, a hash table takes the place of the cells.
    """

    def __init__(self) -> None:
        self._base = 0
        self._cells: Cells = np.full(0, EMPTY, np.int32)
        self._keys: Words = np.zeros((1, 1024), np.int64)
        self._replaced: Truths | None = None
        self._hashed: HashTable | None = None
        self._size = 0
        self._reserved = 0

    @property
    def size(self) -> int:
        """The number of slots."""
        return self._size if self._hashed is None else self._hashed.size

    def keys(self, slots: Slots) -> Words:
        """Returns the words of some slots."""
        return self._keys[:, slots] if self._hashed is None else self._hashed.keys(slots)

    def find(self, words: Words) -> Slots:
        """Returns the slot of each key, -1 for keys that are not there."""
        if self._hashed is None and len(words) > 1 and words[1:].any():
            self._hash()
        if self._hashed is not None:
            return self._hashed.find(words)
        if not len(self._cells):
            return np.full(words.shape[1], EMPTY, np.int64)
        addresses = words[0] - self._base
        is_there = addresses.view(np.uint64) < len(self._cells)
        slots = self._cells.take(addresses, mode="clip").astype(np.int64)
        return slots if is_there.all() else np.where(is_there, slots, EMPTY)

    def find_or_insert(self, words: Words, is_expired: Callable[[Slots], Truths] | None = None) -> Slots:
        """Returns the slot of each key; new keys get the next slots, in the order in which they come.

        A key whose slot has expired, as ``is_expired`` says, is a new key; it is not found at its former slot any more.
        """
        if not words.shape[1]:
            return np.zeros(0, np.int64)
        if self._hashed is None and not ((len(words) == 1 or not words[1:].any()) and self._covers(words[0])):
            self._hash()
        if self._hashed is not None:
            return self._hashed.find_or_insert(words, is_expired)
        addresses = words[0] - self._base
        if is_expired is not None and self._size:
            self._forget_expired(addresses, is_expired)
        slots, self._size, new = find_or_claim(self._cells, addresses, self._size)
        if len(new):
            self._keys = grown(self._keys, self._size)
            self._keys[0, self._size - len(new) : self._size] = words[0].take(new)
        return slots

    def is_current(self, slots: Slots) -> Truths:
        """Returns which slots are the last ones of their keys: a key that has expired and come again has a new slot."""
        if self._hashed is not None:
            return self._hashed.is_current(slots)
        return np.ones(len(slots), np.bool_) if self._replaced is None else ~grown(self._replaced, self._size, False)[slots]

    def reserve(self, size: int) -> None:
        """Makes room for ``size`` slots, which are about to come."""
        if self._hashed is None:
            self._keys = grown(self._keys, size)
            self._reserved = size
        else:
            self._hashed.reserve(size)

    def _covers(self, integers: Integers) -> bool:
        """Makes cells for integers; returns whether that was possible."""
        least, greatest = int(integers.min()), int(integers.max())
        if self._base <= least and greatest < self._base + len(self._cells):
            return True
        if len(self._cells):
            least, greatest = min(least, self._base), max(greatest, self._base + len(self._cells) - 1)
        if not _LEAST <= least <= greatest < _GREATEST:
            return False
        needed = greatest - least + 1
        most = max(_FEW_CELLS, _CELLS_PER_KEY * max(self._size + len(integers), self._reserved))
        if needed > most:
            return False
        width = min(max(needed, 2 * len(self._cells), 1024), most)
        base = least if not len(self._cells) or least >= self._base else max(greatest + 1 - width, _LEAST)
        cells = np.full(width, EMPTY, np.int32)
        start = self._base - base if len(self._cells) else 0
        cells[start : start + len(self._cells)] = self._cells
        self._base, self._cells = base, cells
        return True

    def _forget_expired(self, addresses: Integers, is_expired: Callable[[Slots], Truths]) -> None:
        """Empties the cells of keys that have expired."""
        slots = self._cells.take(addresses).astype(np.int64)
        known = np.flatnonzero(slots >= 0)
        expired = known[is_expired(slots[known])]
        if len(expired):
            self._replaced = np.zeros(self._size, np.bool_) if self._replaced is None else grown(self._replaced, self._size, False)
            self._replaced[slots[expired]] = True
            self._cells[addresses[expired]] = EMPTY

    def _hash(self) -> None:
        """Puts the keys into a hash table."""
        self._hashed = HashTable.of(self._keys[:, : self._size], self._replaced)
        self._hashed.reserve(self._reserved)
        self._cells, self._keys, self._replaced = self._cells[:0], self._keys[:, :0], None
