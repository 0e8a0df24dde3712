"""Process table functions that are called with many rows at once.

A call has at most one row of each key: the first rows of the keys of a batch, then the second ones, and so on. So states are arrays beside the rows, and what a
row changes is there for the next row of its key. The timers of a key fire before its first row whose watermark has reached them, as if rows were processed one
by one; at the end, the rows of the function are put into the order of the rows and watermarks that caused them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch
from table_runtime.columns.ordering import sort_indices
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK, milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.operator import Output
from table_runtime.streaming.operators.process_table import ProcessTable
from table_runtime.streaming.operators.process_table_calls import BatchCalls
from table_runtime.streaming.operators.process_table_columns import ProcessColumns
from table_runtime.streaming.operators.process_table_spec import ProcessInput
from table_runtime.streaming.operators.process_table_state import ProcessState
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.time.watermarks import END_OF_TIME

Numbers = np.ndarray[Any, np.dtype[np.int64]]


class ProcessTableBatches(ProcessTable):
    """Calls a function for many rows, or timers, of different keys at once."""

    @property
    @override
    def name(self) -> str:
        return "ProcessTable"

    @override
    def create_state(self, context: ExecutionContext) -> ProcessState:
        return ProcessColumns(context, self._spec)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: ProcessState, out: Output) -> None:
        assert isinstance(state, ProcessColumns)
        (table,) = self._spec.inputs
        if table.order_by:
            super().process(batch, input_index, state, out)
            return
        calls = self._calls(state, out, has_before=batch.before is not None)
        slots = self._slots(batch, table, state) if self._spec.has_keys else np.arange(batch.num_rows)
        start = calls.watermark
        befores = np.full(batch.num_rows, start) if batch.before is None else np.maximum.accumulate(np.maximum(batch.before, start))
        with state.invocation.lock, state.invocation.in_use():
            self._call_rows(batch.rows, table, slots, befores, befores, state, calls)
            if batch.num_rows and befores[-1] > start:
                self._fire_all(int(befores[-1]), state, calls, befores, befores)
                calls.watermark = int(befores[-1])
            calls.flush()
        state.call_context.watermark = calls.watermark

    def _calls(self, state: ProcessColumns, out: Output, *, has_before: bool) -> BatchCalls:
        watermark = max(state.call_context.watermark, state.watermark)
        if state.floor is None:
            state.floor = watermark
        return BatchCalls(self._spec, state, out, watermark, has_before=has_before)

    def _call_rows(
        self,
        rows: pa.RecordBatch,
        table: ProcessInput,
        slots: Slots,
        steps: Numbers,
        befores: Numbers,
        state: ProcessColumns,
        calls: BatchCalls,
    ) -> None:
        """Calls the function for rows; ``steps``, ascending, are the times up to which timers fire before each row, ``befores`` the watermarks before it."""
        times = milliseconds_of(rows.column(table.time)) if table.time >= 0 else None
        if not self._spec.has_keys:
            calls.rows(rows, np.arange(rows.num_rows), slots, times, befores)
            return
        fires = self._spec.has_timers
        if fires:
            state.reached = grown(state.reached, state.keys.size if state.keys is not None else 1, NO_WATERMARK)
        for places in _rounds(slots):
            own = slots[places]
            if fires:
                self._fire(own, steps[places], state, calls, steps, befores, places)
                state.reached[own] = steps[places]
            calls.rows(rows if len(places) == rows.num_rows else rows.take(pa.array(places)), places, own, times, befores)

    def _fire(
        self,
        slots: Slots,
        until: Numbers,
        state: ProcessColumns,
        calls: BatchCalls,
        steps: Numbers,
        befores: Numbers,
        rows: Numbers | None = None,
    ) -> None:
        """Fires the timers of some keys, each up to a time of its own, before their ``rows`` (None: after all rows).

        Rows as they come follow the watermark: a timer in the past fires when it has advanced since the last row of the key. Rows in order do not.
        """
        timers = state.column_timers
        is_ordered = bool(self._spec.inputs[0].order_by)
        count = 0
        while timers.of_name:
            least = timers.least(slots)
            is_due = (least <= until) & (least != END_OF_TIME)
            if not is_ordered:
                is_due &= state.reached_by(slots) < until
            if not is_due.any():
                return
            calls.check_firings(count, least[is_due])
            count += 1
            slots, until, least = slots[is_due], until[is_due], least[is_due]
            rows = None if rows is None else rows[is_due]
            for name, named in timers.of_name.copy().items():
                fired = named.of(slots) == least
                if fired.any():
                    own, at = slots[fired], least[fired]
                    named.remove(own)
                    places = np.maximum(np.searchsorted(steps, at), np.searchsorted(steps, state.reached_by(own), "right"))
                    places = np.minimum(places, len(steps) - 1 if rows is None else rows[fired])
                    calls.timers(name, own, at, places, befores)
                    least[fired] = -1  # one timer of a key at a time: the next may have been changed by this one

    def _fire_all(self, until: int, state: ProcessColumns, calls: BatchCalls, steps: Numbers, befores: Numbers) -> None:
        if not self._spec.has_timers:
            return
        state.reached = grown(state.reached, state.keys.size if state.keys is not None else 1, NO_WATERMARK)
        due = state.column_timers.due(until)
        due = due[state.reached_by(due) < until]
        if len(due):
            self._fire(due, np.full(len(due), until), state, calls, steps, befores)
            if state.keys is not None:
                state.keys.touch(due)

    @override
    def on_watermark(self, watermark: int, state: ProcessState, out: Output) -> None:
        assert isinstance(state, ProcessColumns)
        if watermark <= state.call_context.watermark or not self._spec.has_keys:
            return
        calls = self._calls(state, out, has_before=True)
        if watermark <= calls.watermark:
            return
        with state.invocation.lock, state.invocation.in_use():
            steps = self._call_waiting(watermark, state, calls) if state.waiting else np.zeros(0, np.int64)
            befores = np.full(len(steps) + 1, calls.watermark)
            self._fire_all(watermark, state, calls, np.append(steps, watermark), befores)
            calls.flush()
        state.passed.clear()
        state.call_context.watermark = watermark

    def _call_waiting(self, watermark: int, state: ProcessColumns, calls: BatchCalls) -> Numbers:
        """Gives the rows that a watermark has reached to the function, in their order; returns the times up to which timers fire before each."""
        (table,) = self._spec.inputs
        waiting = state.waiting[0]
        ready = waiting.until(watermark)
        if not len(ready):
            return np.zeros(0, np.int64)
        rows = make_batch(waiting.take(ready), table.schema, len(ready))
        order = np.asarray(sort_indices(rows.columns, table.order_by))
        slots, times = waiting.slots_of(ready)[order], waiting.times_of(ready)[order]
        if state.keys is not None:
            state.keys.touch(slots)
        waiting.remove(ready)
        befores = np.full(len(ready), calls.watermark)
        steps: Numbers = times - 1  # timers before the time of a row fire before it
        self._call_rows(rows.take(pa.array(order)), table, slots, steps, befores, state, calls)
        return steps

    @override
    def next_due(self, state: ProcessState) -> int:
        assert isinstance(state, ProcessColumns)
        return min([state.column_timers.first_time, *(rows.first_time for rows in state.waiting.values())])


def _rounds(slots: Slots) -> Sequence[Numbers]:
    """Returns the places of the first rows of all keys, of the second ones, and so on, each in their order."""
    order = np.argsort(slots, kind="stable")
    by_key = slots[order]
    starts = np.flatnonzero(np.concatenate([[True], by_key[1:] != by_key[:-1]])) if len(slots) else np.zeros(0, np.int64)
    if len(starts) == len(slots):
        return [np.arange(len(slots))] if len(slots) else []
    lengths = np.diff(np.append(starts, len(slots)))
    rank = np.empty(len(slots), np.int64)
    rank[order] = np.arange(len(slots)) - np.repeat(starts, lengths)
    by_rank = np.argsort(rank, kind="stable")
    return np.split(by_rank, np.cumsum(np.bincount(rank))[:-1])
