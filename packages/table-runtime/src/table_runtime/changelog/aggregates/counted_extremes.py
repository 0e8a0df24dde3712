"""MIN and MAX over updates: how often each group has each value, and its values in ascending order."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.extremes import Extreme
from table_runtime.changelog.aggregates.function import FunctionState
from table_runtime.changelog.segments import Integers, Segments
from table_runtime.changelog.slot_groups import Slots
from table_runtime.changelog.sort_keys import sort_keys
from table_runtime.changelog.state.key_slots import KeySlots
from table_runtime.ordering import SortKey

__all__ = ["CountedExtremeState"]


class CountedExtremeState(FunctionState):
    """The values of each slot, each distinct value having one number. NaN is the greatest number, and NULL does not count."""

    def __init__(self, accumulator: Accumulator) -> None:
        assert isinstance(accumulator, Extreme)
        self._place = -1 if accumulator.function == "max" else 0
        self._type = accumulator.spec.arrow_type
        self._values = KeySlots([self._type])
        self._keys: list[Any] = []
        self._groups: dict[int, _Group] = {}

    @override
    def reserve(self, size: int) -> None:
        pass

    @override
    def current(self, slots: Slots) -> pa.Array:
        groups = [self._groups.get(slot) for slot in slots.tolist()]
        return self._results([-1 if group is None else group.number_at(self._place) for group in groups])

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        values = args[0].cast(self._type)
        numbers = self._values.find_or_insert([values], segments.rows).tolist()
        self._add_keys()
        added = (signs * pc.is_valid(values).to_numpy(zero_copy_only=False)).tolist()
        after: list[int] = []
        ignored = set()
        for slot, is_fresh, start, end in zip(
            segments.slots.tolist(), segments.is_fresh.tolist(), segments.starts.tolist(), segments.ends.tolist(), strict=True
        ):
            group = None if is_fresh else self._groups.get(slot)
            if group is None:
                group = self._groups[slot] = _Group()
            for row in range(start, end):
                number = numbers[row]
                if added[row] > 0:
                    group.add(self._keys[number], number)
                elif added[row] < 0 and not group.remove(self._keys[number], number):
                    ignored.add(row)
                after.append(group.number_at(self._place))
        self.ignored = ignored
        return self._results(after)

    def _add_keys(self) -> None:
        """Computes the order keys of the values that are new."""
        new = np.arange(len(self._keys), self._values.size)
        if len(new):
            rows = pa.RecordBatch.from_arrays([self._values.keys(new)[0]], ["value"])
            self._keys += sort_keys(rows, [SortKey(0, ascending=True, nulls_first=True)])

    def _results(self, numbers: list[int]) -> pa.Array:
        """Returns the values with these numbers, NULL for -1."""
        distinct, places = np.unique(np.array([number for number in numbers if number >= 0], np.int64), return_inverse=True)
        taken = np.array(numbers, np.int64)
        is_null = taken < 0
        taken[~is_null] = places
        return self._values.keys(distinct)[0].take(pa.array(taken, mask=is_null))


class _Group:
    """The values of one group: how often it has each, and (order key, number) in ascending order."""

    __slots__ = ("counts", "ordered")

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.ordered: list[tuple[Any, int]] = []

    def add(self, key: Any, number: int) -> None:
        count = self.counts.get(number, 0)
        if not count:
            insort(self.ordered, (key, number))
        self.counts[number] = count + 1

    def remove(self, key: Any, number: int) -> bool:
        """Removes a value once; returns whether the group has it."""
        count = self.counts.get(number, 0)
        if count > 1:
            self.counts[number] = count - 1
        elif count:
            del self.counts[number]
            del self.ordered[bisect_left(self.ordered, (key, number))]
        return bool(count)

    def number_at(self, place: int) -> int:
        return self.ordered[place][1] if self.ordered else -1
