"""Key to slot: open addressing in numpy, for all keys of a batch at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_runtime.changelog.slot_groups import Slots
from table_runtime.changelog.state.columns import grown
from table_runtime.changelog.state.key_words import KeyWords, Words

__all__ = ["KeySlots"]

_Hashes = np.ndarray[Any, np.dtype[np.uint64]]

_CAPACITY = 1 << 12
_EMPTY = -1


class KeySlots:
    """The slots of the keys seen so far, numbered in the order of first occurrence. Keys are compared exactly."""

    def __init__(self, types: Sequence[pa.DataType], *, tells_zeros_apart: bool = False) -> None:
        self._words = KeyWords(types, tells_zeros_apart=tells_zeros_apart)
        self._capacity = _CAPACITY
        self._table = np.full(self._capacity, _EMPTY, np.int32)
        self._keys: Words = np.zeros((self._words.width, self._capacity // 2), np.int64)
        self._touched: np.ndarray[Any, np.dtype[np.bool_]] | None = None
        self.types = tuple(types)
        self.times: np.ndarray[Any, np.dtype[np.int64]] = np.zeros(0, np.int64)
        """When each key was touched, with state retention."""
        self.now: int | None = None
        """The time at which keys are touched; None: times are not kept."""
        self.size = 0
        """The number of slots."""

    def find(self, columns: Sequence[pa.Array], rows: int) -> Slots:
        """Returns the slot of each row's key, -1 for keys that are not there."""
        words = self._words.encode(columns, rows)
        return self._find(words, _hash(words))

    def find_or_insert(self, columns: Sequence[pa.Array], rows: int, *, writes: bool = True) -> Slots:
        """Returns the slot of each row's key; new keys get the next slots, in the order in which they come.

        All keys count as touched; without ``writes`` only the new ones.
        """
        words = self._words.encode(columns, rows)
        hashes = _hash(words)
        slots = self._find(words, hashes)
        missing = np.flatnonzero(slots == _EMPTY)
        if len(missing):
            self._insert(words[:, missing], hashes[missing])
            slots[missing] = self._find(words[:, missing], hashes[missing])
        self.touch(slots if writes else slots[missing])
        return slots

    def touch(self, slots: Slots) -> None:
        """Notes that the state of some keys may change; ``find_or_insert`` does so."""
        if self._touched is not None:
            self._touched = grown(self._touched, self.size, False)
            self._touched[slots] = True
        if self.now is not None:
            self.times = grown(self.times, max(self.size, 1024))
            self.times[slots] = self.now

    def touched_at(self, slots: Slots) -> pa.Array:
        """Returns when some keys were touched; NULL if times are not kept."""
        if self.now is None:
            return pa.nulls(len(slots), pa.int64())
        self.times = grown(self.times, max(self.size, 1024))
        return pa.array(self.times[slots])

    def restore_times(self, slots: Slots, times: pa.Array) -> None:
        """Sets when some keys were touched. Keys without a time count as touched now."""
        if self.now is not None:
            self.times[slots] = times.fill_null(self.now).to_numpy()

    def take_touched(self) -> Slots | None:
        """Returns the slots that were touched since the last call, ascending; None at the first call, from which on they are noted."""
        touched = None if self._touched is None else np.flatnonzero(self._touched)
        self._touched = np.zeros(max(self.size, 1024), np.bool_)
        return touched

    def forget_touched(self) -> None:
        """Returns to the time before the first call of ``take_touched``."""
        self._touched = None

    def buckets(self, slots: Slots, count: int) -> Slots:
        """Returns the bucket of each key, a number below ``count`` that depends on the key's values alone."""
        return (_hash(self._words.stable(self._keys[:, slots])) % np.uint64(count)).astype(np.int64)

    def keys(self, slots: Slots) -> list[pa.Array]:
        """Returns the key columns of some slots."""
        return self._words.decode(self._keys[:, slots])

    def _find(self, words: Words, hashes: _Hashes) -> Slots:
        mask = self._capacity - 1
        positions = (hashes & np.uint64(mask)).astype(np.int64)
        result = np.empty(len(hashes), np.int64)
        pending = np.arange(len(hashes))
        while len(pending):
            slots = self._table[positions[pending]]
            is_settled = slots == _EMPTY
            is_equal = ~is_settled
            for stored, word in zip(self._keys, words, strict=True):
                is_equal &= stored[slots] == word[pending]
            is_settled |= is_equal
            result[pending[is_settled]] = slots[is_settled]
            pending = pending[~is_settled]
            positions[pending] = (positions[pending] + 1) & mask
        return result

    def _insert(self, words: Words, hashes: _Hashes) -> None:
        first = _first_occurrences(words)
        words, hashes = words[:, first], hashes[first]
        size = self.size + len(first)
        if 2 * size > self._capacity:
            self._grow(size)
        slots = np.arange(self.size, size, dtype=np.int32)
        self._keys[:, self.size : size] = words
        self.size = size
        self._place(slots, hashes)

    def _grow(self, size: int) -> None:
        while 2 * size > self._capacity:
            self._capacity *= 2
        keys = np.zeros((self._words.width, self._capacity // 2), np.int64)
        keys[:, : self.size] = self._keys[:, : self.size]
        self._keys = keys
        self._table = np.full(self._capacity, _EMPTY, np.int32)
        self._place(np.arange(self.size, dtype=np.int32), _hash(keys[:, : self.size]))

    def _place(self, slots: np.ndarray[Any, np.dtype[np.int32]], hashes: _Hashes) -> None:
        mask = self._capacity - 1
        positions = (hashes & np.uint64(mask)).astype(np.int64)
        pending = np.arange(len(slots))
        while len(pending):
            at = positions[pending]
            free = pending[self._table[at] == _EMPTY]
            self._table[positions[free]] = slots[free]  # of several keys for one cell, the last one stays
            is_lost = self._table[positions[pending]] != slots[pending]
            pending = pending[is_lost]
            positions[pending] = (positions[pending] + 1) & mask


def _first_occurrences(words: Words) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Returns the position of each distinct key's first row, ascending."""
    if len(words) == 1:
        _, first = np.unique(words[0], return_index=True)
    else:
        order = np.lexsort(words[::-1])
        changes = np.any(words[:, order[1:]] != words[:, order[:-1]], axis=0)
        starts = np.flatnonzero(np.concatenate(([True], changes)))
        first = np.minimum.reduceat(order, starts)
    return np.sort(first)


def _hash(words: Words) -> _Hashes:
    """Returns a 64-bit hash of each key."""
    result = _mix(words[0].view(np.uint64))
    for word in words[1:]:
        result = _mix(result ^ (word.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)))
    return result


def _mix(value: _Hashes) -> _Hashes:
    value = value ^ (value >> np.uint64(33))
    value = value * np.uint64(0xFF51AFD7ED558CCD)
    value = value ^ (value >> np.uint64(33))
    value = value * np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ (value >> np.uint64(33))
