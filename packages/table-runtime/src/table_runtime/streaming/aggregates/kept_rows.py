"""Functions that are recomputed from all rows of a group: the rows are stored in order, and a retraction removes the first equal row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates import Accumulator
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan
from table_runtime.columns.keys import KeyCodec
from table_runtime.streaming.aggregates.function import FunctionState, rows_within
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.key_slots import KeySlots

MOST_ROWS = 1 << 20
"""Limit for the total number of rows that are aggregated at once."""


class KeptRowsState(FunctionState):
    """The numbers of the rows of each slot; equal rows have the same number."""

    keeps = "the rows"
    cost = "all rows of the group"

    def __init__(self, accumulator: Accumulator, argument_types: Sequence[pa.DataType]) -> None:
        self._accumulator = accumulator
        self._types = tuple(argument_types)
        self._plan = AggregationPlan(KeyCodec([pa.int64()]), [accumulator])
        self._rows = KeySlots(self._types, tells_zeros_apart=True)
        self._kept: dict[int, list[int]] = {}
        self._largest = 0

    @override
    def rows_at_once(self, args: Sequence[pa.Array]) -> int:
        # The result after each of n rows reads its whole group, which grows by at most n.
        return rows_within(MOST_ROWS, self._largest)

    @override
    def reserve(self, size: int) -> None:
        pass

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        groups = [self._kept.get(slot, _NONE) for slot in slots.tolist()]
        places = np.repeat(np.arange(len(slots)), list(map(len, groups)))
        numbers = np.array([number for group in groups for number in group], np.int64)
        arrays = [pa.array(places), *(self._rows.keys(numbers) if self._types else ())]
        return pa.RecordBatch.from_arrays(arrays, [f"c{number}" for number in range(len(arrays))])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        numbers = self._rows.find_or_insert(content.columns[1:], content.num_rows).tolist()
        for slot, number in zip(slots[content.column(0).to_numpy()].tolist(), numbers, strict=True):
            self._kept.setdefault(slot, []).append(number)
        self._largest = max(map(len, self._kept.values()), default=0)

    @override
    def current(self, slots: Slots) -> pa.Array:
        return self._results([self._kept.get(slot, _NONE) for slot in slots.tolist()])

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        numbers = self._rows.find_or_insert(args, segments.rows).tolist()
        if self._accumulator.ignores_nulls and args and args[0].null_count:
            signs = signs * pc.is_valid(args[0]).to_numpy(zero_copy_only=False)
        added = signs.tolist()
        wanted = None if segments.wanted is None else segments.wanted.tolist()
        after: list[Sequence[int]] = []
        ignored = set()
        for slot, is_fresh, start, end in zip(
            segments.slots.tolist(), segments.is_fresh.tolist(), segments.starts.tolist(), segments.ends.tolist(), strict=True
        ):
            kept = [] if is_fresh else self._kept.get(slot, [])
            for row in range(start, end):
                if added[row] > 0:
                    kept.append(numbers[row])
                elif added[row] < 0 and numbers[row] in kept:
                    kept.remove(numbers[row])
                elif added[row] < 0:
                    ignored.add(row)
                after.append(tuple(kept) if wanted is None or wanted[row] else ())
            self._kept[slot] = kept
            self._largest = max(self._largest, len(kept))
        self.ignored = ignored
        return self._results(after)

    def _results(self, groups: Sequence[Sequence[int]]) -> pa.Array:
        """Aggregates each group of rows."""
        sizes = np.array([len(group) for group in groups], np.int64)
        keys = pa.array(np.repeat(np.arange(len(groups)), sizes))
        rows = np.array([number for group in groups for number in group], np.int64)
        states = self._plan.partial([keys], [self._rows.keys(rows)], len(rows))
        (results,) = self._plan.finish(states)
        nothing: Any = self._accumulator.over_nothing()
        places = np.full(len(groups), -1, np.int64)
        places[states.keys[0].to_numpy()] = np.arange(states.groups)
        taken = results.take(pa.array(places, mask=places < 0))
        if nothing is not None and (sizes == 0).any():
            taken = pc.if_else(pa.array(sizes == 0), pa.scalar(nothing, taken.type), taken)
        return taken


_NONE: list[int] = []
