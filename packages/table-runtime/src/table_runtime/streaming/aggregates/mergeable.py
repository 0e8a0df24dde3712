"""The state of aggregate functions whose groups can be merged."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa

from table_runtime.streaming.aggregates.function import FunctionState
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots

_Values = np.ndarray[Any, np.dtype[Any]]


class Unions(NamedTuple):
    """Unions of rows of slots, column by column: union ``i`` of column ``c`` has number ``i`` times ``width`` plus ``c``.

    A row is a part of a union, a column a key. ``slots`` are those of all rows, row by row, up to ``ends``; ``places`` are where they are: the row times
    ``width`` plus the column. ``parts`` are the rows of each union, in the order in which they are merged.
    """

    slots: Slots
    places: Slots
    ends: Sequence[int]
    width: int
    parts: Sequence[Sequence[int]]

    @property
    def size(self) -> int:
        """The number of unions, those without slots too."""
        return len(self.parts) * self.width

    def values(self, of_slot: _Values, empty: int = 0) -> _Values:
        """Returns the values of the slots by row and column, ``empty`` where there is none."""
        size = len(self.ends) * self.width
        result = np.full(size, empty, of_slot.dtype) if empty else np.zeros(size, of_slot.dtype)
        result[self.places] = of_slot.take(self.slots)
        return result.reshape(-1, self.width)

    def add(self, values: _Values, into: _Values) -> None:
        """Adds the values of the parts of each union to the value of its number."""
        for number, parts in enumerate(self.parts):
            total = into[number * self.width : (number + 1) * self.width]
            for part in parts:
                total += values[part]

    def pairs(self) -> tuple[Slots, Slots]:
        """Returns all slots of the unions in the order in which they are merged, and the number of the union of each."""
        starts = [0, *self.ends]
        ranges = [(number - part, slice(starts[part], starts[part + 1])) for number, parts in enumerate(self.parts) for part in parts]
        slots = np.concatenate([self.slots[rows] for _, rows in ranges])
        return slots, np.concatenate([self.places[rows] + down * self.width for down, rows in ranges])


class MergeableState(FunctionState):
    """State to which values are added without results, and whose states of several slots make one."""

    adds_retractions: ClassVar[bool] = False
    """Whether ``insert`` takes retractions, too."""

    def can_insert(self, args: Sequence[pa.Array]) -> bool:
        """Whether ``insert`` cannot fail for these rows; if it can, ``advance`` adds them, and says which row fails."""
        return True

    @abstractmethod
    def insert(self, args: Sequence[pa.Array], slots: Slots, signs: Integers | None = None) -> None:
        """Adds rows, in their order, to the state of their slots; with ``signs``, those with the sign -1 are retracted.

        Slots without rows have not been used before, or were cleared.
        """

    @abstractmethod
    def clear(self, slots: Slots) -> None:
        """Makes some slots as they were before their first row."""

    @abstractmethod
    def merge(self, other: Self, slots: Slots, into: Slots) -> None:
        """Adds the states of some slots of ``other``, in this order, to those of the slots ``into``.

        Raises:
            TableRuntimeException: a result overflows its type; ``failed_row`` is its position in ``slots``.
        """

    def unite(self, other: Self, unions: Unions) -> bool:
        """Merges slots of ``other`` to the slots that have the numbers of unions and are empty, or returns False: ``merge`` must do it."""
        return False
