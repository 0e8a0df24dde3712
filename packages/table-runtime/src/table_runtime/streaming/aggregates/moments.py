"""Variances and standard deviations over insertions: count, mean and squared distances by slot, by Welford's algorithm as in Flink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates.variance import Variance
from table_runtime.streaming.aggregates.function import FunctionState
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.state_table import slot_rows

_Doubles = np.ndarray[Any, np.dtype[np.float64]]

_SHORT = 64
"""Segments of at most this many rows are processed in rounds, one row of each segment per round."""


class MomentsState(FunctionState):
    """The rows of a segment are applied one by one, so that results do not depend on where the input is cut into batches."""

    keeps = "count, mean and squared distances (Welford's algorithm)"

    def __init__(self, accumulator: Variance) -> None:
        self._accumulator = accumulator
        self._counts: Integers = np.zeros(1024, np.int64)
        self._means: _Doubles = np.zeros(1024)
        self._squares: _Doubles = np.zeros(1024)

    @override
    def reserve(self, size: int) -> None:
        self._counts = grown(self._counts, size)
        self._means = grown(self._means, size)
        self._squares = grown(self._squares, size)

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        return slot_rows([pa.array(column[slots]) for column in (self._counts, self._means, self._squares)])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        at = slots[content.column(0).to_numpy()]
        for column, values in zip((self._counts, self._means, self._squares), content.columns[1:], strict=True):
            column[at] = values.to_numpy()

    @override
    def current(self, slots: Slots) -> pa.Array:
        return self._results(self._counts[slots], self._squares[slots])

    def _results(self, counts: Integers, squares: _Doubles) -> pa.Array:
        def finish(start: int, end: int) -> pa.Array:
            return self._accumulator.finish(
                [pa.array(counts[start:end]), pa.nulls(end - start, pa.float64()), pa.array(squares[start:end])]
            )

        return self.finished(finish, len(counts))

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        values = pc.fill_null(pc.cast(args[0], pa.float64()), 0.0).to_numpy(zero_copy_only=False)
        counts = (signs > 0) & pc.is_valid(args[0]).to_numpy(zero_copy_only=False)
        state = [np.where(segments.is_fresh, 0, column[segments.slots]) for column in (self._counts, self._means, self._squares)]
        after_counts, after_squares = np.empty(segments.rows, np.int64), np.empty(segments.rows)
        with np.errstate(all="ignore"):  # infinite and not-a-number values are results like others
            self._rounds(values, counts, state, segments, after_counts, after_squares)
        for segment in np.flatnonzero(segments.sizes > _SHORT).tolist():
            _one_by_one(values, counts, state, segment, segments, after_counts, after_squares)
        slots = segments.slots[segments.is_last]
        for column, last in zip((self._counts, self._means, self._squares), state, strict=True):
            column[slots] = last[segments.is_last]
        return self._results(after_counts, after_squares)

    def _rounds(
        self, values: _Doubles, counted: Any, state: list[Any], segments: Segments, after_counts: Integers, after_squares: _Doubles
    ) -> None:
        counts, means, squares = state
        active = np.flatnonzero(segments.sizes <= _SHORT)
        number = 0
        while len(active):
            at = segments.starts[active] + number
            here = counted[at]
            some, value = active[here], values[at[here]]
            counts[some] += 1
            distance = value - means[some]
            means[some] += distance / counts[some]
            squares[some] += distance * (value - means[some])
            after_counts[at], after_squares[at] = counts[active], squares[active]
            number += 1
            active = active[segments.sizes[active] > number]


def _one_by_one(
    values: _Doubles, counted: Any, state: list[Any], segment: int, segments: Segments, after_counts: Integers, after_squares: _Doubles
) -> None:
    start, end = int(segments.starts[segment]), int(segments.ends[segment])
    count, mean, squares = (column[segment].item() for column in state)
    given_counts, given_squares = [], []
    for value, counts in zip(values[start:end].tolist(), counted[start:end].tolist(), strict=True):
        if counts:
            count += 1
            distance = value - mean
            mean += distance / count
            squares += distance * (value - mean)
        given_counts.append(count)
        given_squares.append(squares)
    after_counts[start:end], after_squares[start:end] = given_counts, given_squares
    for column, last in zip(state, (count, mean, squares), strict=True):
        column[segment] = last
