"""SUM, SUM0 and AVG.

Sums of integers and decimals are exact. Overflow is an error for integers and NULL for decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, AggregateSpec, Reduction
from table_runtime.aggregates.counting import count_of
from table_runtime.aggregates.exact_decimals import SAFE_PRECISION, divide_half_up, fit_decimals, narrowed, widen
from table_runtime.aggregates.wide_integers import has_safe_sum, join_halves, split_halves, to_python


def integer_overflow(spec: AggregateSpec) -> TableRuntimeException:
    """Returns the error of a sum that does not fit BIGINT."""
    return TableRuntimeException(f"{spec.name} overflows BIGINT.", hint="Sum CAST(… AS DECIMAL(38, 0)) instead.")


class _Total:
    """The state of a sum: one column for floats, decimals and narrow integers, two for BIGINT."""

    def __init__(self, spec: AggregateSpec) -> None:
        self._spec = spec

    def columns(self, values: pa.Array) -> list[pa.Array]:
        if pa.types.is_decimal(values.type):
            return [widen(values)]
        if pa.types.is_int64(values.type):
            return split_halves(values)
        if pa.types.is_floating(values.type):
            return [values if pa.types.is_float64(values.type) else pc.cast(values, pa.float64())]
        return [values]

    def partial_columns(self, values: pa.Array) -> list[pa.Array]:
        """Returns columns whose sums cannot overflow either, cheaper ones where the values are small."""
        if pa.types.is_decimal(values.type):
            return [widen(narrowed(values))]
        return [values] if pa.types.is_int64(values.type) and has_safe_sum(values) else self.columns(values)

    def partial_state(self, sums: list[pa.Array], type_: pa.DataType) -> list[pa.Array]:
        """Returns the sums of the partial columns of numbers of a type in the form that ``columns`` have."""
        if pa.types.is_decimal(type_):
            return [widen(sums[0]) if type_.precision > SAFE_PRECISION else sums[0]]
        return split_halves(sums[0]) if pa.types.is_int64(type_) and len(sums) == 1 else sums

    def as_integers(self, state: Sequence[pa.Array]) -> pa.Array:
        if len(state) == 1:
            return state[0]
        joined = join_halves(*state)
        if joined is None:
            raise integer_overflow(self._spec)
        return joined


class Sum(Accumulator):
    """The sum; NULL over no values."""

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        self._total = _Total(spec)

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [Reduction(column, "sum") for column in self._total.columns(args[0])]

    @override
    def partial_reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [Reduction(column, "sum") for column in self._total.partial_columns(args[0])]

    @override
    def partial_state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        return self._total.partial_state(reduced, args[0].type)

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return [Reduction(column, "sum") for column in state]

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        # Differs from Flink: a sum of integers that overflows is an error that names the column and the group, instead of wrapping around.
        type_ = self.spec.arrow_type
        if pa.types.is_decimal(type_):
            return fit_decimals(state[0], type_)
        if pa.types.is_floating(type_):
            return pc.cast(state[0], type_)
        integers = self._total.as_integers(state)
        try:
            return pc.cast(integers, type_)
        except pa.ArrowInvalid as error:
            raise TableRuntimeException(
                f"{self.spec.name} overflows {self.spec.output_type.summary()}.", hint="Sum CAST(… AS BIGINT) instead."
            ) from error


class SumOrZero(Sum):
    """The sum; 0 over no values."""

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        result = super().finish(state)
        if pa.types.is_decimal(result.type) and result.null_count > state[0].null_count:
            raise TableRuntimeException(f"{self.spec.name} overflows {self.spec.output_type.summary()}.")
        return pc.fill_null(result, pc.cast(arrow_scalar(0), result.type))

    @override
    def over_nothing(self) -> Any:
        return 0


class Average(Accumulator):
    """The exact sum divided by the count: integers truncated towards zero, decimals rounded half up; NULL over no values."""

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        self._total = _Total(spec)

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [Reduction(args[0], "count"), *(Reduction(column, "sum") for column in self._total.columns(args[0]))]

    @override
    def partial_reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [count_of(args[0]), *(Reduction(column, "sum") for column in self._total.partial_columns(args[0]))]

    @override
    def partial_state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        return [reduced[0], *self._total.partial_state(reduced[1:], args[0].type)]

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return [Reduction(column, "sum") for column in state]

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        type_ = self.spec.arrow_type
        counts, total = state[0], state[1:]
        counts = pc.if_else(pc.equal(counts, arrow_scalar(0, pa.int64())), arrow_scalar(None, pa.int64()), counts)
        if pa.types.is_decimal(total[0].type):
            return divide_half_up(total[0], counts, type_)
        if pa.types.is_floating(total[0].type):
            return pc.cast(pc.divide(total[0], pc.cast(counts, pa.float64())), type_)
        integers = join_halves(*total) if len(total) == 2 else total[0]
        if integers is not None:
            return pc.cast(pc.divide(integers, counts), type_)
        quotients = [
            None if s is None or n is None else (abs(s) // n) * (1 if s >= 0 else -1)
            for s, n in zip(to_python(*total), counts.to_pylist(), strict=True)
        ]
        return arrow_array(quotients, type_)


ACCUMULATORS: AccumulatorTable = {
    fn.SUM: Sum,
    fn.SUM0: SumOrZero,
    fn.AVG: Average,
}
