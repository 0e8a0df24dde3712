"""COUNT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.functions.builtin import aggregates as fn
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, Reduction


def count_of(column: pa.Array) -> Reduction:
    """Returns the number of values: without NULL that of all rows, which other calls may count too."""
    return Reduction(None, "count_all") if not column.null_count else Reduction(column, "count")


class Count(Accumulator):
    """The number of rows in which no argument is NULL; without arguments, the number of all rows."""

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        if not args:
            return [Reduction(None, "count_all")]
        if len(args) == 1 and not pa.types.is_null(args[0].type):
            return [Reduction(pc.is_valid(args[0]) if args[0].type.num_fields else args[0], "sum" if args[0].type.num_fields else "count")]
        valid = pc.is_valid(args[0])
        for arg in args[1:]:
            valid = pc.and_(valid, pc.is_valid(arg))
        return [Reduction(valid, "sum")]

    @override
    def partial_reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        is_plain = len(args) == 1 and not args[0].type.num_fields and not pa.types.is_null(args[0].type)
        return [count_of(args[0])] if is_plain else self.reductions(args, rows)

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        counts = pc.cast(reduced[0], pa.int64()) if reduced[0].type != pa.int64() else reduced[0]
        return [pc.fill_null(counts, 0) if counts.null_count else counts]

    @override
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        return [Reduction(state[0], "sum")]

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        return state[0]

    @override
    def over_nothing(self) -> Any:
        return 0


ACCUMULATORS: AccumulatorTable = {
    fn.COUNT: Count,
    fn.APPROX_COUNT_DISTINCT: Count,
}
