"""MIN and MAX over insertions: the extreme so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.extremes import Extreme
from table_runtime.batches import concat_arrays
from table_runtime.changelog.aggregates.mergeable import MergeableState
from table_runtime.changelog.aggregates.single_value import SingleValueState
from table_runtime.changelog.segments import Integers, Segments
from table_runtime.changelog.slot_groups import SlotGroups, Slots

__all__ = ["ExtremeState"]


class ExtremeState(SingleValueState, MergeableState):
    """The least or greatest value by slot. NaN is the greatest number."""

    keeps = "the extreme"

    def __init__(self, accumulator: Accumulator) -> None:
        assert isinstance(accumulator, Extreme)
        super().__init__(accumulator.spec.arrow_type)
        self._is_max = accumulator.function == "max"

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        type_ = self._values.type
        before = self._values.get(segments.slots)
        every = concat_arrays([before, args[0].cast(type_)], type_)
        ranks, distinct = _ranks(every)
        if not self._is_max:
            ranks = np.where(ranks > 0, len(distinct) + 1 - ranks, 0)
        count = len(before)
        start, values = ranks[:count], np.where(signs > 0, ranks[count:], 0)
        start[segments.is_fresh] = 0
        values[segments.starts] = np.maximum(values[segments.starts], start)
        lift = segments.of_row * (len(distinct) + 2)  # each segment starts above all that stand before it
        running = np.maximum.accumulate(values + lift) - lift
        if not self._is_max:
            running = np.where(running > 0, len(distinct) + 1 - running, 0)
        results = distinct.take(pa.array(running - 1, mask=running == 0))
        ends = segments.ends[segments.is_last] - 1
        self._values.set(segments.slots[segments.is_last], results.take(pa.array(ends)))
        return results

    @override
    def insert(self, args: Sequence[pa.Array], slots: Slots) -> None:
        self._add(args[0].cast(self._values.type), slots)

    @override
    def merge(self, other: Self, slots: Slots, into: Slots) -> None:
        self._add(other._values.get(slots), into)

    def _add(self, values: pa.Array, slots: Slots) -> None:
        """Adds values to the slots, several of which may be equal."""
        groups = SlotGroups(slots)
        type_ = self._values.type
        ranks, distinct = _ranks(concat_arrays([self._values.get(groups.slots), values], type_))
        if not self._is_max:
            ranks = np.where(ranks > 0, len(distinct) + 1 - ranks, 0)
        count = len(groups.slots)
        best = np.maximum(ranks[:count], np.maximum.reduceat(ranks[count:].take(groups.order), groups.starts) if count else 0)
        if not self._is_max:
            best = np.where(best > 0, len(distinct) + 1 - best, 0)
        self._values.set(groups.slots, distinct.take(pa.array(best - 1, mask=best == 0)))


def _ranks(values: pa.Array) -> tuple[Integers, pa.Array]:
    """Returns the rank of each value among the distinct values, from 1 (0 for NULL), and the distinct values in ascending order."""
    if pa.types.is_null(values.type):
        return np.zeros(len(values), np.int64), values.slice(0, 0)
    keys = values.view(pa.int64()) if pa.types.is_duration(values.type) else values
    if pa.types.is_floating(keys.type):
        keys = pc.add(keys, pa.scalar(0.0, keys.type))  # -0.0 is 0.0
    encoded = keys.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank_of = np.empty(len(order), np.int64)
    rank_of[order] = np.arange(1, len(order) + 1)
    indices = encoded.indices
    ranks = np.zeros(len(values), np.int64)
    valid = pc.is_valid(indices).to_numpy(zero_copy_only=False)
    ranks[valid] = rank_of[indices.drop_null().to_numpy()]
    distinct = encoded.dictionary.take(pa.array(order))
    return ranks, distinct.view(values.type) if pa.types.is_duration(values.type) else distinct
