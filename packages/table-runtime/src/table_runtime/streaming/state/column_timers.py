"""Timers with names by slot, as arrays: set, removed and found for many keys at once."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.state_table import StateTable, content_of
from table_runtime.streaming.time.watermarks import END_OF_TIME

Times = np.ndarray[Any, np.dtype[np.int64]]
_FEW = 1 << 16
_WIDTH = 256
"""The milliseconds of a bucket: all timers of a bucket are looked at while it is the first."""


class _Named:
    """The timers of one name: the time by slot, and the slots by buckets of time, with some whose timer was set anew or removed."""

    def __init__(self) -> None:
        self.times: Times = np.zeros(0, np.int64)
        self._buckets: dict[int, list[Slots]] = {}
        self._heap: list[int] = []
        self._crowded: dict[int, int] = {}
        """By bucket the number of slots from which on those that are there twice are looked for."""

    def of(self, slots: Slots) -> Times:
        """Returns the times of some slots; ``END_OF_TIME`` without a timer."""
        self.times = grown(self.times, int(slots.max(initial=-1)) + 1, END_OF_TIME)
        return self.times[slots]

    def set(self, slots: Slots, times: Times) -> None:
        if not len(slots):
            return
        self.times = grown(self.times, int(slots.max()) + 1, END_OF_TIME)
        self.times[slots] = times
        buckets = times // _WIDTH
        first, last = int(buckets.min()), int(buckets.max())
        for bucket in [first] if first == last else np.unique(buckets).tolist():
            if bucket not in self._buckets:
                self._buckets[bucket] = []
                heappush(self._heap, bucket)
            self._buckets[bucket].append(slots if first == last else slots[buckets == bucket])

    def remove(self, slots: Slots) -> None:
        inside = slots[slots < len(self.times)]
        self.times[inside] = END_OF_TIME

    def first_time(self) -> int:
        while self._heap:
            slots = self._slots_of(self._heap[0])
            if len(slots):
                return int(self.times[slots].min())
            bucket = heappop(self._heap)
            del self._buckets[bucket]
            self._crowded.pop(bucket, None)
        return END_OF_TIME

    def due(self, until: int) -> Slots:
        """Returns the slots whose timer is not later than a time; some may be there twice."""
        if self.first_time() > until or not self._heap:
            return np.zeros(0, np.int64)
        found = [self._slots_of(bucket) for bucket in self._heap if bucket * _WIDTH <= until]
        slots = np.concatenate(found)
        return slots[self.times[slots] <= until]

    def _slots_of(self, bucket: int) -> Slots:
        parts = self._buckets[bucket]
        slots = np.concatenate(parts) if len(parts) > 1 else parts[0]
        slots = slots[self.times[slots] // _WIDTH == bucket]
        if len(slots) > self._crowded.get(bucket, _FEW):
            slots = _once(slots)
            self._crowded[bucket] = 2 * len(slots) + _FEW
        self._buckets[bucket] = [slots]
        return slots


def _once(slots: Slots) -> Slots:
    """Returns each slot once, in ascending order; sorting few numbers is faster than hashing them."""
    ordered = np.sort(slots)
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


class ColumnTimers(StateTable):
    """One timer of each name per slot. Those without a name, which a snapshot may have, have the name of the empty text."""

    def __init__(self) -> None:
        self.of_name: dict[str, _Named] = {}

    @property
    def first_time(self) -> int:
        """The least time of a timer; ``END_OF_TIME`` without timers."""
        return min((named.first_time() for named in self.of_name.values()), default=END_OF_TIME)

    def set(self, name: str, slots: Slots, times: Times) -> None:
        """Sets the timer of a name for some slots."""
        self.of_name.setdefault(name, _Named()).set(slots, times)

    def remove(self, name: str, slots: Slots) -> None:
        """Removes the timer of a name for some slots."""
        if name in self.of_name:
            self.of_name[name].remove(slots)

    def remove_all(self, slots: Slots) -> None:
        """Removes all timers of some slots."""
        for named in self.of_name.values():
            named.remove(slots)

    def least(self, slots: Slots) -> Times:
        """Returns the time of the first timer of each slot."""
        times = np.full(len(slots), END_OF_TIME)
        for named in self.of_name.values():
            np.minimum(times, named.of(slots), out=times)
        return times

    def due(self, until: int) -> Slots:
        """Returns the slots with timers that are not later than a time; each once."""
        found = [named.due(until) for named in self.of_name.values()]
        return _once(np.concatenate(found)) if found else np.zeros(0, np.int64)

    def of(self, slot: int) -> list[tuple[int, str | None]]:
        """Returns times and names of the timers of a key, in the order of their times."""
        times = ((int(named.of(np.array([slot]))[0]), name or None) for name, named in self.of_name.items())
        return sorted((one for one in times if one[0] != END_OF_TIME), key=lambda one: one[0])

    def has(self, slots: Slots) -> Truths:
        """Returns which slots have timers."""
        found: Truths = self.least(slots) != END_OF_TIME
        return found

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        places, times, names = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], []
        for name, named in self.of_name.items():
            at = named.of(slots)
            place = np.flatnonzero(at != END_OF_TIME)
            places.append(place)
            times.append(at[place])
            names += [name or None] * len(place)
        place, at = np.concatenate(places), np.concatenate(times)
        order = np.argsort(place, kind="stable")
        columns = [pa.array(at[order]), pa.array(names, pa.string()).take(pa.array(order)), pa.array(np.arange(len(place)))]
        return content_of(pa.array(place[order]), columns)

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        if not content.num_rows:
            return
        owners, times = slots[content.column(0).to_numpy()], content.column(1).to_numpy()
        names = np.array([name or "" for name in content.column(2).to_pylist()], object)
        for name in dict.fromkeys(names.tolist()):
            chosen = names == name
            self.set(name, owners[chosen], times[chosen])
