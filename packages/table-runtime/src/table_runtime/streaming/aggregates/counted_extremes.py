"""MIN and MAX over updates: the count of each value per group, and a heap of the values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.aggregates.extremes import Extreme
from table_runtime.columns.ordering import SortKey
from table_runtime.streaming.aggregates.numbered_groups import NumberedGroups
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.sort_keys import sort_keys

_FEW = 16
"""A heap holds at least this number of removed values before it is rebuilt."""


class CountedValues:
    """The values of one group: the count of each, and a heap of (order key, number).

    A removed value stays in the heap with the count 0 until it is on top, or until removed values are the majority.
    """

    __slots__ = ("counts", "heap", "live")

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.heap: list[tuple[Any, int]] = []
        self.live = 0

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[int]:
        return iter(self.counts)

    def add(self, key: Any, number: int) -> None:
        """Increments the count of a value."""
        count = self.counts.get(number)
        if count is None:
            heappush(self.heap, (key, number))
        self.live += not count
        self.counts[number] = (count or 0) + 1

    def remove(self, number: int) -> bool:
        """Decrements the count of a value; returns whether the group had it."""
        count = self.counts.get(number)
        if not count:
            return False
        self.counts[number] = count - 1
        if count == 1:
            self.live -= 1
            if len(self.heap) > 2 * self.live + _FEW:
                self.heap = [entry for entry in self.heap if self.counts[entry[1]]]
                heapify(self.heap)
                self.counts = {entry[1]: self.counts[entry[1]] for entry in self.heap}
        return True

    def first(self) -> int | None:
        """Returns the number of the minimum or maximum; None without values."""
        heap, counts = self.heap, self.counts
        while heap and not counts[heap[0][1]]:
            del counts[heappop(heap)[1]]
        return heap[0][1] if heap else None


class CountedExtremeState(NumberedGroups[CountedValues]):
    """NaN is the greatest number, and NULL is ignored. The time per row is logarithmic in the size of the group."""

    keeps = "the count of each value, and a heap"
    cost = "the logarithm of the distinct values"

    def __init__(self, accumulator: Extreme) -> None:
        super().__init__(accumulator, accumulator.spec.arrow_type, tells_zeros_apart=False)
        self._order = SortKey(0, ascending=accumulator.function == "min", nulls_first=True)
        self._keys: list[Any] = []

    @override
    def create(self) -> CountedValues:
        return CountedValues()

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[Any]:
        numbers = self.values.numbers(args[0].cast(self.values.type))
        self._add_keys()
        return numbers

    def _add_keys(self) -> None:
        """Computes the order keys of the new values."""
        new = np.arange(len(self._keys), self.values.size)
        if len(new):
            self._keys += sort_keys(pa.RecordBatch.from_arrays([self.values.take(new)], ["value"]), [self._order])

    @override
    def on_new_numbers(self) -> None:
        self._keys = []
        self._add_keys()

    @override
    def renumbered(self, group: CountedValues, numbers: dict[int, int]) -> CountedValues:
        result = CountedValues()
        result.counts = {numbers[number]: count for number, count in group.counts.items()}
        result.heap = [(self._keys[numbers[number]], numbers[number]) for _, number in group.heap]
        heapify(result.heap)
        result.live = group.live
        return result

    @override
    def entries(self, groups: Sequence[CountedValues]) -> tuple[Integers, list[pa.Array]]:
        pairs = [pair for group in groups for pair in group.counts.items() if pair[1]]
        numbers, counts = (np.array(part, np.int64) for part in (zip(*pairs, strict=True) if pairs else ((), ())))
        return np.array([group.live for group in groups], np.int64), [self.values.take(numbers), pa.array(counts)]

    @override
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        return list(zip(self.inputs(columns, len(columns[0])), columns[1].to_pylist(), strict=True))

    @override
    def group_of(self, rows: Sequence[tuple[int, int]]) -> CountedValues:
        result = CountedValues()
        result.counts = dict(rows)
        result.heap = [(self._keys[number], number) for number, _ in rows]
        heapify(result.heap)
        result.live = len(rows)
        return result

    @override
    def add(self, group: CountedValues, value: int) -> None:
        group.add(self._keys[value], value)

    @override
    def remove(self, group: CountedValues, value: int) -> bool:
        return group.remove(value)

    @override
    def result(self, group: CountedValues) -> int | None:
        return group.first()

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        return self.values.values(results)
