"""FIRST_VALUE, LAST_VALUE and SINGLE_VALUE: the value of one row, for any type."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, AggregateSpec, Reduction
from table_runtime.aggregates.collect import OrderedFirst, OrderedLast
from table_runtime.aggregates.lists import positions


def first_value(spec: AggregateSpec) -> Accumulator:
    """Returns the accumulator of FIRST_VALUE, in the order of the call's ORDER BY, if it has one."""
    return OrderedFirst(spec) if spec.orders else FirstValue(spec)


def last_value(spec: AggregateSpec) -> Accumulator:
    """Returns the accumulator of LAST_VALUE, in the order of the call's ORDER BY, if it has one."""
    return OrderedLast(spec) if spec.orders else LastValue(spec)


class FirstValue(Accumulator):
    """The first value that is not NULL, in the order of the input."""

    function = "min"

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [Reduction(positions(rows, pc.is_valid(args[0])), self.function)]

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        return [_pick(args[0], reduced[0])]

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return self.reductions(state, len(state[0]))

    @override
    def merged(self, reduced: list[pa.Array], state: Sequence[pa.Array]) -> list[pa.Array]:
        return self.state(reduced, state)

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        return state[0]


class LastValue(FirstValue):
    """The last value that is not NULL."""

    function = "max"


class SingleValue(Accumulator):
    """The value of the only row, which may be NULL; more than one row is an error."""

    ignores_nulls = False

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [Reduction(positions(rows), "min"), Reduction(positions(rows), "count")]

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        return [_pick(args[0], reduced[0]), reduced[1]]

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return [Reduction(positions(len(state[0])), "min"), Reduction(state[1], "sum")]

    @override
    def merged(self, reduced: list[pa.Array], state: Sequence[pa.Array]) -> list[pa.Array]:
        return [_pick(state[0], reduced[0]), reduced[1]]

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        if (pc.max(state[1]).as_py() or 0) > 1:
            raise TableRuntimeException("A scalar subquery returned more than one row.")
        return state[0]


def _pick(values: pa.Array, indices: pa.Array) -> pa.Array:
    return pa.nulls(len(indices)) if pa.types.is_null(values.type) else pc.take(values, indices)


ACCUMULATORS: AccumulatorTable = {
    fn.FIRST_VALUE: first_value,
    fn.LAST_VALUE: last_value,
    fn.SINGLE_VALUE: SingleValue,
}
