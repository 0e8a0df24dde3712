"""Finds the row that a retraction takes back by the key of its input, where the retraction does not have all values of the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_runtime.columns.batches import concat_arrays, make_batch
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots

_Truths = np.ndarray[Any, np.dtype[np.bool_]]
_Counts = Callable[[Slots], Integers]


class RetractionsByKey:
    """The last row of each key of an input: the row of a retraction that equals none of the rows that are there, such as one of a change data capture
    that has only the key before the change.

    ``known`` numbers the rows by all their columns. The rows of keys are noted from the first such retraction on.
    """

    # Differs from Flink: joins, ranks, OVER windows and set operations retract by the key of their input where a change has only the key before it,
    # and emit all values of the row. In Flink only joins whose columns are in the key do so, and the other values are NULL. Where the statement reads no
    # column of the key, the row before stays, as in Flink: `SELECT c.id, …` takes it back. A log line says how many retractions found no row.

    def __init__(self, known: KeySlots, key: Sequence[int]) -> None:
        self._known = known
        self._key = tuple(key)
        self._keys: KeySlots | None = None
        self._last: Slots = np.full(1024, -1, np.int64)

    def completed(self, batch: ChangeBatch, ids: Slots, is_there: _Truths, counts_of: _Counts) -> ChangeBatch | None:
        """Returns a batch with all values in the retractions of rows that were not there, as ``is_there`` says; None: no row has been found by its key.

        ``ids`` are the numbers of the rows of the batch, and ``counts_of`` gives how often the rows with some numbers are there before it.
        """
        if self._keys is None:
            if is_there.all():
                return None
            self._keys = self._noted(counts_of)
        keys = self._keys.find_or_insert(batch.columns(self._key), batch.num_rows)
        self._last = grown(self._last, self._keys.size, -1)
        found = {} if is_there.all() else self._found(keys, ids, batch.signs, is_there, counts_of)
        added = np.flatnonzero(batch.signs > 0)
        self._last[keys[added]] = ids[added]
        return self._replaced(batch, found) if found else None

    def _noted(self, counts_of: _Counts) -> KeySlots:
        """Notes the rows that are there."""
        ids = np.arange(self._known.size)
        ids = ids[counts_of(ids) > 0]
        columns = self._known.keys(ids)
        keys = KeySlots([self._known.types[i] for i in self._key])
        slots = keys.find_or_insert([columns[i] for i in self._key], len(ids))
        self._last = grown(self._last, keys.size, -1)
        self._last[slots] = ids
        return keys

    def _found(self, keys: Slots, ids: Slots, signs: Integers, is_there: _Truths, counts_of: _Counts) -> dict[int, int]:
        """Returns the number of the row for each position with a retraction that is completed."""
        places = np.flatnonzero(np.isin(keys, keys[~is_there]))
        before = self._last[keys[places]]
        numbers = np.unique(np.concatenate([ids[places], before[before >= 0]]))
        counts = dict(zip(numbers.tolist(), counts_of(numbers).tolist(), strict=True))
        last: dict[int, int] = dict(zip(keys[places].tolist(), before.tolist(), strict=True))
        found: dict[int, int] = {}
        for place, key, number, sign in zip(
            places.tolist(), keys[places].tolist(), ids[places].tolist(), signs[places].tolist(), strict=True
        ):
            if sign > 0:
                last[key] = number
                counts[number] += 1
                continue
            if not counts[number]:
                number = last[key]
                if number < 0 or not counts[number]:
                    continue
                found[place] = number
            counts[number] -= 1
        return found

    def _replaced(self, batch: ChangeBatch, found: dict[int, int]) -> ChangeBatch:
        taken = np.arange(batch.num_rows)
        taken[list(found)] = batch.num_rows + np.arange(len(found))
        indices = pa.array(taken)
        schema = batch.rows.schema
        rows = self._known.keys(np.array(list(found.values()), np.int64))
        columns = [
            concat_arrays([own, kept], field.type).take(indices) for own, kept, field in zip(batch.rows.columns, rows, schema, strict=True)
        ]
        return ChangeBatch(make_batch(columns, schema, batch.num_rows), batch.kinds, batch.before)


class CountedRows:
    """Numbers rows by all their columns, and counts how often each is there; retractions are completed by the ``key`` of the rows, if there is one."""

    def __init__(self, schema: pa.Schema, key: Sequence[int] | None) -> None:
        self.known = KeySlots(schema.types, tells_zeros_apart=True)
        self._counts: Integers = np.zeros(1024, np.int64)
        self._by_key = None if key is None else RetractionsByKey(self.known, key)

    def apply(self, batch: ChangeBatch) -> tuple[ChangeBatch, Slots]:
        """Adds and retracts the rows of a batch; returns it with all values in its retractions, and the numbers of its rows."""
        ids = self.known.find_or_insert(batch.rows.columns, batch.num_rows)
        if self._by_key is None:
            return batch, ids
        self._counts = grown(self._counts, self.known.size)
        is_there = self._counted(ids, batch.signs)[0]
        completed = self._by_key.completed(batch, ids, is_there, self._counts.take)
        if completed is not None:
            batch = completed
            ids = self.known.find_or_insert(batch.rows.columns, batch.num_rows)
        _, numbers, counts = self._counted(ids, batch.signs)
        self._counts[numbers] = counts
        return batch, ids

    def _counted(self, ids: Slots, signs: Integers) -> tuple[_Truths, Slots, Integers]:
        """Returns which changes add a row or retract one that is there, and the numbers of rows with how often they are there after the changes."""
        groups = SlotGroups(ids)
        ordered = signs[groups.order]
        counts = running_counts(ordered, np.repeat(self._counts[groups.slots], groups.sizes), groups)
        is_there = np.empty(len(ids), np.bool_)
        is_there[groups.order] = (ordered > 0) | (counts.before > 0)
        return is_there, groups.slots, counts.after[groups.ends - 1]
