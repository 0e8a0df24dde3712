"""Rows by key: one input of a join, with how often each row is there and how many partners it has."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.retractions_by_key import RetractionsByKey
from table_runtime.streaming.state.row_lists import RowLists, Rows
from table_runtime.streaming.state.row_values import RowValues
from table_runtime.streaming.state.state_table import StateTable, content_of

_Truths = np.ndarray[Any, np.dtype[np.bool_]]

_FEW = 4096
"""The number of deleted rows at which the lists are compacted."""


class StateRows(StateTable):
    """Rows with the slot of their key; the inverted slot (~) if they match nothing. Equal rows are one row that is there several times.

    Rows are identified by the columns of an upsert key, if there is one: a row then replaces the row with its key. Otherwise by all
    columns, or, if they are never retracted, not at all. Partners are stored if ``counts_partners``, and times if rows expire. A retraction
    of a row that is not there takes back the row with its ``key``, if there is a key.
    """

    def __init__(
        self,
        schema: pa.Schema,
        identity: Sequence[int] | None,
        *,
        is_upsert_key: bool = False,
        counts_partners: bool = True,
        key: Sequence[int] | None = None,
    ) -> None:
        self._schema = schema
        self._counts_partners = counts_partners
        self._identity = None if identity is None else tuple(identity)
        self._is_upsert_key = is_upsert_key
        self._known = None if identity is None else KeySlots([schema.field(i).type for i in identity], tells_zeros_apart=not is_upsert_key)
        self._by_key = RetractionsByKey(self._known, key) if self._known is not None and key is not None else None
        self._current = np.full(1024, -1, np.int64)
        self._gone = 0
        self._now = 0
        self._expiry: int | None = None
        self._reset()

    def _reset(self) -> None:
        self._values = RowValues(self._schema)
        self._lists = RowLists()
        self._keys = np.zeros(1024, np.int64)
        self._ids = np.zeros(1024, np.int64)
        self.counts = np.zeros(1024, np.int64)
        """How often each row is there."""
        self.partners = np.zeros(1024, np.int64)
        """How many rows of the other input match each row, if that is counted."""
        self._times: Rows = np.zeros(1024, np.int64)

    @property
    def size(self) -> int:
        """The number of rows, with those that are gone."""
        return self._values.size

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        rows = np.flatnonzero(self.counts[: self.size] > 0)
        owners = self._owners(rows)
        places = np.full(int(max(slots.max(initial=0), owners.max(initial=0))) + 1, -1, np.int64)
        places[slots] = np.arange(len(slots))
        at = places[owners]
        order = np.argsort(at, kind="stable")[int((at < 0).sum()) :]
        rows = rows[order]
        partners = self.partners[rows] if self._counts_partners else np.zeros(len(rows), np.int64)
        times = pa.array(self._times[rows]) if self.expires else pa.nulls(len(rows), pa.int64())
        columns = [pa.array(self.counts[rows]), pa.array(partners), times, pa.array(self._keys[rows] >= 0)]
        return content_of(pa.array(at[order]), [*columns, *self.take(rows)])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        columns = content.columns[:5]
        columns[3] = columns[3].fill_null(self._now)  # written without retention: retention begins now
        at, counts, partners, times, matches = (column.to_numpy(zero_copy_only=False) for column in columns)
        keys = np.where(matches, slots[at], ~slots[at])
        batch = make_batch(content.columns[5:], self._schema, content.num_rows)
        ids = np.zeros(0, np.int64)
        if self._known is not None and self._identity is not None:
            ids = self._known.find_or_insert([batch.column(i) for i in self._identity], batch.num_rows)
            self._current = grown(self._current, self._known.size, -1)
        self._append(batch, keys, counts, partners, ids, times)

    def set_time(self, now: int, retention: int) -> None:
        """Sets the time at which rows are written; those that were not written for ``retention``, unless that is 0, have expired: they are not found."""
        if retention and self._expiry is None:
            self._times = np.full(max(self.size, 1024), now, np.int64)
        self._now, self._expiry = now, now - retention if retention else None

    @property
    def expires(self) -> bool:
        """Whether rows expire."""
        return self._expiry is not None

    def has_rows(self, slots: Slots) -> _Truths:
        """Returns which keys have rows."""
        owners = self._owners(np.flatnonzero(self.counts[: self.size] > 0))
        result = np.zeros(int(max(slots.max(initial=0), owners.max(initial=0))) + 1, np.bool_)
        result[owners] = True
        return result[slots]

    def _owners(self, rows: Rows) -> Slots:
        """Returns the slots of the keys of some rows."""
        keys = self._keys[rows]
        return np.where(keys < 0, ~keys, keys)

    def find(self, keys: Slots) -> tuple[Rows, Rows]:
        """Returns all pairs of a position in ``keys`` and a row with that key, by position and then in the order in which rows came."""
        return self._present(*self._lists.find(keys))

    def find_in_parts(self, keys: Slots, most: int) -> Iterator[tuple[Rows, Rows]]:
        """Yields the pairs of ``find`` in their order: those of a single key in parts of at most ``most`` pairs, those of several keys at once."""
        if len(keys) != 1 or int(self._lists.lengths(keys)[0]) <= most:
            yield self.find(keys)
            return
        rows = self._lists.rows(int(keys[0]))
        for start in range(0, len(rows), most):
            part = rows[start : start + most]
            yield self._present(np.zeros(len(part), np.int64), part)

    def _present(self, positions: Rows, rows: Rows) -> tuple[Rows, Rows]:
        """Returns the pairs with rows that are there."""
        if self._identity is None and self._expiry is None:
            return positions, rows
        present = self.counts[rows] > 0
        if self._expiry is not None:
            present &= self._times[rows] > self._expiry
        return (positions, rows) if present.all() else (positions[present], rows[present])

    def repeated(self, positions: Rows, rows: Rows) -> tuple[Rows, Rows]:
        """Returns pairs of ``find`` as often as their rows are there."""
        if self._identity is None:
            return positions, rows
        counts = self.counts[rows]
        return (positions, rows) if (counts == 1).all() else (np.repeat(positions, counts), np.repeat(rows, counts))

    def pair_counts(self, keys: Slots) -> Rows:
        """Returns how many pairs ``find`` gives at most for each position."""
        return self._lists.lengths(keys)

    def take(self, rows: Rows, columns: Container[int] | None = None) -> list[pa.Array]:
        """Returns the columns of some rows; NULL for -1, and in columns that are not in ``columns``, if given."""
        return self._values.take(rows, columns)

    def ids(self, batch: pa.RecordBatch) -> Slots:
        """Returns a number for each row by what identifies it; 0 if rows are not identified."""
        if self._known is None or self._identity is None:
            return np.zeros(batch.num_rows, np.int64)
        return self._known.find_or_insert([batch.column(i) for i in self._identity], batch.num_rows)

    def checked(self, batch: ChangeBatch) -> tuple[ChangeBatch, Slots, int]:
        """Returns the changes of rows that are there, or that are added, with all values of rows that are found by their key; and their ``ids``.

        The last result is how many retractions are to be ignored.
        """
        ids = self.ids(batch.rows)
        present = self.present(ids, batch.signs)
        if self._by_key is not None:
            completed = self._by_key.completed(batch, ids, present, self._counts_of)
            if completed is not None:
                batch, ids = completed, self.ids(completed.rows)
                present = self.present(ids, batch.signs)
        if present.all():
            return batch, ids, 0
        kept = np.flatnonzero(present)
        return batch.take(kept), ids[kept], batch.num_rows - len(kept)

    def present(self, ids: Slots, signs: Rows) -> _Truths:
        """Returns which changes are of rows that are there, or that are added."""
        if self._identity is None or (signs > 0).all():
            return np.ones(len(signs), np.bool_)
        groups = SlotGroups(ids)
        sorted_signs = signs[groups.order]
        start = np.repeat(self._counts_of(groups.slots), groups.sizes)
        if self._is_upsert_key:
            before = np.empty(len(signs), np.int64)
            before[1:] = sorted_signs[:-1] > 0
            before[groups.starts] = start[groups.starts]
            is_there = before > 0
        else:
            is_there = running_counts(sorted_signs, start, groups).before > 0
        result = np.empty(len(signs), np.bool_)
        result[groups.order] = (sorted_signs > 0) | is_there
        return result

    def apply(self, batch: pa.RecordBatch, ids: Slots, signs: Rows, keys: Slots, partners: Rows) -> Slots:
        """Adds and removes rows, identified by ``ids``: ``partners`` is how many rows of the other input match each of them. Returns the keys of rows that ended."""
        if self._known is None or self._identity is None:
            self._append(batch, keys, np.ones(len(keys), np.int64), partners, np.zeros(0, np.int64), self._now)
            return np.zeros(0, np.int64)
        self._current = grown(self._current, self._known.size, -1)
        groups = SlotGroups(ids)
        sorted_signs = signs[groups.order]
        expired = self._remove_expired_of(groups.slots)
        rows = self._current[groups.slots]
        before = np.where(rows >= 0, self.counts[np.maximum(rows, 0)], 0)
        if self._is_upsert_key:
            after = (sorted_signs[groups.ends - 1] > 0).astype(np.int64)
            is_new = after > 0
            births = groups.order[groups.ends - 1]
        else:
            counts = running_counts(sorted_signs, np.repeat(before, groups.sizes), groups)
            after = counts.after[groups.ends - 1]
            # A row that was gone for a moment is a new one: it comes after those that were there.
            born = np.where((counts.before == 0) & (counts.after > 0), np.arange(len(signs)), -1)
            last_birth = np.maximum.reduceat(born, groups.starts) if len(born) else born
            is_new = (after > 0) & (last_birth >= 0)
            births = groups.order[np.maximum(last_birth, 0)]
        ends = (rows >= 0) & (before > 0) & (is_new | (after == 0))
        self.counts[rows[ends]] = 0
        self._gone += int(ends.sum())
        ended = self._owners(np.concatenate([expired, rows[ends]]))
        kept = ~is_new & (after > 0)
        self.counts[rows[kept]] = after[kept]
        self.write(rows[kept])
        self._current[groups.slots[after == 0]] = -1
        new = np.flatnonzero(is_new)
        new = new[np.argsort(births[new])]
        at = births[new]
        self._append(batch.take(pa.array(at)), keys[at], after[new], partners[at], groups.slots[new], self._now)
        if self._gone > max(_FEW, self.size // 2):
            self._remove_gone()
        return ended

    def write(self, rows: Rows) -> None:
        """Notes that some rows are written, as by counting their partners."""
        if self.expires:
            self._times[rows] = self._now

    def expire(self) -> Slots:
        """Removes the rows that have expired, to reclaim their memory; returns their keys."""
        if self._expiry is None:
            return np.zeros(0, np.int64)
        rows = np.flatnonzero((self.counts[: self.size] > 0) & (self._times[: self.size] <= self._expiry))
        keys = self._owners(rows)
        if len(rows):
            self.counts[rows] = 0
            if self._identity is not None:
                self._current[self._ids[rows]] = -1
            self._remove_gone()
        return keys

    def _counts_of(self, slots: Slots) -> Rows:
        self._current = grown(self._current, int(slots.max(initial=-1)) + 1, -1)
        rows = self._current[slots]
        is_there = rows >= 0
        if self._expiry is not None:
            is_there &= self._times[np.maximum(rows, 0)] > self._expiry
        return np.where(is_there, self.counts[np.maximum(rows, 0)], 0)

    def _remove_expired_of(self, slots: Slots) -> Rows:
        """Removes the rows with these identities that have expired; returns them."""
        if self._expiry is None:
            return np.zeros(0, np.int64)
        rows = self._current[slots]
        is_expired = (rows >= 0) & (self._times[np.maximum(rows, 0)] <= self._expiry)
        self._current[slots[is_expired]] = -1
        expired = rows[is_expired]
        self.counts[expired] = 0
        self._gone += len(expired)
        return expired

    def _append(self, batch: pa.RecordBatch, keys: Slots, counts: Rows, partners: Rows, ids: Slots, times: Rows | int) -> None:
        start = self.size
        self._values.append(batch)
        size = self.size
        self._keys, self.counts = grown(self._keys, size), grown(self.counts, size)
        self._keys[start:size], self.counts[start:size] = keys, counts
        if self._counts_partners:
            self.partners = grown(self.partners, size)
            self.partners[start:size] = partners
        if self.expires:
            self._times = grown(self._times, size)
            self._times[start:size] = times
        rows = np.arange(start, size)
        if self._identity is not None:
            self._ids = grown(self._ids, size)
            self._ids[rows] = ids
            self._current[ids] = rows
        matching = keys >= 0
        self._lists.append(keys[matching], rows[matching])

    def _remove_gone(self) -> None:
        rows = np.flatnonzero(self.counts[: self.size] > 0)
        batch = make_batch(self.take(rows), self._schema, len(rows))
        keys, counts = self._keys[rows], self.counts[rows]
        partners = self.partners[rows] if self._counts_partners else self.partners[:0]
        ids, times = self._ids[rows] if self._identity is not None else self._ids[:0], self._times[rows] if self.expires else self._now
        self._gone = 0
        self._reset()
        self._append(batch, keys, counts, partners, ids, times)
