"""Joins of rows whose times are close to each other: each input keeps the rows that may still find partners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.batch.joins.join_output import JoinKind, PairFilter
from table_runtime.columns.batches import cast_array, make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK, milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch, Times, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys
from table_runtime.streaming.operators.join import JoinSide, key_slots, passing_pairs
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.row_lists import Rows
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows
from table_runtime.streaming.time.watermarks import END_OF_TIME

MOST_PAIRS = 1 << 18
"""Maximum number of pairs computed at once."""


class IntervalJoinState(OperatorState):
    """The keys of both inputs, and the rows of each; the number kept with a row is 1 once it has found a partner."""

    def __init__(self, context: ExecutionContext, operator: IntervalJoin) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots(operator.key_types)
        self.sides = [TimedRows(side.schema) for side in operator.sides]

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"left": self.sides[0], "right": self.sides[1]}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return self.sides[0].has_rows(slots) | self.sides[1].has_rows(slots)


class IntervalJoin(ChangelogOperator[IntervalJoinState]):
    """Joins rows with equal keys whose left time is at least ``lower`` and at most ``upper`` milliseconds after the right time.

    A row is kept until the watermark has passed the last time that a partner may have; then a row of an outer join that has found none is emitted
    without partner. A late row finds the partners that are kept, and is kept if it may still find some. Without ``times`` the time of a row is
    the processing time at which it came, and the watermark is the clock.
    """

    emits_at_watermarks = True
    waits_for_watermarks = True

    def __init__(
        self,
        schema: pa.Schema,
        kind: JoinKind,
        sides: tuple[JoinSide, JoinSide],
        key_types: Sequence[pa.DataType],
        null_equal: Sequence[bool],
        times: tuple[int, int] | None,
        bounds: tuple[int, int],
        condition: PairFilter | None = None,
        *,
        text: str = "",
    ) -> None:
        super().__init__(schema)
        self.sides = sides
        self.key_types = list(key_types)
        self._null_equal = tuple(null_equal)
        self._times = times
        lower, upper = bounds
        self._lower, self._upper = lower, upper
        # By input: from when to when after its own time a row finds partners.
        self._first = (-upper, lower)
        self._last = (-lower, upper)
        self.order_slack = None if times is None else max(lower, -upper, 0)
        self._condition = condition
        self._text = text
        self._is_outer = (kind in (JoinKind.LEFT, JoinKind.FULL), kind in (JoinKind.RIGHT, JoinKind.FULL))
        # How far the watermark of the output is behind. A row without partner is emitted after its interval, and neither it nor a session
        # window that ends where it begins may be late for a reader.
        self._delay = max(-lower, upper, 0) + (2 if any(self._is_outer) else 0)

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> IntervalJoinState:
        return IntervalJoinState(context, self)

    @override
    def output_watermark(self, state: IntervalJoinState) -> int:
        if state.watermark in (NO_WATERMARK, END_OF_TIME):
            return state.watermark
        return max(state.watermark - self._delay, NO_WATERMARK + 1)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return self.sides[input_index].division(self.key_types)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: IntervalJoinState, out: Output) -> None:
        rows, side = batch.num_rows, input_index
        before = batch.watermarks(state.watermark)
        times = np.full(rows, state.processing_time) if self._times is None else milliseconds_of(batch.rows.column(self._times[side]))
        keys = key_slots(batch.rows, self.sides[side], self.key_types, self._null_equal, state.keys)
        found = np.zeros(rows, np.bool_)
        pairs: list[tuple[Rows, Rows]] = []
        stored = _Stored(state.sides[1 - side], max(state.keys.size, 1))
        # Rows of the other input that were passed by the watermark when the row came are gone.
        least = np.maximum(times + self._first[side], _plus(before, self._first[side]))
        for positions, partners in stored.pairs(keys, least, times + self._last[side]):
            state.context.check()
            positions, partners = self._filtered(batch.rows, positions, partners, side, state.sides[1 - side])
            found[positions] = True
            state.sides[1 - side].note(partners, 1)
            pairs.append((positions, partners))
        if self.key_types:
            state.keys.touch(keys[keys >= 0])
        may_find_more = _plus(before, -self._last[side]) < times
        alone = np.flatnonzero(~may_find_more & ~found) if self._is_outer[side] else np.zeros(0, np.int64)
        self._emit(batch.rows, side, pairs, alone, None if self._times is None else _plus(before, -self._delay), state, out)
        kept = np.flatnonzero(may_find_more)
        own = np.where(keys < 0, ~keys, keys)
        state.sides[side].append(batch.rows.take(pa.array(kept)), own[kept], times[kept], found[kept].astype(np.int64))

    def _filtered(self, batch: pa.RecordBatch, positions: Rows, partners: Rows, side: int, other: TimedRows) -> tuple[Rows, Rows]:
        if self._condition is None or not len(positions):
            return positions, partners
        return passing_pairs(self._condition, self.sides, batch, side, positions, partners, other)

    def _emit(
        self,
        batch: pa.RecordBatch,
        side: int,
        pairs: Sequence[tuple[Rows, Rows]],
        alone: Rows,
        before: Times | None,
        state: IntervalJoinState,
        out: Output,
    ) -> None:
        """Emits pairs and rows without partner, in the order of the rows; ``before`` is the watermark of the output before each row."""
        positions = np.concatenate([*(positions for positions, _ in pairs), alone])
        partners = np.concatenate([*(partners for _, partners in pairs), np.full(len(alone), -1)])
        if not len(positions):
            return
        order = np.argsort(positions, kind="stable")
        positions, partners = positions[order], partners[order]
        own = [column.take(pa.array(positions)) for column in batch.columns]
        theirs = state.sides[1 - side].take(partners)
        self._give([*own, *theirs] if side == 0 else [*theirs, *own], len(positions), None if before is None else before[positions], out)

    def _give(self, arrays: Sequence[pa.Array], rows: int, before: Times | None, out: Output) -> None:
        columns = [cast_array(array, field.type) for array, field in zip(arrays, self.schema, strict=True)]
        out(ChangeBatch(make_batch(columns, self.schema, rows), before=before))

    @override
    def next_due(self, state: IntervalJoinState) -> int:
        return min(
            (first + self._last[side] + 1 for side, kept in enumerate(state.sides) if (first := kept.first_time) != END_OF_TIME),
            default=END_OF_TIME,
        )

    @override
    def on_watermark(self, watermark: int, state: IntervalJoinState, out: Output) -> None:
        """Removes the rows that find no more partners."""
        for side, kept in enumerate(state.sides):
            limit = watermark if watermark == END_OF_TIME else watermark - self._last[side] - 1
            gone = kept.until(limit)
            if not len(gone):
                continue
            if self.key_types:
                state.keys.touch(np.unique(kept.slots_of(gone)))
            if self._is_outer[side]:
                alone = gone[kept.notes_of(gone) == 0]
                alone = alone[np.argsort(kept.times_of(alone), kind="stable")]
                if len(alone):
                    own, theirs = kept.take(alone), [pa.nulls(len(alone), field.type) for field in self.sides[1 - side].schema]
                    # The last watermark of the output that may have come before, wherever batches are cut.
                    before = None if self._times is None else kept.times_of(alone) + (self._last[side] - self._delay)
                    self._give([*own, *theirs] if side == 0 else [*theirs, *own], len(alone), before, out)
            kept.remove(gone)


def _plus(times: Times, distance: int) -> Times:
    """Returns watermarks moved by a distance; the one before the first stays."""
    return np.where(times == NO_WATERMARK, NO_WATERMARK, times + distance)


class _Stored:
    """The rows of an input, sorted by key and time."""

    def __init__(self, rows: TimedRows, slots: int) -> None:
        numbers = rows.rows()
        self._times, self._of_rank = rows.times_of(numbers), np.unique(rows.times_of(numbers))
        ranks = np.searchsorted(self._of_rank, self._times)
        self._width = len(self._of_rank) + 1
        sorting = rows.slots_of(numbers) * self._width + ranks
        order = np.argsort(sorting, kind="stable")
        self._sorted = sorting[order]
        self._numbers = numbers[order]

    def pairs(self, slots: Slots, least: Times, greatest: Times) -> Any:
        """Yields pairs of a position in ``slots`` and a row with this slot and a time between two bounds, both included; some at a time."""
        base = slots * self._width
        starts = np.searchsorted(self._sorted, base + np.searchsorted(self._of_rank, least, side="left"), side="left")
        ends = np.searchsorted(self._sorted, base + np.searchsorted(self._of_rank, greatest, side="right"), side="left")
        counts = np.where(slots < 0, 0, np.maximum(ends - starts, 0))
        totals = np.cumsum(counts)
        first = 0
        while first < len(slots):
            before = int(totals[first - 1]) if first else 0
            end = max(int(np.searchsorted(totals, before + MOST_PAIRS, side="right")), first + 1)
            sizes = counts[first:end]
            positions = np.repeat(np.arange(first, end), sizes)
            within = np.arange(len(positions)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            yield positions, self._numbers[np.repeat(starts[first:end], sizes) + within]
            first = end
