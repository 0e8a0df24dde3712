"""FIRST_VALUE, LAST_VALUE, SINGLE_VALUE and ARRAY_AGG over updates: the values of each group in order; a retraction removes the first equal value."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.aggregates import Accumulator
from table_runtime.columns.batches import cast_array
from table_runtime.streaming.aggregates.bag import Bag
from table_runtime.streaming.aggregates.function import rows_within
from table_runtime.streaming.aggregates.numbered_groups import NumberedGroups
from table_runtime.streaming.changes.segments import Integers

MOST_VALUES = 1 << 20
"""Limit for the total size of the result arrays that are computed at once."""


class _ValueBags(NumberedGroups[Bag[int]]):
    keeps = "the values in their order"

    @override
    def create(self) -> Bag[int]:
        return Bag()

    @override
    def add(self, group: Bag[int], value: int) -> None:
        group.add(value)

    @override
    def remove(self, group: Bag[int], value: int) -> bool:
        return group.remove(value)

    @override
    def renumbered(self, group: Bag[int], numbers: dict[int, int]) -> Bag[int]:
        return self.group_of([numbers[number] for number in group])

    @override
    def entries(self, groups: Sequence[Bag[int]]) -> tuple[Integers, list[pa.Array]]:
        numbers = np.fromiter((number for group in groups for number in group), np.int64)
        return np.array([len(group) for group in groups], np.int64), [self.values.take(numbers)]

    @override
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        return self.values.numbers(columns[0])

    @override
    def group_of(self, rows: Sequence[int]) -> Bag[int]:
        result: Bag[int] = Bag()
        for number in rows:
            result.add(number)
        return result

    @override
    @abstractmethod
    def result(self, group: Bag[int]) -> Any: ...


class EndState(_ValueBags):
    """FIRST_VALUE or LAST_VALUE."""

    def __init__(self, accumulator: Accumulator, type_: pa.DataType, *, is_last: bool) -> None:
        super().__init__(accumulator, type_)
        self._is_last = is_last

    @override
    def result(self, group: Bag[int]) -> int | None:
        return group.last() if self._is_last else group.first()

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        return self.values.values(results)


class SingleValueState(_ValueBags):
    """The value of the only row."""

    @override
    def result(self, group: Bag[int]) -> int | None:
        if len(group) > 1:
            raise TableRuntimeException("A scalar subquery returned more than one row.")
        return group.first()

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        return self.values.values(results)


class ArrayState(_ValueBags):
    """ARRAY_AGG: NULLs are included, and the result over no rows is NULL. A result is as large as its group."""

    cost = "the size of the result"

    def __init__(self, accumulator: Accumulator, type_: pa.DataType) -> None:
        super().__init__(accumulator, type_)
        self._largest = 0

    @override
    def rows_at_once(self, args: Sequence[pa.Array]) -> int:
        # Each of n rows yields an array of its whole group, which grows by at most n.
        return rows_within(MOST_VALUES, self._largest)

    @override
    def add(self, group: Bag[int], value: int) -> None:
        group.add(value)
        if len(group) > self._largest:
            self._largest = len(group)

    @override
    def result(self, group: Bag[int]) -> list[int] | None:
        return list(group) or None

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        sizes = np.array([0 if result is None else len(result) for result in results], np.int64)
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        numbers = np.fromiter((number for result in results if result is not None for number in result), np.int64, int(sizes.sum()))
        arrays = pa.ListArray.from_arrays(pa.array(offsets), self.values.take(numbers), mask=pa.array(sizes == 0))
        return cast_array(arrays, self.accumulator.spec.arrow_type)
