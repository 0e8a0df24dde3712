"""Timers by key: times of event time, with or without a name, at which an operator calls a function."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.state_table import StateTable, content_of
from table_runtime.streaming.time.watermarks import END_OF_TIME

_FEW = 4096
"""The number of removed timers up to which they stay in the heap."""


_Timer = tuple[int, bool, int, int, str | int]
"""Time, whether it has a name, number, slot, and name, or the time of a timer without one."""

_NONE: dict[str | int, _Timer] = {}


class Timers(StateTable):
    """Timers by slot. They fire in the order of their times; of one time, those without a name first, then in the order in which they were set.

    A key has one timer of a name, which replaces an earlier one, and one timer without a name of a time.
    """

    def __init__(self) -> None:
        self._of_slot: dict[int, dict[str | int, _Timer]] = {}
        self._heap: list[_Timer] = []
        """All timers, and some that were removed: those are not in ``_of_slot``."""
        self._next = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def first_time(self) -> int:
        """The least time of a timer; ``END_OF_TIME`` without timers."""
        heap, of_slot = self._heap, self._of_slot
        while heap:
            timer = heap[0]
            if of_slot.get(timer[3], _NONE).get(timer[4]) is timer:
                return timer[0]
            heappop(heap)
        return END_OF_TIME

    def set(self, slot: int, name: str | None, time: int) -> None:
        """Sets a timer."""
        timers = self._of_slot.get(slot)
        if timers is None:
            timers = self._of_slot[slot] = {}
        key = time if name is None else name
        if key not in timers:
            self._count += 1
        elif name is None:
            return
        timers[key] = timer = (time, name is not None, self._next, slot, key)
        self._next += 1
        heappush(self._heap, timer)
        if len(self._heap) > 2 * self._count + _FEW:
            self._heap = [timer for timers in self._of_slot.values() for timer in timers.values()]
            heapify(self._heap)

    def remove(self, slot: int, key: str | int) -> None:
        """Removes the timer of a name, or of a time without a name, if there is one."""
        timers = self._of_slot.get(slot)
        if timers is not None and timers.pop(key, None) is not None:
            self._count -= 1
            if not timers:
                del self._of_slot[slot]

    def remove_all(self, slot: int) -> None:
        """Removes all timers of a key."""
        self._count -= len(self._of_slot.pop(slot, ()))

    def pop(self, until: int) -> tuple[int, int, str | None] | None:
        """Removes the first timer that is not later than ``until``; returns its time, slot and name, or None if there is none."""
        heap, of_slot = self._heap, self._of_slot
        while heap and heap[0][0] <= until:
            timer = heappop(heap)
            time, has_name, _, slot, key = timer
            if of_slot.get(slot, _NONE).get(key) is timer:
                self.remove(slot, key)
                return time, slot, str(key) if has_name else None
        return None

    def has(self, slots: Slots) -> Truths:
        """Returns which keys have timers."""
        return np.array([slot in self._of_slot for slot in slots.tolist()], np.bool_)

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        of_slots = [self._of_slot.get(slot, _NONE) for slot in slots.tolist()]
        places = [place for place, timers in enumerate(of_slots) for _ in timers]
        timers = [timer for timers in of_slots for timer in timers.values()]
        columns = [
            pa.array([timer[0] for timer in timers], pa.int64()),
            pa.array([timer[4] if timer[1] else None for timer in timers], pa.string()),
            pa.array([timer[2] for timer in timers], pa.int64()),
        ]
        return content_of(pa.array(places, pa.int64()), columns)

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        if not content.num_rows:
            return
        owners = slots[content.column(0).to_numpy()].tolist()
        for slot, time, name, number in zip(owners, *(content.column(i).to_pylist() for i in (1, 2, 3)), strict=True):
            key = time if name is None else name
            timer = (time, name is not None, number, slot, key)
            self._of_slot.setdefault(slot, {})[key] = timer
            self._heap.append(timer)
            self._count += 1
            self._next = max(self._next, number + 1)
        heapify(self._heap)
