"""STDDEV and VAR over populations and samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.aggregates.accumulator import Accumulator, AggregateSpec, Reduction
from table_runtime.aggregates.exact_decimals import EXACT

__all__ = ["Spread", "spread"]


def spread(*, sample: bool, root: bool) -> Callable[[AggregateSpec], Accumulator]:
    """Returns the maker of VAR_SAMP, VAR_POP, STDDEV_SAMP or STDDEV_POP."""

    def make(spec: AggregateSpec) -> Accumulator:
        if pa.types.is_decimal(spec.arrow_type):
            return DecimalSpread(spec, sample=sample, root=root)
        return Spread(spec, sample=sample, root=root)

    return make


class Spread(Accumulator):
    """Variance or its root over numbers: state is the count, the mean and the sum of squared distances from it.

    The result of integers is an integer, cut towards zero. NULL over no values, for samples also over one.
    """

    def __init__(self, spec: AggregateSpec, *, sample: bool, root: bool) -> None:
        super().__init__(spec)
        self._sample = sample
        self._root = root

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        values = pc.cast(args[0], pa.float64())
        return [Reduction(values, "count"), Reduction(values, "mean"), Reduction(values, "variance")]

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        count, mean, variance = reduced
        weight = pc.cast(count, pa.float64())
        return [count, mean, pc.multiply(variance, weight)]

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        count, mean, squares = state
        weight = pc.cast(count, pa.float64())
        # Distances from a value in the middle of the data keep the difference of two squares below from cancelling out.
        shifted = pc.subtract(mean, pa.scalar(_shift(mean)))
        weighted = pc.multiply(weight, shifted)
        return [
            Reduction(count, "sum"),
            Reduction(weighted, "sum"),
            Reduction(pc.multiply(weighted, shifted), "sum"),
            Reduction(squares, "sum"),
        ]

    @override
    def merged(self, reduced: list[pa.Array], state: Sequence[pa.Array]) -> list[pa.Array]:
        count, weighted, weighted_squares, squares = reduced
        weight = pc.cast(count, pa.float64())
        mean = pc.divide(weighted, weight)
        between = pc.max_element_wise(pc.subtract(weighted_squares, pc.multiply(mean, weighted)), pa.scalar(0.0), skip_nulls=False)
        return [count, pc.add(mean, pa.scalar(_shift(state[1]))), pc.add(squares, between)]

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        count, _, squares = state
        least = 1 if self._sample else 0
        divisor = pc.if_else(pc.greater(count, pa.scalar(least)), pc.subtract(count, pa.scalar(least)), pa.scalar(None, pa.int64()))
        result = pc.divide(squares, pc.cast(divisor, pa.float64()))
        if self._root:
            result = pc.sqrt(result)
        type_ = self.spec.arrow_type
        if pa.types.is_integer(type_):
            try:
                return pc.cast(pc.trunc(result), type_)
            except pa.ArrowInvalid as error:
                raise TableRuntimeException(f"{self.spec.name} overflows {self.spec.output_type.summary()}.") from error
        return pc.cast(result, type_)


class DecimalSpread(Accumulator):
    """The same over decimals, without rounding before the end; rounded half up to the scale of the result."""

    def __init__(self, spec: AggregateSpec, *, sample: bool, root: bool) -> None:
        super().__init__(spec)
        self._sample = sample
        self._root = root

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        (values,) = args
        scale = values.type.scale
        with localcontext(EXACT):
            squares = [None if value is None else value * value for value in values.to_pylist()]
        return [
            Reduction(values, "count"),
            Reduction(pc.cast(values, pa.decimal256(76, scale)), "sum"),
            Reduction(pa.array(squares, type=pa.decimal256(76, 2 * scale)), "sum"),
        ]

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return [Reduction(column, "sum") for column in state]

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        type_ = self.spec.arrow_type
        unit = Decimal(1).scaleb(-type_.scale)
        results: list[Decimal | None] = []
        with localcontext(EXACT):
            for count, total, squares in zip(*(column.to_pylist() for column in state), strict=True):
                divisor = count - 1 if self._sample else count
                if not divisor or divisor < 0:
                    results.append(None)
                    continue
                variance = (squares - total * total / count) / divisor
                results.append((variance.sqrt() if self._root else variance).quantize(unit))
        try:
            return pa.array(results, type=type_)
        except pa.ArrowInvalid as error:
            raise TableRuntimeException(f"{self.spec.name} overflows {self.spec.output_type.summary()}.") from error


def _shift(mean: pa.Array) -> float:
    """Returns a finite mean of the states, or 0."""
    middle = pc.mean(mean).as_py()
    return middle if middle is not None and math.isfinite(middle) else 0.0
