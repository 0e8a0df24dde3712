"""SUM of a column plus a constant, computed from the column's own sum and count: several such sums read the column once."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.expressions import CallExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions.builtin import arithmetic
from table_runtime.aggregates.accumulator import AggregateSpec, Reduction
from table_runtime.aggregates.counting import count_of
from table_runtime.aggregates.sums import Sum
from table_runtime.aggregates.wide_integers import bounds_of


@dataclass(frozen=True, slots=True)
class Offset:
    """What is added to a column before it is summed. ``call`` is the sum or difference; the column is its only argument that is not constant."""

    call: CallExpression
    number: int

    def __repr__(self) -> str:
        return f"{'-' if self.number < 0 else '+'} {abs(self.number)}"


class MovedSum(Sum):
    """The sum of ``v + k`` over whole numbers: ``SUM(v) + k * COUNT(v)`` where neither can overflow, otherwise the sum of the computed values."""

    def __init__(self, spec: AggregateSpec, offset: Offset) -> None:
        super().__init__(spec)
        self._offset = offset
        self._type = to_arrow_type(offset.call.output_type)

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return super().reductions([self._moved(args[0])], rows)

    @override
    def partial_reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        (values,) = args
        if self._is_exact(values):
            return [Reduction(values, "sum"), count_of(values)]
        return self.reductions(args, rows)

    @override
    def partial_state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        if not self._is_exact(args[0]):
            return self._total.partial_state(reduced, self._type)
        sums, counts = reduced
        total = pc.add(pc.cast(sums, pa.int64()), pc.multiply(counts, pa.scalar(self._offset.number, pa.int64())))
        return self._total.partial_state([total], self._type)

    @override
    def argument_text(self, columns: Sequence[str]) -> str:
        return f"{columns[0]} {self._offset!r}"

    def _is_exact(self, values: pa.Array) -> bool:
        """Returns whether no value plus the constant leaves its type, and no sum of some of them 64 bits."""
        low, high = bounds_of(values)
        if low is None or high is None:
            return True
        offset, limit = self._offset.number, 1 << (self._type.bit_width - 1)
        largest = max(-low, high, -low - offset, high + offset, abs(offset))
        return low + offset >= -limit and high + offset < limit and largest * len(values) < 2**63

    def _moved(self, values: pa.Array) -> pa.Array:
        from table_runtime.kernels.arithmetic import integer_error  # most sums are far from the bounds

        is_sum = self._offset.call.function is arithmetic.PLUS
        compute = pc.add_checked if is_sum else pc.subtract_checked
        number = self._offset.number if is_sum else -self._offset.number
        try:
            return compute(pc.cast(values, self._type), pa.scalar(number, self._type))
        except pa.ArrowInvalid as error:
            raise integer_error("+" if is_sum else "-", self._offset.call, error) from error
