"""Aggregates over frames, each with the cheapest exact algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates import Accumulator, Reduction
from table_runtime.aggregates.extremes import Extreme, Max
from table_runtime.batch.aggregation.grouping import reduce_groups
from table_runtime.batch.over.frame_extremes import frame_extremes
from table_runtime.batch.over.frame_states import frame_states
from table_runtime.batch.over.frame_sums import frame_sums
from table_runtime.batch.over.frames import Frames
from table_runtime.batch.over.sorted_rows import SortedRows, positions
from table_runtime.batch.over.window_function import Check, WindowFunction
from table_runtime.columns.batches import cast_array
from table_runtime.columns.keys import KeyCodec


class FramedAggregate(WindowFunction):
    """An aggregate over the rows of each frame; with ``distinct``, equal arguments count once."""

    def __init__(self, accumulator: Accumulator, *, distinct: bool = False) -> None:
        self.accumulator = accumulator
        self.distinct = distinct

    @override
    def compute(self, rows: SortedRows, frames: Frames | None, args: Sequence[Any], check: Check) -> pa.Array:
        assert frames is not None
        columns = [pa.repeat(arg, frames.rows) if isinstance(arg, pa.Scalar) else arg for arg in args]
        if columns and self.accumulator.ignores_nulls and columns[0].null_count:
            frames, columns = frames.restricted(pc.is_valid(columns[0]), columns)
        distinct = self.distinct
        if distinct and frames.is_running:
            frames, columns = _first_occurrences(frames, columns)
            distinct = False
        results = None if distinct else self._from_sums(frames, columns)
        if results is None and isinstance(self.accumulator, Extreme) and not pa.types.is_null(columns[0].type):
            results = frame_extremes(columns[0], frames, greatest=isinstance(self.accumulator, Max))
        if results is None:
            results = frame_states(self.accumulator, columns, frames, check, distinct=distinct)
        return frames.spread(cast_array(results, self.accumulator.spec.arrow_type))

    def _from_sums(self, frames: Frames, columns: Sequence[pa.Array]) -> pa.Array | None:
        """Returns the results if running sums can compute all of the accumulator's reductions, else None."""
        if isinstance(self.accumulator, Extreme):
            return None
        state: list[pa.Array] = []
        reductions = self.accumulator.reductions(columns, frames.rows)
        if any(reduction.function not in ("sum", "count", "count_all") for reduction in reductions):
            return None
        for reduction in reductions:
            total = frame_sums(reduction, frames)
            if total is None:
                return None
            state.append(total)
        return self.accumulator.finish(self.accumulator.state(state, columns))


def _first_occurrences(frames: Frames, columns: Sequence[pa.Array]) -> tuple[Frames, list[pa.Array]]:
    """Returns the frames over the first occurrence of each value in its partition; frames must begin at the start of their partition."""
    codec = KeyCodec([column.type for column in columns])
    keys = [frames.partition, *codec.encode(columns)]
    _, (first,), _ = reduce_groups(keys, [Reduction(positions(frames.rows), "min")], frames.rows)
    if len(first) == frames.rows:
        return frames, list(columns)
    mask = pc.is_in(positions(frames.rows), options=pc.SetLookupOptions(value_set=first))
    return frames.restricted(mask, columns)
