"""Which values of groups have changed since a snapshot, so that the next one has only these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown

_Truths = np.ndarray[Any, np.dtype[np.bool_]]


class ChangedValues:
    """Notes values by their numbers, and groups that begin by their slots, from the first call of ``take`` on.

    ``take`` sets aside what was noted, for a snapshot that is made in pieces. What is noted meanwhile belongs to the next snapshot.
    """

    def __init__(self) -> None:
        self._values: _Truths | None = None
        self._groups: _Truths = np.zeros(0, np.bool_)
        self._numbers: Integers = np.zeros(0, np.int64)
        self._owners: Integers = np.zeros(0, np.int64)
        self._begun: _Truths = np.zeros(0, np.bool_)

    def note(self, numbers: Integers) -> None:
        """Notes that the counts of some values change."""
        if self._values is not None and len(numbers):
            self._values = grown(self._values, int(numbers.max()) + 1, False)
            self._values[numbers] = True

    def note_begun(self, slots: Slots) -> None:
        """Notes that some groups begin: values that they had before do not count any more."""
        if self._values is not None and len(slots):
            self._groups = grown(self._groups, int(slots.max()) + 1, False)
            self._groups[slots] = True

    def take(self, owners_of: Callable[[Integers], Integers]) -> None:
        """Sets aside what was noted since the last call; ``owners_of`` returns the owner number of each of some values."""
        noted = self._values if self._values is not None else np.zeros(0, np.bool_)
        numbers = np.flatnonzero(noted)
        owners = owners_of(numbers)
        order = np.argsort(owners)
        self._numbers, self._owners = numbers[order], owners[order]
        self._begun = self._groups
        self._values = np.zeros(max(len(noted), 1024), np.bool_)
        self._groups = np.zeros(max(len(self._groups), 1024), np.bool_)

    def of(self, owners: Integers) -> tuple[Integers, Integers]:
        """Returns the values of some groups that were set aside: the places of their groups among ``owners``, ascending, and their numbers."""
        starts = np.searchsorted(self._owners, owners)
        sizes = np.searchsorted(self._owners, owners, side="right") - starts
        places = np.repeat(np.arange(len(owners)), sizes)
        within = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return places, self._numbers[np.repeat(starts, sizes) + within]

    def has_begun(self, slots: Slots) -> _Truths:
        """Returns which groups have begun before what was set aside."""
        self._begun = grown(self._begun, int(slots.max(initial=0)) + 1, False)
        result: _Truths = self._begun[slots]
        return result

    def numbers(self) -> Integers:
        """Returns the values that were noted or set aside."""
        return self._numbers if self._values is None else np.concatenate([self._numbers, np.flatnonzero(self._values)])

    def renumber(self, numbers: Integers) -> None:
        """Replaces the number of each value by that in ``numbers``, -1 for a value that is forgotten."""
        if self._values is not None:
            noted = numbers[np.flatnonzero(self._values)]
            self._values = np.zeros(1024, np.bool_)
            self.note(noted[noted >= 0])
        taken = numbers[self._numbers]
        self._numbers, self._owners = taken[taken >= 0], self._owners[taken >= 0]
