"""Snapshots of keyed state: record batches by bucket of keys, of all keys or of those that were touched."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from table_runtime.columns.batches import concat_arrays, make_batch
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import StateTable

BUCKETS = 64
"""The number of buckets into which keys are divided, by a hash that does not depend on the run."""

_FEW = 4096
"""Buckets with fewer keys are restored together."""

KEYS = "keys"
"""The name of the table of keys.

Its last columns are when the key was touched (NULL without state retention), and whether it is there or was deleted since the snapshot before.
"""


class Snapshot(NamedTuple):
    """The state by bucket and table: the keys, and the content of each table, whose first column is the position of the key in its bucket.

    A snapshot that ``is_whole`` has all keys; others have the keys that were touched since the snapshot before, and of some tables only what has changed of
    them. ``watermarks`` are that of the
    operator's output and those of its inputs, in a snapshot of a run; ``counters`` is what the operator has counted, in one of a checkpoint.
    """

    buckets: Mapping[int, Mapping[str, pa.RecordBatch]]
    is_whole: bool
    watermarks: tuple[int, ...] = ()
    counters: Mapping[str, int] = MappingProxyType({})


class KeyedState(ABC):
    """State by the slots of one table of keys. Keys without columns have one slot, 0; ``keys`` None: nothing is kept."""

    keys: KeySlots | None = None

    bucket_columns: Sequence[int] | None = None
    """The columns of the keys that decide in which bucket a key is: those by which the rows of the operator are divided. None: all."""

    @abstractmethod
    def tables(self) -> Mapping[str, StateTable]:
        """Returns the tables by name, with room for all keys."""

    @abstractmethod
    def is_live(self, slots: Slots) -> Truths:
        """Returns which of the keys have state; the others need not be restored."""

    def snapshot(self, *, changes_only: bool = False, bucket_count: int = BUCKETS) -> Snapshot:
        """Returns the state of all keys, or of those that were touched since the last snapshot or since the state was restored.

        A whole snapshot leaves out the keys that have expired. One with a single bucket has the keys in their order.
        """
        slots, is_whole = self.take_slots(changes_only=changes_only)
        return self.snapshot_of(slots, is_whole=is_whole, bucket_count=bucket_count)

    def take_slots(self, *, changes_only: bool = False) -> tuple[Slots, bool]:
        """Returns the slots of a snapshot, and whether it is a whole one. From now on touched slots are noted for the next one."""
        keys = self.keys
        if keys is None:
            return np.zeros(0, np.int64), True
        touched = keys.take_touched()
        for table in self.tables().values():
            table.take_changes()
        if changes_only and touched is not None:
            return touched, False
        return np.arange(keys.size), True

    def snapshot_of(self, slots: Slots, *, is_whole: bool, bucket_count: int = BUCKETS) -> Snapshot:
        """Returns a snapshot of some slots, or a piece of one."""
        keys = self.keys
        if keys is None:
            return Snapshot({}, is_whole=True)
        if not keys.types:
            slots = np.zeros(1, np.int64)
        elif is_whole:
            slots = slots[keys.is_there(slots)]
        else:
            slots = slots[keys.is_current(slots)]
        live = self.is_live(slots)
        if is_whole:
            slots, live = slots[live], live[live]
        buckets = keys.buckets(slots, bucket_count, self.bucket_columns)
        order = np.argsort(buckets.astype(np.uint16), kind="stable")  # a radix sort: of up to 16 bits only
        slots, live, buckets = slots[order], live[order], buckets[order]
        columns = [*keys.keys(slots), keys.touched_at(slots), pa.array(live)]
        written = pa.RecordBatch.from_arrays(columns, [f"k{number}" for number in range(len(columns))])
        there = np.flatnonzero(live)
        contents = {
            name: table.snapshot(slots[there]) if is_whole else table.changes(slots[there]) for name, table in self.tables().items()
        }
        places = {name: there[content.column(0).to_numpy()] for name, content in contents.items()}
        result: dict[int, dict[str, pa.RecordBatch]] = {}
        for bucket in np.unique(buckets).tolist():
            start, end = np.searchsorted(buckets, [bucket, bucket + 1]).tolist()
            result[bucket] = {KEYS: written.slice(start, end - start)}
            for name, content in contents.items():
                result[bucket][name] = _of_range(content, places[name], start, end)
        return Snapshot(result, is_whole)

    def restore(self, snapshots: Sequence[Snapshot]) -> None:
        """Sets the state, which is empty, to that of snapshots, the newest first: up to the first whole one."""
        keys = self.keys
        if keys is None:
            return
        keys.reserve(max((sum(tables[KEYS].num_rows for tables in snapshot.buckets.values()) for snapshot in snapshots), default=0))
        with keys.without_expiry():  # what a newer snapshot says about a key counts, also if the key has expired since
            for snapshot in snapshots:
                for tables in _coalesced(snapshot.buckets.values()):
                    self._restore(keys, tables)
                if snapshot.is_whole:
                    break
        keys.take_touched()
        for table in self.tables().values():
            table.take_changes()

    def _restore(self, keys: KeySlots, tables: Mapping[str, pa.RecordBatch]) -> None:
        written = tables[KEYS]
        known = keys.size
        slots = keys.find_or_insert(written.columns[: len(keys.types)], written.num_rows, writes=False)
        # What a newer snapshot says about a key has been restored already.
        kept = (slots >= known) & written.columns[-1].to_numpy(zero_copy_only=False)
        keys.restore_times(slots[kept], written.columns[-2].filter(pa.array(kept)))
        for name, table in self.tables().items():
            content, wanted = tables[name], kept | table.is_open(slots)
            table.restore(slots, content if wanted.all() else content.filter(pa.array(wanted[content.column(0).to_numpy()])))


def joined(pieces: Sequence[Snapshot]) -> Snapshot:
    """Returns the pieces of a snapshot, whose keys are different, as one."""
    if len(pieces) == 1:
        return pieces[0]
    buckets = sorted({bucket for piece in pieces for bucket in piece.buckets})
    parts = {bucket: [piece.buckets[bucket] for piece in pieces if bucket in piece.buckets] for bucket in buckets}
    return Snapshot({bucket: _together(tables) for bucket, tables in parts.items()}, pieces[0].is_whole)


def _coalesced(buckets: Iterable[Mapping[str, pa.RecordBatch]]) -> Iterator[Mapping[str, pa.RecordBatch]]:
    """Yields buckets, small ones together: many keys are inserted in pieces, for few keys each piece costs more than its keys."""
    waiting: list[Mapping[str, pa.RecordBatch]] = []
    for bucket in buckets:
        waiting.append(bucket)
        if sum(tables[KEYS].num_rows for tables in waiting) >= _FEW:
            yield _together(waiting)
            waiting = []
    if waiting:
        yield _together(waiting)


def _together(buckets: Sequence[Mapping[str, pa.RecordBatch]]) -> Mapping[str, pa.RecordBatch]:
    """Returns several buckets as one, with the positions of their keys in it."""
    if len(buckets) == 1:
        return buckets[0]
    starts = np.cumsum([0, *(tables[KEYS].num_rows for tables in buckets)]).tolist()
    result = {}
    for name in buckets[0]:
        parts = [tables[name] for tables in buckets]
        if name != KEYS:
            parts = [
                part.set_column(0, part.schema.names[0], pa.array(part.column(0).to_numpy() + start))
                for part, start in zip(parts, starts, strict=False)
            ]
        columns = [concat_arrays([part.column(i) for part in parts], field.type) for i, field in enumerate(parts[0].schema)]
        result[name] = make_batch(columns, parts[0].schema, sum(part.num_rows for part in parts))
    return result


def _of_range(content: pa.RecordBatch, places: Slots, start: int, end: int) -> pa.RecordBatch:
    """Returns the content of the keys from ``start`` to ``end``; ``places`` are the positions of the keys of its rows."""
    first, last = np.searchsorted(places, [start, end]).tolist()
    part = content.slice(first, last - first)
    return part.set_column(0, part.schema.names[0], pa.array(places[first:last] - start))
