"""SUM of BIGINT over changelogs: exact totals in 64 bits, where an overflow is an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.sums import SumOrZero, integer_overflow
from table_runtime.streaming.aggregates.mergeable import MergeableState, Unions
from table_runtime.streaming.aggregates.running import running_totals
from table_runtime.streaming.aggregates.value_counts import ValueCounts, signs_of_values
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.state_table import slot_rows

_MOST = (1 << 63) - 1


class BigIntSumState(MergeableState):
    """The total of each slot, and how many values it is the total of."""

    keeps = "totals and counts"
    adds_retractions = True

    def __init__(self, accumulator: Accumulator) -> None:
        self._accumulator = accumulator
        self._totals: Integers = np.zeros(1024, np.int64)
        self._counts = ValueCounts()
        self._bound = 0
        """No total is greater, nor its negation."""

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
        self._bound = _MOST

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
        self._bound = _MOST
        return self._results(totals, counts)

    @override
    def can_insert(self, args: Sequence[pa.Array]) -> bool:
        added = _greatest(args[0].drop_null().to_numpy()) * len(args[0])
        if self._bound + added > _MOST:
            self._bound = _greatest(self._totals)
        return self._bound + added <= _MOST

    @override
    def insert(self, args: Sequence[pa.Array], slots: Slots, signs: Integers | None = None) -> None:
        (column,) = args
        self._counts.insert(column, slots, signs)
        values = (pc.fill_null(column, 0) if column.null_count else column).to_numpy()
        self._bound += _greatest(values) * len(values)
        np.add.at(self._totals, slots, values if signs is None else values * signs)

    @override
    def clear(self, slots: Slots) -> None:
        self._totals[slots] = 0
        self._counts.counts[slots] = 0

    @override
    def merge(self, other: Self, slots: Slots, into: Slots) -> None:
        self._counts.merge(other._counts, slots, into)
        added = other._totals[slots]
        if _greatest(added) * len(added) + _greatest(self._totals) > _MOST:
            self._merge_one_by_one(added, into)
        else:
            np.add.at(self._totals, into, added)

    @override
    def unite(self, other: Self, unions: Unions) -> bool:
        added = unions.values(other._totals)
        if _greatest(added) * len(added) > _MOST:
            return False
        unions.add(added, self._totals)
        unions.add(unions.values(other._counts.counts), self._counts.counts)
        return True

    def _merge_one_by_one(self, added: Integers, into: Slots) -> None:
        """Adds totals, each of which may leave the range of 64 bits."""
        for row, (slot, total) in enumerate(zip(into.tolist(), added.tolist(), strict=True)):
            result = int(self._totals[slot]) + total
            if not -_MOST - 1 <= result <= _MOST:
                self.failed_row = row
                raise integer_overflow(self._accumulator.spec)
            self._totals[slot] = result

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


def _greatest(values: Integers) -> int:
    """Returns the greatest of the absolute values, 0 if there are none."""
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))
