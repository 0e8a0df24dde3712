"""Key to slot, for all keys of a batch at once, with the keys that were touched and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.distinct_words import distinct_words
from table_runtime.streaming.state.hash_table import HashTable, KeyTable, Truths, Words, hash_words
from table_runtime.streaming.state.integer_table import IntegerTable
from table_runtime.streaming.state.key_words import KeyWords


class KeySlots:
    """The slots of the keys seen so far, numbered in the order of first occurrence. Keys are compared exactly.

    With state retention (``set_time``), a key that has expired is not found: it gets a new slot, which has no state, when it comes again.
    """

    def __init__(self, types: Sequence[pa.DataType], *, tells_zeros_apart: bool = False) -> None:
        self._words = KeyWords(types, tells_zeros_apart=tells_zeros_apart)
        self._table = self._new_table(self._words.width)
        self._touched: np.ndarray[Any, np.dtype[np.bool_]] | None = None
        self.types = tuple(types)
        self._have_forms = not tells_zeros_apart and any(map(_has_floats, types))
        self.times: np.ndarray[Any, np.dtype[np.int64]] = np.zeros(0, np.int64)
        """When each key was touched, with state retention."""
        self._now: int | None = None
        self._expiry: int | None = None

    @property
    def size(self) -> int:
        """The number of slots."""
        return self._table.size

    def _new_table(self, width: int) -> KeyTable:
        """Returns the table of keys, which have ``width`` words."""
        return IntegerTable() if width == 1 else HashTable(width)

    def reserve(self, size: int) -> None:
        """Makes room for ``size`` keys, which are about to come."""
        self._table.reserve(size)

    def find(self, columns: Sequence[pa.Array], rows: int) -> Slots:
        """Returns the slot of each row's key, -1 for keys that are not there."""
        slots = self._table.find(self._words.encode(columns, rows))
        if self._expiry is not None:
            slots[(slots >= 0) & ~self.is_there(slots)] = -1
        return slots

    def find_or_insert(self, columns: Sequence[pa.Array], rows: int, *, writes: bool = True) -> Slots:
        """Returns the slot of each row's key; new keys get the next slots, in the order in which they come.

        All keys count as touched; without ``writes`` only the new ones.
        """
        known = self.size
        slots = self._table.find_or_insert(self._words.encode(columns, rows), None if self._expiry is None else self._has_expired)
        self.touch(slots if writes else slots[slots >= known])
        return slots

    def find_or_insert_distinct(self, columns: Sequence[pa.Array], rows: int) -> tuple[Slots, Slots]:
        """Does what ``find_or_insert`` does for rows of which many have equal keys.

        Returns the slots of the different keys in the order in which they come, and for each row the place of its key among them.
        """
        words = self._words.encode(columns, rows)
        first, places = distinct_words(words, self._words.width)
        slots = self._table.find_or_insert(words[:, first], None if self._expiry is None else self._has_expired)
        self.touch(slots)
        return slots, places

    def touch(self, slots: Slots) -> None:
        """Notes that the state of some keys may change; ``find_or_insert`` does so."""
        if self._touched is not None:
            self._touched = grown(self._touched, self.size, False)
            self._touched[slots] = True
        if self._now is not None:
            self.times = grown(self.times, self.size)
            self.times[slots] = self._now

    def set_time(self, now: int, retention: int) -> None:
        """Sets the time at which keys are touched; those that were not touched for ``retention`` have expired."""
        self._now, self._expiry = now, now - retention
        self.times = grown(self.times, max(self.size, 1024))

    @contextmanager
    def without_expiry(self) -> Iterator[None]:
        """Lets all keys be found, as while a snapshot is restored."""
        expiry, self._expiry = self._expiry, None
        try:
            yield
        finally:
            self._expiry = expiry

    def has_expired(self) -> bool:
        """Returns whether a key has expired whose slot was not reclaimed."""
        return self._expiry is not None and bool((self.times[: self.size] <= self._expiry).any())

    def is_there(self, slots: Slots) -> Truths:
        """Returns which of the slots have a key that has not expired."""
        return np.ones(len(slots), np.bool_) if self._expiry is None else self.times[slots] > self._expiry

    def is_current(self, slots: Slots) -> Truths:
        """Returns which of the slots are the last ones of their keys: a key that has expired and come again has a new slot."""
        return self._table.is_current(slots)

    def _has_expired(self, slots: Slots) -> Truths:
        return ~self.is_there(slots)

    def touched_at(self, slots: Slots) -> pa.Array:
        """Returns when some keys were touched; NULL if times are not kept."""
        return pa.nulls(len(slots), pa.int64()) if self._now is None else pa.array(self.times[slots])

    def restore_times(self, slots: Slots, times: pa.Array) -> None:
        """Sets when some keys were touched. Keys without a time count as touched now."""
        if self._now is not None:
            self.times[slots] = times.fill_null(self._now).to_numpy()

    def take_touched(self) -> Slots | None:
        """Returns the slots that were touched since the last call, ascending; None at the first call, from which on they are noted."""
        touched = None if self._touched is None else np.flatnonzero(self._touched)
        self._touched = np.zeros(max(self.size, 1024), np.bool_)
        return touched

    @property
    def touched_count(self) -> int:
        """The number of slots that were touched since the last call of ``take_touched``."""
        return 0 if self._touched is None else int(np.count_nonzero(self._touched))

    def forget_touched(self) -> None:
        """Returns to the time before the first call of ``take_touched``."""
        self._touched = None

    def buckets(self, slots: Slots, count: int, columns: Sequence[int] | None = None) -> Slots:
        """Returns the bucket of each key, a number below ``count`` that depends on the values of some of its columns alone; None: of all.

        ``buckets_of`` gives the same number for rows with these values. Keys that are not divided by a column are in the bucket 0.
        """
        columns = range(len(self.types)) if columns is None else columns
        if not columns:
            return np.zeros(len(slots), np.int64)
        words = self._words.stable(self._table.keys(slots))[self._words.words_of(columns)]
        return _buckets(words, count)

    def as_kept(self, columns: Sequence[pa.Array], slots: Slots) -> Sequence[pa.Array]:
        """Returns the key of each row in one form: of ``columns``, the keys as they came, equal ones may differ, as 0.0 and -0.0 do.

        A retraction must have the values of the row that it takes back.
        """
        return self.keys(slots) if self._have_forms else columns

    def first_numbers(self, slots: Slots) -> Slots:
        """Returns the first column of the keys of some slots, which has integers that are not NULL."""
        numbers: Slots = self._table.keys(slots)[0]
        return numbers

    def keys(self, slots: Slots) -> list[pa.Array]:
        """Returns the key columns of some slots."""
        return self._words.decode(self._table.keys(slots))


def buckets_of(columns: Sequence[pa.Array], rows: int, count: int) -> Slots:
    """Returns the bucket of the key of each row, a number below ``count`` that depends on the key's values alone."""
    words = KeyWords([column.type for column in columns])
    return _buckets(words.stable(words.encode(columns, rows))[: words.width], count)


def _buckets(words: Words, count: int) -> Slots:
    return (hash_words(words, len(words)) % np.uint64(count)).astype(np.int64)


def _has_floats(type_: pa.DataType) -> bool:
    waiting = [type_]
    while waiting:
        one = waiting.pop()
        if pa.types.is_floating(one):
            return True
        waiting += [one.field(number).type for number in range(one.num_fields)]
    return False
