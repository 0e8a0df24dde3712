"""PERCENTILE: the sorted values of each group, with their counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_runtime.aggregates.collect import Percentile
from table_runtime.streaming.aggregates.counted_order import CountedOrder
from table_runtime.streaming.aggregates.group_objects import GroupObjects
from table_runtime.streaming.changes.segments import Integers


class _Values:
    """The numbers of a group; NaN, which Python does not order, is the greatest."""

    __slots__ = ("nans", "numbers", "share")

    def __init__(self, share: Any) -> None:
        self.share = share
        self.numbers = CountedOrder()
        self.nans = 0

    def __len__(self) -> int:
        return self.numbers.size + self.nans

    def __getitem__(self, position: int) -> float:
        return self.numbers.at(position) if position < self.numbers.size else math.nan


class PercentileState(GroupObjects[_Values]):
    """The time per row is logarithmic in the size of the group, plus one step per block of 512 to 1,024 values."""

    keeps = "the count of each value, in order"
    cost = "the logarithm of the distinct values"

    def __init__(self, accumulator: Percentile) -> None:
        super().__init__(accumulator)
        self._percentile = accumulator

    @override
    def create(self) -> _Values:
        return _Values(self._percentile.share)

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[tuple[float, Any, int]]:
        values = pc.cast(args[0], pa.float64()).to_pylist()
        function = self._percentile
        shares = args[1].to_pylist() if function.has_share_column else [function.share] * rows
        weights = args[2].to_pylist() if function.has_weight_column else [function.weight] * rows
        return [(value, share, max(weight or 0, 0)) for value, share, weight in zip(values, shares, weights, strict=True)]

    @override
    def add(self, group: _Values, value: tuple[float, Any, int]) -> None:
        number, share, weight = value
        if not weight:
            return
        if not len(group):
            group.share = share
        if number != number:
            group.nans += weight
        else:
            group.numbers.add(number, weight)

    @override
    def remove(self, group: _Values, value: tuple[float, Any, int]) -> bool:
        number, _, weight = value
        if not weight:
            return True
        if number == number:
            return group.numbers.remove(number, weight)
        if group.nans < weight:
            return False
        group.nans -= weight
        return True

    @override
    def entries(self, groups: Sequence[_Values]) -> tuple[Integers, list[pa.Array]]:
        rows = [[*group.numbers, *([(math.nan, group.nans)] if group.nans else ())] for group in groups]
        columns = [
            pa.array([value for group in rows for value, _ in group], pa.float64()),
            pa.array([count for group in rows for _, count in group], pa.int64()),
        ]
        if self._percentile.has_share_column:
            type_ = to_arrow_type(self._percentile.spec.argument_types[1])
            columns.append(pa.array([group.share for group, part in zip(groups, rows, strict=True) for _ in part], type_))
        return np.array(list(map(len, rows)), np.int64), columns

    @override
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        shares = columns[2].to_pylist() if self._percentile.has_share_column else [self._percentile.share] * len(columns[0])
        return list(zip(columns[0].to_pylist(), shares, columns[1].to_pylist(), strict=True))

    @override
    def group_of(self, rows: Sequence[tuple[float, Any, int]]) -> _Values:
        result = self.create()
        for row in rows:
            self.add(result, row)
        return result

    @override
    def result(self, group: _Values) -> Any:
        return self._percentile.at_shares(group, group.share)

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        return pa.array(results, self.accumulator.spec.arrow_type)
