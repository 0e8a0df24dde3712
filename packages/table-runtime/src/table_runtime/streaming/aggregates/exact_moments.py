"""Variances and standard deviations over updates: exact sums of the values and of their squares, so that a retraction leaves no trace.

Welford's algorithm run backwards, as in Flink, leaves the rounding errors of values that are gone, which may be greater than what is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates.variance import Variance
from table_runtime.streaming.aggregates.group_objects import GroupSums


class ExactMoments:
    """The count, the sum and the sum of squares of finite doubles, in units of 2**-``scale`` and 2**-(2 ``scale``)."""

    __slots__ = ("count", "not_finite", "scale", "squares", "total")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets all values."""
        self.count = self.not_finite = 0
        self.scale = self.total = self.squares = 0

    def change(self, value: float, sign: int) -> None:
        """Adds a value, or takes it away."""
        self.count += sign
        if not math.isfinite(value):
            self.not_finite += sign
            return
        number, divisor = value.as_integer_ratio()
        scale = divisor.bit_length() - 1
        if scale > self.scale:
            self.total <<= scale - self.scale
            self.squares <<= 2 * (scale - self.scale)
            self.scale = scale
        number <<= self.scale - scale
        self.total += sign * number
        self.squares += sign * number * number

    def squared_distances(self) -> float:
        """Returns the sum of squared distances from the mean, correctly rounded."""
        if self.not_finite:
            return math.nan
        # Retractions of values that do not exist may make the sum of squares negative.
        numerator = max(self.count * self.squares - self.total * self.total, 0)
        try:
            return numerator / (self.count << 2 * self.scale)
        except OverflowError:
            return math.inf


# Differs from Flink: variances and standard deviations over updates are exact for the current rows; Flink's keep
# the rounding errors of values that were retracted, and are NULL if these exceed the remaining sum.
class ExactMomentsState(GroupSums[ExactMoments]):
    """The exact sums of each group."""

    keeps = "exact sums of the values and of their squares"
    narrow = ("count", "not_finite", "scale")
    wide = ("total", "squares")

    def __init__(self, accumulator: Variance) -> None:
        super().__init__(accumulator)
        self._finish = accumulator.finish

    @override
    def create(self) -> ExactMoments:
        return ExactMoments()

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[Any]:
        values: list[Any] = pc.cast(args[0], pa.float64()).to_pylist()
        return values

    @override
    def add(self, group: ExactMoments, value: float) -> None:
        group.change(value, 1)

    @override
    def remove(self, group: ExactMoments, value: float) -> bool:
        if not group.count:
            return False
        group.change(value, -1)
        if not group.count:
            group.clear()
        return True

    @override
    def result(self, group: ExactMoments) -> tuple[int, float]:
        return group.count, group.squared_distances() if group.count else 0.0

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        given = [(0, 0.0) if result is None else result for result in results]
        counts = pa.array([count for count, _ in given], pa.int64())
        squares = pa.array([squares for _, squares in given], pa.float64())
        return self._finish([counts, pa.nulls(len(given), pa.float64()), squares])
