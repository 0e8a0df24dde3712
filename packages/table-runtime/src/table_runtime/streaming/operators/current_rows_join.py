"""Joins each row with the rows of a table as they are when it comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from table_common.annotation import override
from table_runtime.columns.batches import cast_array, make_batch
from table_runtime.formats import ROW_KIND_FIELD
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.join import MOST_PAIRS, Join, JoinState, row_stretches
from table_runtime.streaming.operators.operator import Output
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows

ROWS_AT_ONCE = 1 << 16
"""Maximum number of left rows that are joined at once."""


class CurrentRowsState(JoinState):
    """The rows of the right input, and the left rows that came before its end, with their kinds as last column."""

    def __init__(self, context: ExecutionContext, operator: CurrentRowsJoin) -> None:
        super().__init__(context, operator)
        self.waiting = TimedRows(operator.sides[0].schema.append(ROW_KIND_FIELD))

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"right": self.sides[1], "waiting": self.waiting}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return self.sides[1].has_rows(slots) | self.waiting.has_rows(slots)


class CurrentRowsJoin(Join):
    """Emits each left row with the right rows that have its key, with the kind of the left row. Changes of right rows emit nothing.

    The right input is read to its end first: left rows that come before wait for it, so that the result does not depend on the order in which
    inputs are read. If it has no end (``waits_for_first_input`` is false), a left row meets the right rows that have come. An outer join emits a
    left row without right row alone.
    """

    emits_at_watermarks = True
    input_to_read_first = 1

    @property
    @override
    def name(self) -> str:
        return "TemporalJoin"

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> JoinState:
        return CurrentRowsState(context, self)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: Any, out: Output) -> None:
        if input_index == 1:
            self._add(batch, state)
        elif not self._waits(state):
            self._join(batch, state, out)
        else:
            keys = self._keys(batch.rows, 0, state)
            before = batch.watermarks(state.watermark)
            state.waiting.append(batch.with_kind_column(), np.where(keys < 0, ~keys, keys), before, before)

    @override
    def on_watermark(self, watermark: int, state: Any, out: Output) -> None:
        if not self._waits(state):
            self._emit_waiting(state, out)

    @override
    def output_watermark(self, state: Any) -> int:
        return NO_WATERMARK if self._waits(state) else state.watermark

    def _waits(self, state: Any) -> bool:
        """Whether rows of the right input are still to come that left rows wait for."""
        return self.waits_for_first_input and 1 not in state.ended_inputs

    @override
    def end_of_input(self, input_index: int, state: Any, out: Output) -> None:
        if input_index == 1:
            self._emit_waiting(state, out)

    def _add(self, batch: ChangeBatch, state: CurrentRowsState) -> None:
        """Adds and removes rows of the right input."""
        right = state.sides[1]
        batch, ids, ignored = right.checked(batch)
        state.metrics.ignored_retractions += ignored
        keys = self._keys(batch.rows, 1, state)
        state.keys.touch(right.apply(batch.rows, ids, batch.signs, keys, np.zeros(batch.num_rows, np.int64)))

    def _emit_waiting(self, state: CurrentRowsState, out: Output) -> None:
        waiting = state.waiting.rows()
        for start in range(0, len(waiting), ROWS_AT_ONCE):
            rows = waiting[start : start + ROWS_AT_ONCE]
            *columns, kinds = state.waiting.take(rows)
            batch = make_batch(columns, self.sides[0].schema, len(rows))
            has_kinds = self.sides[0].has_retractions
            self._join(
                ChangeBatch(batch, np.asarray(kinds, dtype=np.int8) if has_kinds else None, state.waiting.before_of(rows)), state, out
            )
        if self.key_types:
            state.keys.touch(np.unique(state.waiting.slots_of(waiting)))
        state.waiting.remove(waiting)

    def _join(self, batch: ChangeBatch, state: CurrentRowsState, out: Output) -> None:
        """Emits left rows with the right rows that are there."""
        right = state.sides[1]
        all_keys = self._keys(batch.rows, 0, state)
        for first, count in row_stretches(right.pair_counts(all_keys)):
            state.context.check()
            part, keys = batch.slice(first, count), all_keys[first : first + count]
            positions, rows = right.find(keys)
            if self._condition is not None and len(positions):
                positions, rows = self._filtered(part.rows, positions, rows, 0, right)
            own, theirs = right.repeated(positions, rows)
            if self._is_outer[0]:
                alone = np.flatnonzero(np.bincount(positions, minlength=count) == 0)
                own, theirs = np.concatenate([own, alone]), np.concatenate([theirs, np.full(len(alone), -1)])
                order = np.argsort(own, kind="stable")
                own, theirs = own[order], theirs[order]
            for start in range(0, len(own), MOST_PAIRS):
                end = start + MOST_PAIRS
                taken = part.take(own[start:end])
                arrays = [*taken.rows.columns, *right.take(theirs[start:end])]
                columns = [cast_array(array, field.type) for array, field in zip(arrays, self.schema, strict=True)]
                out(ChangeBatch(make_batch(columns, self.schema, taken.num_rows), taken.kinds, taken.before))
