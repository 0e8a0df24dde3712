"""Covariances over changelogs: exact sums of both columns and of their products, so that a retraction leaves no rounding error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_runtime.aggregates.covariance import Covariance
from table_runtime.streaming.aggregates.function import FunctionState
from table_runtime.streaming.aggregates.group_objects import GroupSums
from table_runtime.streaming.aggregates.registry import state_of


class Products:
    """The count of pairs of doubles, and of the finite ones the sums and the sum of products, in units of 2**-``scale`` and 2**-(2 ``scale``)."""

    __slots__ = ("count", "not_finite", "products", "scale", "x", "y")

    def __init__(self) -> None:
        self.count = self.not_finite = self.scale = 0
        self.x = self.y = self.products = 0

    def change(self, x: float, y: float, sign: int) -> None:
        """Adds a pair, or takes it away."""
        self.count += sign
        if not (math.isfinite(x) and math.isfinite(y)):
            self.not_finite += sign
            return
        (left, of_left), (right, of_right) = x.as_integer_ratio(), y.as_integer_ratio()
        left_scale, right_scale = of_left.bit_length() - 1, of_right.bit_length() - 1
        finer = max(left_scale, right_scale) - self.scale
        if finer > 0:
            self.x <<= finer
            self.y <<= finer
            self.products <<= 2 * finer
            self.scale += finer
        left <<= self.scale - left_scale
        right <<= self.scale - right_scale
        self.x += sign * left
        self.y += sign * right
        self.products += sign * left * right

    def covariance(self, fewest: int) -> float | None:
        """Returns the covariance, correctly rounded; None over fewer than ``fewest`` pairs, of which a sample needs 2."""
        if self.count < fewest:
            return None
        if self.not_finite:
            return math.nan
        numerator = self.count * self.products - self.x * self.y
        try:
            return numerator / (self.count * (self.count - fewest + 1) << 2 * self.scale)
        except OverflowError:
            return math.inf if numerator > 0 else -math.inf


class CovarianceState(GroupSums[Products]):
    """The exact sums of each group."""

    keeps = "exact sums of the values and of their products"
    narrow = ("count", "not_finite", "scale")
    wide = ("x", "y", "products")

    def __init__(self, accumulator: Covariance) -> None:
        super().__init__(accumulator)
        self._fewest = accumulator.fewest

    @override
    def create(self) -> Products:
        return Products()

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[Any]:
        return list(zip(*(arg.to_pylist() for arg in args), strict=True))

    @override
    def add(self, group: Products, value: tuple[float, float | None]) -> None:
        if value[1] is not None:
            group.change(value[0], value[1], 1)

    @override
    def remove(self, group: Products, value: tuple[float, float | None]) -> bool:
        if value[1] is None:
            return True
        if not group.count:
            return False
        group.change(value[0], value[1], -1)
        if not group.count:
            group.scale = group.x = group.y = group.products = 0
        return True

    @override
    def result(self, group: Products) -> float | None:
        return group.covariance(self._fewest)

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        return pa.array(results, pa.float64())


@state_of.register(Covariance)
def covariance_state(accumulator: Covariance, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    """Returns the state of a call."""
    return CovarianceState(accumulator)
