"""MIN and MAX. NaN is greater than every number; text is ordered by code point."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_scalar
from table_common.arrow import compute as pc
from table_common.exceptions import TableException
from table_common.functions.builtin import aggregates as fn
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, AggregateSpec, Reduction


class Extreme(Accumulator):
    """The smallest or greatest value; NULL over no values."""

    # Differs from Flink: NaN is the greatest number to MIN and MAX, as it is to ORDER BY; in Flink the result depends on the order of the rows.

    function = "min"

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        if spec.arrow_type.num_fields:
            raise TableException(f"{spec.name} cannot order values of the type {spec.output_type.summary()}.")

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        (values,) = args
        if pa.types.is_floating(values.type):
            nans = pc.is_nan(values)
            numbers = pc.if_else(nans, arrow_scalar(None, values.type), values)
            return [Reduction(numbers, self.function), Reduction(nans, "max")]
        return [Reduction(self._comparable(values), self.function)]

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return [Reduction(state[0], self.function), *(Reduction(nans, "max") for nans in state[1:])]

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        type_ = self.spec.arrow_type
        if len(state) == 1:
            return state[0].view(type_) if pa.types.is_duration(type_) else pc.cast(state[0], type_)
        numbers, has_nan = state
        nan = arrow_scalar(float("nan"), numbers.type)
        has_nan = pc.fill_null(has_nan, False)
        if self.function == "max":
            return pc.if_else(has_nan, nan, numbers)
        return pc.if_else(pc.and_(has_nan, pc.is_null(numbers)), nan, numbers)

    def _comparable(self, values: pa.Array) -> pa.Array:
        if pa.types.is_duration(values.type):
            return values.view(pa.int64())
        return pc.cast(values, pa.int8()) if pa.types.is_null(values.type) else values


class Min(Extreme):
    """The smallest value."""


class Max(Extreme):
    """The greatest value."""

    function = "max"


ACCUMULATORS: AccumulatorTable = {
    fn.MIN: Min,
    fn.MAX: Max,
}
