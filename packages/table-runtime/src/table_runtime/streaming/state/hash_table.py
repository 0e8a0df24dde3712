"""Open addressing in numpy, for all keys of a batch at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown

Words = np.ndarray[tuple[int, int], np.dtype[np.int64]]
"""One row per word, one column per key."""
Hashes = np.ndarray[Any, np.dtype[np.uint64]]
Truths = np.ndarray[Any, np.dtype[np.bool_]]

_CAPACITY = 1 << 12
_LARGE = 1 << 20
_EMPTY = -1
_CLAIM = -2
"""While keys are inserted, a cell that a row claims has this value minus the number of the row."""


class KeyTable(Protocol):
    """Slots of keys of several words, numbered in the order of first occurrence."""

    @property
    def size(self) -> int:
        """The number of slots."""

    def reserve(self, size: int) -> None:
        """Makes room for ``size`` slots, which may be about to come."""

    def keys(self, slots: Slots) -> Words:
        """Returns the words of some slots."""

    def find(self, words: Words) -> Slots:
        """Returns the slot of each key, -1 for keys that are not there."""

    def find_or_insert(self, words: Words, is_expired: Callable[[Slots], Truths] | None = None) -> Slots:
        """Returns the slot of each key; new keys get the next slots, in the order in which they come."""

    def is_current(self, slots: Slots) -> Truths:
        """Returns which slots are the last ones of their keys: a key that has expired and come again has a new slot."""


class HashTable:
    """Slots of keys of several words, numbered in the order of first occurrence. Keys are compared exactly.

    Keys have ``width`` words. Further words may follow that are 0 for most keys; a batch in which all are 0 leaves them out.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._capacity = _CAPACITY
        self._table = np.full(self._capacity, _EMPTY, np.int32)
        self._keys: Words = np.zeros((width, 1024), np.int64)
        self._replaced: Truths | None = None
        self.size = 0
        """The number of slots."""

    @classmethod
    def of(cls, keys: Words, replaced: Truths | None) -> HashTable:
        """Returns a table of keys by slot; those that are ``replaced`` are not the last ones of their keys."""
        table = cls(len(keys))
        table._keys = grown(table._keys, keys.shape[1])
        table.size = keys.shape[1]
        table._keys[:, : table.size] = keys
        table._replaced = replaced
        table._grow(table.size)
        return table

    def keys(self, slots: Slots) -> Words:
        """Returns the words of some slots."""
        return self._keys[:, slots]

    def find(self, words: Words) -> Slots:
        """Returns the slot of each key, -1 for keys that are not there."""
        words = self._padded(words)
        return self._find(words, self._positions(hash_words(words, self._width)))

    def find_or_insert(self, words: Words, is_expired: Callable[[Slots], Truths] | None = None) -> Slots:
        """Returns the slot of each key; new keys get the next slots, in the order in which they come.

        A key whose slot has expired, as ``is_expired`` says, is a new key; it is not found at its former slot any more.
        """
        words = self._padded(words)
        hashes = hash_words(words, self._width)
        positions = self._positions(hashes)
        slots = self._find(words, positions)
        is_missing = slots == _EMPTY
        if is_expired is not None and self.size:
            expired = np.flatnonzero(is_expired(slots) & ~is_missing)
            if len(expired):
                self._replaced = np.zeros(self.size, np.bool_) if self._replaced is None else grown(self._replaced, self.size, False)
                self._replaced[slots[expired]] = True
                self._table[positions[expired]] = _EMPTY  # the key is inserted here again before any other key can get here
                is_missing[expired] = True
        missing = np.flatnonzero(is_missing)
        if len(missing):
            size = self.size + len(missing)
            if 3 * size > self._capacity:
                self._grow(size)
                positions = self._positions(hashes)
            slots[missing] = self._insert(words[:, missing], positions[missing])
        return slots

    def is_current(self, slots: Slots) -> Truths:
        """Returns which slots are the last ones of their keys: a key that has expired and come again has a new slot."""
        if self._replaced is None:
            return np.ones(len(slots), np.bool_)
        return ~grown(self._replaced, self.size, False)[slots]

    def _padded(self, words: Words) -> Words:
        """Returns words with as many rows as the keys of the table have."""
        missing = len(self._keys) - len(words)
        if missing < 0:
            self._keys = np.concatenate([self._keys, np.zeros((-missing, self._keys.shape[1]), np.int64)])
        return words if missing <= 0 else np.concatenate([words, np.zeros((missing, words.shape[1]), np.int64)])

    def _find(self, words: Words, positions: Slots) -> Slots:
        """Returns the slot of each key; moves the positions, where keys may be, to where they are or where a free cell ends the search."""
        slots = self._table.take(positions).astype(np.int64)
        pending = np.flatnonzero(~(self._have(slots, words) | (slots == _EMPTY)))
        while len(pending):
            at = (positions[pending] + 1) & (self._capacity - 1)
            found = self._table.take(at).astype(np.int64)
            positions[pending], slots[pending] = at, found
            pending = pending[~(self._have(found, words[:, pending]) | (found == _EMPTY))]
        return slots

    def _have(self, slots: Slots, words: Words) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns which slots have these keys."""
        result = np.ones(len(slots), np.bool_)
        for stored, word in zip(self._keys, words, strict=True):
            result &= stored.take(slots, mode="wrap") == word
        return result

    def _insert(self, words: Words, positions: Slots) -> Slots:
        """Adds the keys of some rows, which are not there; returns their slots. The search for each begins at its position.

        All rows look for a free cell at once. The first row of those that meet in a cell claims it, the others continue unless they have its key.
        """
        rows = words.shape[1]
        owners = np.empty(rows, np.int64)
        pending = np.arange(rows)
        while len(pending):
            at = positions[pending]
            free = np.flatnonzero(self._table.take(at) == _EMPTY)[::-1]
            self._table[at[free]] = _CLAIM - pending[free]  # of several values for one cell numpy keeps the last one
            claims = _CLAIM - self._table.take(at).astype(np.int64)
            is_settled = claims >= 0
            for word in words:
                is_settled &= word.take(claims, mode="clip") == word.take(pending)
            owners[pending[is_settled]] = claims[is_settled]
            pending = pending[~is_settled]
            positions[pending] = (positions[pending] + 1) & (self._capacity - 1)
        first = np.flatnonzero(owners == np.arange(rows))
        size = self.size + len(first)
        self._keys = grown(self._keys, size)
        self._keys[:, self.size : size] = words[:, first]
        slots = np.empty(rows, np.int64)
        slots[first] = np.arange(self.size, size)
        self._table[positions[first]] = slots[first]
        self.size = size
        return slots[owners]

    def reserve(self, size: int) -> None:
        """Makes room for ``size`` slots, if that is far more than there are."""
        if 3 * size > 2 * self._capacity:
            self._keys = grown(self._keys, size)
            self._grow(size)

    def _grow(self, size: int) -> None:
        while 3 * size > self._capacity:
            self._capacity *= 2
        self._table = np.full(self._capacity, _EMPTY, np.int32)
        hashes = hash_words(self._keys[:, : self.size], self._width)
        positions = self._positions(hashes)
        pending = np.arange(self.size)
        pending = pending[self.is_current(pending)]
        while len(pending):
            at = positions[pending]
            free = self._table[at] == _EMPTY
            self._table[at[free]] = pending[free]  # of several keys for one cell, the last one stays
            pending = pending[self._table[at] != pending]
            positions[pending] = (positions[pending] + 1) & (self._capacity - 1)

    def _positions(self, hashes: Hashes) -> Slots:
        if self._capacity < _LARGE:
            return (hashes & np.uint64(self._capacity - 1)).astype(np.int64)
        # The last bits first: the keys of a bucket (``KeySlots.buckets``), which are restored together, are in one part of the table, which fits in the cache.
        positions = hashes << np.uint64(58)
        positions |= hashes >> np.uint64(6)
        positions >>= np.uint64(65 - self._capacity.bit_length())
        return positions.view(np.int64)


def hash_words(words: Words, width: int) -> Hashes:
    """Returns a 64-bit hash of each key; words after the first ``width``, which are seldom used, count where they are not 0."""
    result = mix(words[0].view(np.uint64))
    for number, word in enumerate(words[1:], 1):
        mixed = mix(result ^ (word.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)))
        result = mixed if number < width else np.where(word == 0, result, mixed)
    return result


def mix(value: Hashes) -> Hashes:
    """Returns a hash of each number, in which all bits depend on all bits."""
    value = value ^ (value >> np.uint64(33))
    value = value * np.uint64(0xFF51AFD7ED558CCD)
    value = value ^ (value >> np.uint64(33))
    value = value * np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ (value >> np.uint64(33))
