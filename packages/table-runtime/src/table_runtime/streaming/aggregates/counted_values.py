"""COLLECT: the count of each value per group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.aggregates import Accumulator
from table_runtime.columns.batches import cast_array
from table_runtime.streaming.aggregates.function import rows_within
from table_runtime.streaming.aggregates.numbered_groups import NumberedGroups
from table_runtime.streaming.changes.segments import Integers

MOST_VALUES = 1 << 20
"""Limit for the total size of the result multisets that are computed at once."""

_Counts = dict[int, int]


class CollectState(NumberedGroups[_Counts]):
    """The distinct values of a group in order of arrival, with their counts. The result has one entry per distinct value."""

    keeps = "the count of each value"
    cost = "the size of the result"

    def __init__(self, accumulator: Accumulator, type_: pa.DataType) -> None:
        super().__init__(accumulator, type_, tells_zeros_apart=False)
        self._largest = 0

    @override
    def rows_at_once(self, args: Sequence[pa.Array]) -> int:
        # Each of n rows yields a multiset of its whole group, which grows by at most n.
        return rows_within(MOST_VALUES, self._largest)

    @override
    def create(self) -> _Counts:
        return {}

    @override
    def add(self, group: _Counts, value: int) -> None:
        group[value] = group.get(value, 0) + 1
        if len(group) > self._largest:
            self._largest = len(group)

    @override
    def remove(self, group: _Counts, value: int) -> bool:
        # Differs from Flink: the retraction of a value that a group does not have is ignored, also by DISTINCT and PERCENTILE.
        # Flink decrements its count below 0, so that adding the value later has no effect.
        count = group.get(value)
        if count is None:
            return False
        if count == 1:
            del group[value]
        else:
            group[value] = count - 1
        return True

    @override
    def renumbered(self, group: _Counts, numbers: dict[int, int]) -> _Counts:
        return {numbers[number]: count for number, count in group.items()}

    @override
    def entries(self, groups: Sequence[_Counts]) -> tuple[Integers, list[pa.Array]]:
        pairs = [pair for group in groups for pair in group.items()]
        numbers, counts = (np.array(part, np.int64) for part in (zip(*pairs, strict=True) if pairs else ((), ())))
        return np.array([len(group) for group in groups], np.int64), [self.values.take(numbers), pa.array(counts)]

    @override
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        return list(zip(self.values.numbers(columns[0]), columns[1].to_pylist(), strict=True))

    @override
    def group_of(self, rows: Sequence[tuple[int, int]]) -> _Counts:
        self._largest = max(self._largest, len(rows))
        return dict(rows)

    @override
    def result(self, group: _Counts) -> _Counts:
        return group.copy()

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        results = [result or {} for result in results]
        sizes = np.array(list(map(len, results)), np.int64)
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        total = int(sizes.sum())
        numbers = np.fromiter((number for result in results for number in result), np.int64, total)
        counts = np.fromiter((count for result in results for count in result.values()), np.int32, total)
        type_ = self.accumulator.spec.arrow_type
        values = cast_array(self.values.take(numbers), type_.key_type)
        return cast_array(pa.MapArray.from_arrays(pa.array(offsets), values, pa.array(counts)), type_)
