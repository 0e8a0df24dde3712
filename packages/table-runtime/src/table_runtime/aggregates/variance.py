"""STDDEV and VAR over populations and samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn
from table_common.types import DecimalType
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, AggregateSpec, Reduction
from table_runtime.casts.numbers import approximate_to_decimal
from table_runtime.casts.unscaled import nearest_doubles


def variance(*, sample: bool, root: bool) -> Callable[[AggregateSpec], Accumulator]:
    """Returns a factory of VAR_SAMP, VAR_POP, STDDEV_SAMP or STDDEV_POP."""

    def make(spec: AggregateSpec) -> Accumulator:
        if pa.types.is_decimal(spec.arrow_type):
            return DecimalSpread(spec, sample=sample, root=root)
        return Variance(spec, sample=sample, root=root)

    return make


class Variance(Accumulator):
    """Variance or standard deviation of numbers: the state is the count, the mean, and the sum of squared distances from the mean.

    The result for integers is truncated towards zero. NULL over no values, for samples also over one value.
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
        # Shifting by a value in the middle of the data avoids cancellation in the difference of squares below.
        shifted = pc.subtract(mean, arrow_scalar(_shift(mean)))
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
        between = pc.max_element_wise(pc.subtract(weighted_squares, pc.multiply(mean, weighted)), arrow_scalar(0.0), skip_nulls=False)
        return [count, pc.add(mean, arrow_scalar(_shift(state[1]))), pc.add(squares, between)]

    def doubles(self, state: Sequence[pa.Array]) -> pa.Array:
        """Returns the results as DOUBLE."""
        count, _, squares = state
        least = 1 if self._sample else 0
        divisor = pc.if_else(pc.greater(count, least), pc.subtract(count, least), arrow_scalar(None, pa.int64()))
        result = pc.divide(squares, pc.cast(divisor, pa.float64()))
        return pc.sqrt(result) if self._root else result

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        result = self.doubles(state)
        type_ = self.spec.arrow_type
        if pa.types.is_integer(type_):
            try:
                return pc.cast(pc.trunc(result), type_)
            except pa.ArrowInvalid as error:
                raise TableRuntimeException(f"{self.spec.name} overflows {self.spec.output_type.summary()}.") from error
        return pc.cast(result, type_)


class DecimalSpread(Variance):
    """Variance or standard deviation of decimals: computed as DOUBLE, value by value, so that all digits are equal to Flink's."""

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [Reduction(nearest_doubles(args[0]), "list")]

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        states = [_welford(values) for values in reduced[0].to_pylist()]
        return [arrow_array(column, type) for column, type in zip(zip(*states, strict=True), _STATE, strict=True)] if states else _EMPTY

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        result = self.spec.output_type
        assert isinstance(result, DecimalType)
        values = self.doubles(state)
        decimals: pa.Array = approximate_to_decimal(values, result)
        if decimals.null_count > values.null_count:
            raise TableRuntimeException(f"{self.spec.name} overflows {result.summary()}.")
        return decimals


_STATE = (pa.int64(), pa.float64(), pa.float64())
_EMPTY = [arrow_array([], type) for type in _STATE]


def _welford(values: Sequence[float | None]) -> tuple[int, float, float]:
    """Returns the count, the mean and the sum of squared distances from the mean (Welford's algorithm)."""
    count, mean, squares = 0, 0.0, 0.0
    for value in values:
        if value is not None:
            count += 1
            distance = value - mean
            mean += distance / count
            squares += distance * (value - mean)
    return count, mean, squares


def _shift(mean: pa.Array) -> float:
    """Returns a finite mean of the states, or 0."""
    middle = pc.mean(mean).as_py()
    return middle if middle is not None and math.isfinite(middle) else 0.0


ACCUMULATORS: AccumulatorTable = {
    fn.STDDEV_POP: variance(sample=False, root=True),
    fn.STDDEV_SAMP: variance(sample=True, root=True),
    fn.VAR_POP: variance(sample=False, root=False),
    fn.VAR_SAMP: variance(sample=True, root=False),
}
