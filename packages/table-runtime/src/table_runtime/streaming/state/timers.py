"""Timers by key: times of event time, with or without a name, at which an operator calls a function."""

from __future__ import annotations

from collections.abc import Collection
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


class Timers(StateTable):
    """Timers by slot. They fire in the order of their times; of one time, those without a name first, then in the order in which they were set.

    A key has one timer of a name, which replaces an earlier one, and one timer without a name of a time.
    """

    def __init__(self) -> None:
        self._of_slot: dict[int, _Timer | dict[str | int, _Timer]] = {}
        """By slot the only timer, or all of them by name, or time of a timer without a name."""
        self._heap: list[_Timer] = []
        """All timers, and some that were removed: those are not in ``_of_slot``."""
        self._next = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def _is_set(self, timer: _Timer) -> bool:
        held = self._of_slot.get(timer[3])
        return held is timer or (type(held) is dict and held.get(timer[4]) is timer)

    def _of(self, slot: int) -> Collection[_Timer]:
        held = self._of_slot.get(slot)
        if held is None:
            return ()
        return held.values() if isinstance(held, dict) else (held,)

    @property
    def first_time(self) -> int:
        """The least time of a timer; ``END_OF_TIME`` without timers."""
        heap = self._heap
        while heap:
            if self._is_set(heap[0]):
                return heap[0][0]
            heappop(heap)
        return END_OF_TIME

    def set(self, slot: int, name: str | None, time: int) -> None:
        """Sets a timer."""
        key = time if name is None else name
        timer: _Timer = (time, name is not None, self._next, slot, key)
        held = self._of_slot.get(slot)
        if held is None:
            self._of_slot[slot] = timer
            self._count += 1
        elif isinstance(held, dict):
            if key in held and name is None:
                return
            self._count += key not in held
            held[key] = timer
        elif held[4] == key:
            if name is None:
                return
            self._of_slot[slot] = timer
        else:
            self._of_slot[slot] = {held[4]: held, key: timer}
            self._count += 1
        self._next += 1
        heappush(self._heap, timer)
        if len(self._heap) > 2 * self._count + _FEW:
            self._heap = [timer for slot in self._of_slot for timer in self._of(slot)]
            heapify(self._heap)

    def remove(self, slot: int, key: str | int) -> None:
        """Removes the timer of a name, or of a time without a name, if there is one."""
        held = self._of_slot.get(slot)
        if isinstance(held, dict):
            if held.pop(key, None) is not None:
                self._count -= 1
                if not held:
                    del self._of_slot[slot]
        elif held is not None and held[4] == key:
            self._count -= 1
            del self._of_slot[slot]

    def remove_all(self, slot: int) -> None:
        """Removes all timers of a key."""
        self._count -= len(self._of(slot))
        self._of_slot.pop(slot, None)

    def pop(self, until: int) -> tuple[int, int, str | None] | None:
        """Removes the first timer that is not later than ``until``; returns its time, slot and name, or None if there is none."""
        heap = self._heap
        while heap and heap[0][0] <= until:
            timer = heappop(heap)
            if self._is_set(timer):
                time, has_name, _, slot, key = timer
                self.remove(slot, key)
                return time, slot, str(key) if has_name else None
        return None

    def of(self, slot: int) -> list[tuple[int, str | None]]:
        """Returns times and names of the timers of a key, in the order in which they will fire."""
        return [(timer[0], str(timer[4]) if timer[1] else None) for timer in sorted(self._of(slot), key=lambda timer: timer[:3])]

    def has(self, slots: Slots) -> Truths:
        """Returns which keys have timers."""
        return np.array([slot in self._of_slot for slot in slots.tolist()], np.bool_)

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        of_slots = [self._of(slot) for slot in slots.tolist()]
        places = [place for place, timers in enumerate(of_slots) for _ in timers]
        timers = [timer for timers in of_slots for timer in timers]
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
            timer: _Timer = (time, name is not None, number, slot, key)
            held = self._of_slot.get(slot)
            if held is None:
                self._of_slot[slot] = timer
            elif isinstance(held, dict):
                held[key] = timer
            else:
                self._of_slot[slot] = {held[4]: held, key: timer}
            self._heap.append(timer)
            self._count += 1
            self._next = max(self._next, number + 1)
        heapify(self._heap)
