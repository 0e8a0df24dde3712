"""Slots of keys whose first word is one of few at a time, such as the windows that are not over."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.cells import EMPTY, Cells, find_or_claim
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.distinct_numbers import distinct_numbers
from table_runtime.streaming.state.hash_table import HashTable, Truths, Words
from table_runtime.streaming.state.integer_table import IntegerTable

_MANY_CELLS = 1 << 22


class DistinctSpans(NamedTuple):
    """The different spans of some rows, ascending, and for each row the position of its span among them."""

    distinct: Integers
    of_row: Integers

    @classmethod
    def of(cls, spans: Integers) -> DistinctSpans:
        """Returns the different ones of some spans."""
        return cls(*distinct_numbers(spans))


class SpanTable:
    """A table of keys like ``HashTable`` that tells first words and other parts of keys apart.

    Parts have numbers. Each first word has an array with the slot of each part, until it is forgotten; if these arrays are large and nearly empty, a hash
    table takes their place.
    """

    def __init__(self, width: int) -> None:
        self._numbers = None if width < 2 else IntegerTable() if width == 2 else HashTable(width - 1)
        self._firsts: Integers = np.zeros(1024, np.int64)
        self._parts: Integers = np.zeros(1024, np.int64)
        self._rows: dict[int, int] = {}
        self._free: list[int] = []
        self._cells: Cells = np.full((4, 1024), EMPTY, np.int32)
        self._hashed: HashTable | None = None
        self.size = 0
        """The number of slots."""

    def keys(self, slots: Slots) -> Words:
        """Returns the words of some slots."""
        firsts = self._firsts[np.newaxis, slots]
        return firsts if self._numbers is None else np.concatenate([firsts, self._numbers.keys(self._parts[slots])])

    def firsts(self, slots: Slots) -> Integers:
        """Returns the first words of some slots."""
        return self._firsts[slots]

    def parts(self, slots: Slots) -> Integers:
        """Returns the number of the other words of some slots."""
        return self._parts[slots]

    def find(self, words: Words) -> Slots:
        """Returns the slot of each key, -1 for keys that are not there."""
        firsts, parts = words[0], np.zeros(words.shape[1], np.int64) if self._numbers is None else self._numbers.find(words[1:])
        if self._hashed is not None:
            return np.where(parts < 0, EMPTY, self._hashed.find(np.stack([firsts, parts])))
        distinct, of_row = distinct_numbers(firsts)
        rows = np.array([self._rows.get(first, EMPTY) for first in distinct.tolist()], np.int64)[of_row]
        is_known = (rows >= 0) & (parts >= 0)
        return np.where(is_known, self._cells[np.where(is_known, rows, 0), np.where(is_known, parts, 0)], np.int64(EMPTY))

    def find_or_insert(self, words: Words, is_expired: Callable[[Slots], Truths] | None = None) -> Slots:
        """Returns the slot of each key; new keys get the next slots, in the order in which they come. Keys do not expire."""
        assert is_expired is None
        return self.find_or_insert_in(DistinctSpans.of(words[0]), words[1:])

    def find_or_insert_in(self, spans: DistinctSpans, words: Words) -> Slots:
        """Does what ``find_or_insert`` does for keys with these first words and other words."""
        distinct, of_row = spans
        parts = np.zeros(len(of_row), np.int64) if self._numbers is None else self._numbers.find_or_insert(words)
        if self._hashed is None:
            self._reserve(
                [first for first in distinct.tolist() if first not in self._rows], 1 if self._numbers is None else self._numbers.size
            )
        known = self.size
        if self._hashed is None:
            starts = np.array([self._rows[first] for first in distinct.tolist()], np.int64) * self._cells.shape[1]
            slots, self.size, new = find_or_claim(self._cells.reshape(-1), starts.take(of_row) + parts, known)
        else:
            slots = self._hashed.find_or_insert(np.stack([distinct.take(of_row), parts]))
            self.size = self._hashed.size
            new = np.flatnonzero(slots >= known)
            new = new[np.unique(slots[new], return_index=True)[1]]
        if len(new):
            self._firsts, self._parts = grown(self._firsts, self.size), grown(self._parts, self.size)
            self._firsts[known : self.size], self._parts[known : self.size] = distinct.take(of_row[new]), parts[new]
        return slots

    def _reserve(self, firsts: list[int], parts: int) -> None:
        """Makes room for first words and parts, or puts all keys into a hash table."""
        rows, width = self._cells.shape
        while rows < len(self._rows) + len(firsts):
            rows *= 2
        while width < parts:
            width *= 2
        if rows * width > max(_MANY_CELLS, 16 * self.size):
            self._hashed = HashTable(2)
            self._hashed.find_or_insert(np.stack([self._firsts[: self.size], self._parts[: self.size]]))
            self._cells = self._cells[:0]
            return
        if (rows, width) != self._cells.shape:
            cells = np.full((rows, width), EMPTY, np.int32)
            cells[: self._cells.shape[0], : self._cells.shape[1]] = self._cells
            self._cells = cells
        for first in firsts:
            self._rows[first] = self._free.pop() if self._free else len(self._rows)

    def reserve(self, size: int) -> None:
        """Makes room for ``size`` slots."""
        self._firsts, self._parts = grown(self._firsts, size), grown(self._parts, size)

    def forget(self, first: int) -> None:
        """Says that no key with a first word comes again."""
        row = self._rows.pop(first, None)
        if row is not None and self._hashed is None:
            self._cells[row] = EMPTY
            self._free.append(row)

    def is_current(self, slots: Slots) -> Truths:
        """Returns which slots are the last ones of their keys: all of them."""
        return np.ones(len(slots), np.bool_)
