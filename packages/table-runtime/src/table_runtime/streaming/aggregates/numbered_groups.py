"""The base class of functions that store values by number."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from table_common.annotation import override
from table_runtime.aggregates import Accumulator
from table_runtime.streaming.aggregates.group_objects import GroupObjects
from table_runtime.streaming.aggregates.numbered_values import NumberedValues
from table_runtime.streaming.changes.segments import Integers, Segments


class Numbers(Protocol):
    """A collection of numbers."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[int]: ...


G = TypeVar("G", bound=Numbers)


class NumberedGroups(GroupObjects[G]):
    """A group is a collection of value numbers. Values that no group uses are purged periodically."""

    def __init__(self, accumulator: Accumulator, type_: pa.DataType, *, tells_zeros_apart: bool = True) -> None:
        super().__init__(accumulator)
        self.values = NumberedValues(type_, tells_zeros_apart=tells_zeros_apart)
        self._next_look = 0

    @abstractmethod
    def renumbered(self, group: G, numbers: dict[int, int]) -> G:
        """Returns a group with other numbers for the same values."""

    def on_new_numbers(self) -> None:  # most functions store numbers only in their groups
        """Called after values were renumbered, before the groups are."""

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[Any]:
        return self.values.numbers(args[0])

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        results = super().advance(args, signs, segments)
        if self.values.size > self._next_look:
            if self.values.has_many_gone(sum(len(group) for group in self.groups.values())):
                numbers = self.values.keep(number for group in self.groups.values() for number in group)
                self.on_new_numbers()
                self.groups = {slot: self.renumbered(group, numbers) for slot, group in self.groups.items()}
            self._next_look = 2 * self.values.size
        return results
