"""Aggregates of time windows that emit results before the end of a window, and for late rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import concat_arrays, make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch, Truths
from table_runtime.streaming.changes.row_changes import RowChanges
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.group_aggregate import GroupState
from table_runtime.streaming.operators.operator import Output
from table_runtime.streaming.operators.window_aggregate import WindowAggregate, WindowState
from table_runtime.streaming.state.row_values import RowValues
from table_runtime.streaming.state.slot_numbers import SlotNumbers
from table_runtime.streaming.state.state_table import StateTable, content_of
from table_runtime.streaming.time.watermarks import END_OF_TIME

_NO_TIMER = 0


class Emission(NamedTuple):
    """Intervals by the clock in milliseconds, 0: at each row: ``early`` before the end of a window (None: no results), ``late`` for late rows.

    ``lateness`` is how long after the last millisecond of a window event time may be when a row is taken.
    """

    early: int | None
    late: int | None
    lateness: int


class EmittingWindowState(WindowState):
    """The groups of windows that may get rows, with the results that were emitted last, and the times of the clock at which others are due."""

    def __init__(self, context: ExecutionContext, operator: EmittingWindowAggregate) -> None:
        super().__init__(context, operator)
        self._lateness = operator.emission.lateness
        width = len(operator.schema) - len(operator.key_types)
        first = len(operator.calls.grouping)
        self.results = RowValues(pa.schema(list(operator.schema)[first : first + width]))
        self.emitted = SlotNumbers(-1)
        self.timers = SlotNumbers(_NO_TIMER)
        self._finished = NO_WATERMARK

    @property
    def finished(self) -> int:
        """The watermark up to which the results of windows were emitted: within a batch, that of its rows so far."""
        return max(self._finished, self.watermark)

    def finish(self, watermark: int) -> None:
        """Notes that the results of windows were emitted up to a watermark."""
        self._finished = watermark

    def reserve(self, size: int) -> None:
        """Makes room for the slots below ``size``."""
        for column in (self.last, self.began, self.emitted, self.timers):
            column.reserve(size)

    def set_emitted(self, slots: Slots, results: Sequence[pa.Array], is_there: Truths) -> None:
        """Notes what was emitted for some groups; ``is_there`` says which of them have a result."""
        start = self.results.size
        kept = np.flatnonzero(is_there)
        taken = [column.take(pa.array(kept)) for column in results]
        self.results.append(make_batch(taken, self.results.schema, len(kept)))
        self.emitted.values[slots] = -1
        self.emitted.values[slots[kept]] = np.arange(start, self.results.size)
        live = np.flatnonzero(self.emitted.values[: self.keys.size] >= 0)
        if self.results.has_many_gone(len(live)):
            self.results.keep(self.emitted.values[live])
            self.emitted.values[live] = np.arange(len(live))

    @override
    def tables(self) -> Mapping[str, StateTable]:
        tables = super().tables()
        self.reserve(self.keys.size)
        return {**tables, "emitted": _Emitted(self), "timers": self.timers}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return (self.groups.counts[slots] > 0) | (self.last.values[slots] + self._lateness > self.watermark)


class _Emitted(StateTable):
    """The results that were emitted last."""

    def __init__(self, state: EmittingWindowState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        rows = self._state.emitted.values[slots]
        places = np.flatnonzero(rows >= 0)
        return content_of(pa.array(places), self._state.results.take(rows[places]))

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        state = self._state
        owners = slots[content.column(0).to_numpy()]
        state.reserve(state.keys.size)
        state.set_emitted(owners, content.columns[1:], np.ones(len(owners), np.bool_))


class EmittingWindowAggregate(WindowAggregate):
    """Emits the result of each group also before the end of its window and for late rows, as ``emission`` says, and updates what it emitted.

    A result that equals the last one of its group is not emitted again. A row is dropped and counted if event time was ``lateness`` after the last
    millisecond of its window when it came.

    Source: Flink's ``org.apache.flink.table.runtime.operators.window.groupwindow.operator.AggregateWindowOperator``.
    """

    emits_late_rows = True
    has_timers = True

    def __init__(self, *arguments: Any, emission: Emission, gives_before: bool, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._gives_before = gives_before
        self.emission = emission

    @property
    @override
    def name(self) -> str:
        return "WindowAggregate"

    @override
    def create_state(self, context: ExecutionContext) -> GroupState:
        return EmittingWindowState(context, self)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: Any, out: Output) -> None:
        watermarks = batch.watermarks(state.watermark)
        starts = np.flatnonzero(np.diff(watermarks, prepend=END_OF_TIME)).tolist()
        for start, end in zip(starts, [*starts[1:], batch.num_rows], strict=True):
            self._finish_until(int(watermarks[start]), state, out)
            while start < end:
                state.context.check()
                part = batch.slice(start, end - start)
                rows = part.num_rows
                for column, function in zip(self.calls.aggregates, state.groups.functions, strict=True):
                    rows = min(rows, function.rows_at_once(part.columns(column.args)))
                self._add(part.slice(0, rows), state, out)
                start += rows

    def _add(self, batch: ChangeBatch, state: EmittingWindowState, out: Output) -> None:
        """Adds rows that came at one watermark, up to which windows have been finished."""
        last = self._last_millisecond(batch.rows.column(self._end))
        batch, last = state.drop_late(batch, last, last + self.emission.lateness <= state.finished)
        if not batch.num_rows:
            return
        signs, keys, rows = batch.signs, batch.columns(self._grouping), batch.rows
        if self._sets is not None:
            rows, keys, signs = self._expanded(rows, signs)
            last = np.repeat(last, len(self._sets))
        slots = self._slots(keys, last, state)
        delays = self._delays(slots, last, state)
        groups, counts, results = state.groups.apply(rows, slots, signs, delays == 0)
        state.count_ignored()
        waiting = np.flatnonzero((delays > 0) & (state.timers.values[slots] == _NO_TIMER))
        state.timers.values[slots[waiting]] = state.processing_time + delays[waiting]
        chosen = np.flatnonzero(delays[groups.order] == 0)
        if not len(chosen):
            return
        changes = RowChanges(*(part[chosen] for part in self._each(groups, counts)))
        self._emit(state.keys.as_kept(keys, slots), results, changes, out)
        is_last = np.append(slots[changes.rows[1:]] != slots[changes.rows[:-1]], True)
        after = changes.after[is_last]
        taken = pa.array(np.maximum(after, 0))
        state.set_emitted(slots[changes.rows[is_last]], [column.take(taken) for column in results], after >= 0)

    def _delays(self, slots: Slots, last: Integers, state: EmittingWindowState) -> Integers:
        """Returns after how many milliseconds the results of rows are due: 0 at once; -1 at the end of the window."""
        is_late = last <= state.finished
        early, late = (-1 if self.emission.early is None else self.emission.early), self.emission.late or 0
        delays = np.where(is_late, late, early)
        # The first row of a window that begins after its end is emitted at once, as other windows are at their end.
        is_first = np.zeros(len(slots), np.bool_)
        is_first[np.unique(slots, return_index=True)[1]] = True
        delays[is_late & is_first & (state.emitted.values[slots] < 0)] = 0
        return delays

    def _slots(self, keys: Sequence[pa.Array], last: Integers, state: EmittingWindowState) -> Slots:
        known = state.keys.size
        slots = state.keys.find_or_insert(keys, len(last))
        size = state.keys.size
        state.reserve(size)
        if size > known:
            state.began.values[known:size] = np.arange(size - known) + state.began.values[:known].max(initial=-1) + 1
        state.last.values[slots] = last
        return slots

    @override
    def on_watermark(self, watermark: int, state: Any, out: Output) -> None:
        self._finish_until(watermark, state, out)

    def _finish_until(self, watermark: int, state: EmittingWindowState, out: Output) -> None:
        """Emits the results of windows that have ended, and forgets those that get no rows any more."""
        finished = state.finished
        if watermark <= finished:
            return
        size = state.keys.size
        state.reserve(size)
        last = state.last.values[:size]
        over = np.flatnonzero((last > finished) & (last <= watermark))
        if len(over):
            state.keys.touch(over)
            state.timers.values[over] = _NO_TIMER
            self._fire(over, state, out)
        gone = np.flatnonzero((last + self.emission.lateness > finished) & (last + self.emission.lateness <= watermark))
        if len(gone):
            state.keys.touch(gone)
            state.groups.counts[gone] = 0
            state.emitted.values[gone] = -1
            state.timers.values[gone] = _NO_TIMER
        state.finish(watermark)

    @override
    def on_clock(self, now: int, state: Any, out: Output) -> None:
        timers = state.timers.values[: state.keys.size]
        due = np.flatnonzero((timers != _NO_TIMER) & (timers <= now))
        if not len(due):
            return
        is_late = state.last.values[due] <= state.finished
        interval = np.where(is_late, self.emission.late or 1, self.emission.early or 1)
        state.timers.values[due] += interval * ((now - timers[due]) // interval + 1)
        state.keys.touch(due)
        self._fire(due, state, out)

    @override
    def next_timer(self, state: Any) -> int:
        timers = state.timers.values[: state.keys.size]
        return int(timers[timers != _NO_TIMER].min(initial=END_OF_TIME))

    def _fire(self, slots: Slots, state: EmittingWindowState, out: Output) -> None:
        """Emits the current results of some groups, where they are not those that were emitted last, in the order of their windows."""
        slots = slots[np.lexsort((state.began.values[slots], state.last.values[slots]))]
        is_there = state.groups.counts[slots] > 0
        before = state.emitted.values[slots]
        chosen = np.flatnonzero(is_there | (before >= 0))
        slots, before, is_there = slots[chosen], before[chosen], is_there[chosen]
        if not len(slots):
            return
        old, new = state.results.take(before), state.groups.current(slots)
        values = [concat_arrays([one, other.cast(one.type)], one.type) for one, other in zip(old, new, strict=True)]
        count = len(slots)
        places = np.arange(count)
        changes = RowChanges(places, np.where(before >= 0, places, -1), np.where(is_there, places + count, -1))
        self._emit(state.keys.keys(slots), values, changes, out)
        state.set_emitted(slots, new, is_there)

    @override
    def next_due(self, state: Any) -> int:
        last = state.last.values[: state.keys.size]
        ends = np.concatenate([last, last + self.emission.lateness])
        return int(ends[ends > state.watermark].min(initial=END_OF_TIME))
