"""SUM of BIGINT over changelogs: exact totals in 64 bits, where an overflow is an error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.sums import Sum, SumOrZero, integer_overflow
from table_runtime.changelog.aggregates.function import FunctionState, slot_rows
from table_runtime.changelog.aggregates.running import running_totals
from table_runtime.changelog.aggregates.value_counts import ValueCounts, signs_of_values
from table_runtime.changelog.segments import Integers, Segments
from table_runtime.changelog.slot_groups import Slots
from table_runtime.changelog.state.columns import grown

__all__ = ["BigIntSumState", "is_bigint_sum"]


def is_bigint_sum(accumulator: Accumulator, argument_types: Sequence[pa.DataType]) -> bool:
    """Whether the call is a SUM of BIGINT whose result is BIGINT."""
    return isinstance(accumulator, Sum) and list(argument_types) == [pa.int64()] and accumulator.spec.arrow_type == pa.int64()


class BigIntSumState(FunctionState):
    """The total of each slot, and how many values it is the total of."""

    keeps = "totals and counts"

    def __init__(self, accumulator: Accumulator) -> None:
        self._accumulator = accumulator
        self._totals: Integers = np.zeros(1024, np.int64)
        self._counts = ValueCounts()

    @override
    def reserve(self, size: int) -> None:
        self._totals = grown(self._totals, size)
        self._counts.reserve(size)

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        return slot_rows([pa.array(self._totals[slots]), pa.array(self._counts.counts[slots])])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        at = slots[content.column(0).to_numpy()]
        self._totals[at], self._counts.counts[at] = (column.to_numpy() for column in content.columns[1:])

    @override
    def current(self, slots: Slots) -> pa.Array:
        return self._results(self._totals[slots], self._counts.counts[slots])

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        column = args[0]
        signs = signs_of_values(column, signs)
        counts = self._counts.advance(signs, segments)
        values = (pc.fill_null(column, 0) if column.null_count else column).to_numpy()
        changes = values * signs
        totals = running_totals(changes, np.where(segments.is_fresh, 0, self._totals[segments.slots]), segments)
        self._check(totals - changes, totals, values, signs)
        self._totals[segments.last_slots] = totals[segments.last_rows]
        return self._results(totals, counts)

    def _check(self, before: Integers, after: Integers, values: Integers, signs: Integers) -> None:
        """Fails if a total left the range of 64 bits and wrapped around."""
        # before + value wraps if both have a sign that the total has not; before - value if the total and the value have another sign than before.
        is_added = -((signs + 1) >> 1)  # all bits of rows that are added
        wrapped = (before ^ values ^ is_added) & (before ^ after)
        if wrapped.min(initial=0) < 0:
            self.failed_row = int(np.flatnonzero(wrapped < 0)[0])
            raise integer_overflow(self._accumulator.spec)

    def _results(self, totals: Integers, counts: Integers) -> pa.Array:
        is_null = counts == 0
        return pa.array(totals, mask=is_null if is_null.any() and not isinstance(self._accumulator, SumOrZero) else None)
