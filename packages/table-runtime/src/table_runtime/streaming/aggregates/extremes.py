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
from table_runtime.columns.batches import concat_arrays
from table_runtime.streaming.aggregates.mergeable import MergeableState
from table_runtime.streaming.aggregates.value_by_slot import ValueBySlotState
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots


class ExtremeState(ValueBySlotState, MergeableState):
    """The least or greatest value by slot. NaN is the greatest number. Of equal values, such as 0.0 and -0.0, the first that came stays."""

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
        ranks = _ranks(every, is_max=self._is_max)
        count, num_rows = len(before), len(segments.of_row)
        start, values = ranks[:count], np.where(signs > 0, ranks[count:], 0)
        start[segments.is_fresh] = 0
        is_kept = start >= values[segments.starts]
        values[segments.starts] = np.maximum(values[segments.starts], start)
        lift = segments.of_row * (int(ranks.max(initial=0)) + 2)  # each segment starts above all that stand before it
        running = np.maximum.accumulate(values + lift)
        origins = np.arange(count, count + num_rows)
        origins[segments.starts[is_kept]] = np.flatnonzero(is_kept)
        first = np.maximum.accumulate(
            np.where(np.diff(running, prepend=-1) != 0, np.arange(num_rows), 0)
        )  # of equal values, the first stays
        results = every.take(pa.array(origins[first], mask=running == lift))
        ends = segments.ends[segments.is_last] - 1
        self._values.set(segments.slots[segments.is_last], results.take(pa.array(ends)))
        return results

    @override
    def insert(self, args: Sequence[pa.Array], slots: Slots, signs: Integers | None = None) -> None:
        assert signs is None
        self._add(args[0].cast(self._values.type), slots)

    @override
    def clear(self, slots: Slots) -> None:
        self._values.set(slots, pa.nulls(len(slots), self._values.type))

    @override
    def merge(self, other: Self, slots: Slots, into: Slots) -> None:
        self._add(other._values.get(slots), into)

    def _add(self, values: pa.Array, slots: Slots) -> None:
        """Adds values to the slots, several of which may be equal."""
        groups = SlotGroups(slots)
        if not len(groups.slots):
            return
        every = concat_arrays([self._values.get(groups.slots), values], self._values.type)
        ranks = _order(every, is_max=self._is_max)
        count = len(groups.slots)
        start, added = ranks[:count], ranks[count:].take(groups.order)
        best = np.maximum.reduceat(added, groups.starts)
        is_best = np.flatnonzero(added == np.repeat(best, np.diff(groups.starts, append=len(added))))
        first = groups.order[is_best[np.searchsorted(is_best, groups.starts)]]  # of equal values, the first stays
        origins = np.where(start >= best, np.arange(count), count + first)
        self._values.set(groups.slots, every.take(pa.array(origins, mask=np.maximum(start, best) == 0)))


def _order(values: pa.Array, *, is_max: bool) -> Integers:
    """Returns a number for each value, the higher the closer it is to the extreme: above 0, equal for equal values, 0 for NULL; of integers, by their differences."""
    if pa.types.is_integer(values.type) and values.type != pa.uint64() and values.null_count < len(values):
        numbers: Integers = values.drop_null().to_numpy().astype(np.int64)
        least, greatest = int(numbers.min()), int(numbers.max())
        if greatest - least < np.iinfo(np.int64).max:
            order: Integers = (numbers - least if is_max else greatest - numbers) + 1
            if not values.null_count:
                return order
            ranks = np.zeros(len(values), np.int64)
            ranks[pc.is_valid(values).to_numpy(zero_copy_only=False)] = order
            return ranks
    return _ranks(values, is_max=is_max)


def _ranks(values: pa.Array, *, is_max: bool) -> Integers:
    """Returns a rank for each value, the higher the closer it is to the extreme: from 1, equal for equal values, 0 for NULL."""
    if pa.types.is_null(values.type):
        return np.zeros(len(values), np.int64)
    keys = values.view(pa.int64()) if pa.types.is_duration(values.type) else values
    if pa.types.is_floating(keys.type):
        keys = pc.add(keys, pa.scalar(0.0, keys.type))  # -0.0 is equal to 0.0
    encoded = keys.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    ranks_of = np.empty(len(order), np.int64)
    ranks_of[order] = np.arange(1, len(order) + 1) if is_max else np.arange(len(order), 0, -1)
    indices = encoded.indices
    ranks = np.zeros(len(values), np.int64)
    valid = pc.is_valid(indices).to_numpy(zero_copy_only=False)
    ranks[valid] = ranks_of[indices.drop_null().to_numpy()]
    return ranks
