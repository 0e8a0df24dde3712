"""Which values each group has, for snapshots of some groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.state.columns import grown

_MOST_STEPS = 64
"""How many values of a group are looked up one after the other: a step takes the next values of all groups, so it pays for many groups only."""
_END = -1


class ListedValues(NamedTuple):
    """Values with the place of their group among the ``slots`` asked for; ``rest`` are the places of groups that have more values, none of which is here."""

    places: Integers
    numbers: Integers
    rest: Integers


class ValueLists:
    """The numbers of the values of each group, by slot: each value is linked to the one that came before it."""

    def __init__(self) -> None:
        self._newest: Integers = np.full(1024, _END)
        self._before: Integers = np.full(1024, _END)

    def clear(self, slots: Slots) -> None:
        """Removes all values of some groups."""
        self._reserve(slots)
        self._newest[slots] = _END

    def add(self, slots: Slots, numbers: Integers) -> None:
        """Adds a new value to each of some groups, which may occur several times."""
        if not len(slots):
            return
        self._reserve(slots)
        self._before = grown(self._before, int(numbers.max()) + 1, _END)
        groups = SlotGroups(slots)
        ordered = numbers[groups.order]
        before = np.empty_like(ordered)
        before[1:] = ordered[:-1]
        before[groups.starts] = self._newest[groups.slots]
        self._before[ordered] = before
        self._newest[groups.slots] = ordered[groups.ends - 1]

    def of(self, slots: Slots) -> ListedValues:
        """Returns the values of some groups, those of groups with few values."""
        self._reserve(slots)
        places, numbers = np.arange(len(slots)), self._newest[slots]
        found: list[tuple[Integers, Integers]] = []
        for _ in range(_MOST_STEPS + 1):
            is_there = numbers != _END
            places, numbers = places[is_there], numbers[is_there]
            if not len(places):
                break
            found.append((places, numbers))
            numbers = self._before[numbers]
        else:
            is_rest = np.zeros(len(slots), np.bool_)
            is_rest[places] = True
            found = [(at[~is_rest[at]], of[~is_rest[at]]) for at, of in found]
        nothing = np.zeros(0, np.int64)
        return ListedValues(
            np.concatenate([at for at, _ in found] or [nothing]), np.concatenate([of for _, of in found] or [nothing]), places
        )

    def _reserve(self, slots: Slots) -> None:
        self._newest = grown(self._newest, int(slots.max(initial=0)) + 1, _END)
