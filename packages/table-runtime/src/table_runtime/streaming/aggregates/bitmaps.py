"""BITMAP_BUILD, BITMAP_OR, BITMAP_AND and BITMAP_XOR: the count of each number per group.

The time per row is linear in its bitmap; if the result is a bitmap, and for AND after a retraction, it is linear in the numbers of the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.aggregates.bitmap import BitmapAgg
from table_runtime.roaring import decode, encode
from table_runtime.streaming.aggregates.function import rows_within
from table_runtime.streaming.aggregates.group_objects import GroupObjects
from table_runtime.streaming.changes.segments import Integers

MOST_NUMBERS = 1 << 23
"""Limit for the total size of the result bitmaps that are computed at once."""

_LOW = 0xFFFFFFFF


class _Bits:
    """The count of each number, the number of bitmaps, and the numbers of the result."""

    __slots__ = ("counts", "numbers", "rows")

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.rows = 0
        self.numbers: set[int] = set()


class BitmapState(GroupObjects[_Bits]):
    """A retraction removes the numbers of its bitmap; it is ignored if the group lacks one of them."""

    keeps = "the count of each number"
    cost = "the size of the argument and of the result"

    def __init__(self, accumulator: BitmapAgg) -> None:
        super().__init__(accumulator)
        self._way = accumulator.way
        self._gives_cardinality = accumulator.cardinality
        self._largest = 0

    @override
    def rows_at_once(self, args: Sequence[pa.Array]) -> int:
        if self._gives_cardinality:
            return super().rows_at_once(args)
        # Each of n rows yields a bitmap of its whole group, which grows by at most n average bitmaps.
        grows = 8 + int(args[0].nbytes) // max(1, len(args[0]))
        return rows_within(MOST_NUMBERS, self._largest, grows)

    @override
    def create(self) -> _Bits:
        return _Bits()

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[Any]:
        values = args[0].to_pylist()
        if self._way == "BUILD":
            return [None if value is None else (value & _LOW,) for value in values]
        return [None if value is None else decode(value) for value in values]

    @override
    def add(self, group: _Bits, value: Sequence[int]) -> None:
        counts, numbers = group.counts, group.numbers
        group.rows += 1
        for number in value:
            counts[number] = counts.get(number, 0) + 1
        if self._way == "XOR":
            numbers.symmetric_difference_update(value)
        elif self._way == "AND" and group.rows > 1:
            numbers.intersection_update(value)
        else:
            numbers.update(value)

    @override
    def remove(self, group: _Bits, value: Sequence[int]) -> bool:
        counts, numbers = group.counts, group.numbers
        if not group.rows or any(number not in counts for number in value):
            return False
        group.rows -= 1
        gone = []
        for number in value:
            counts[number] -= 1
            if not counts[number]:
                del counts[number]
                gone.append(number)
        if self._way == "XOR":
            numbers.symmetric_difference_update(value)
        elif self._way == "AND":
            group.numbers = {number for number, count in counts.items() if count == group.rows}
        else:
            numbers.difference_update(gone)
        return True

    @override
    def entries(self, groups: Sequence[_Bits]) -> tuple[Integers, list[pa.Array]]:
        # The first entry of a group holds the number of bitmaps, with NULL as number; the counts of the numbers follow.
        pairs = [pair for group in groups for pair in ((None, group.rows), *group.counts.items())]
        columns = [pa.array([number for number, _ in pairs], pa.int64()), pa.array([count for _, count in pairs], pa.int64())]
        return np.array([1 + len(group.counts) for group in groups], np.int64), columns

    @override
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        return list(zip(columns[0].to_pylist(), columns[1].to_pylist(), strict=True))

    @override
    def group_of(self, rows: Sequence[tuple[int, int]]) -> _Bits:
        result = _Bits()
        result.rows = rows[0][1]
        result.counts = dict(rows[1:])
        if self._way == "XOR":
            result.numbers = {number for number, count in rows[1:] if count % 2}
        elif self._way == "AND":
            result.numbers = {number for number, count in rows[1:] if count == result.rows}
        else:
            result.numbers = set(result.counts)
        self._largest = max(self._largest, len(result.numbers))
        return result

    @override
    def result(self, group: _Bits) -> Any:
        if not group.rows:
            return None
        if self._gives_cardinality:
            return len(group.numbers)
        self._largest = max(self._largest, len(group.numbers))
        return encode(group.numbers)

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        return pa.array(results, self.accumulator.spec.arrow_type)
