"""Process table functions: a function of the rows of tables by partition, with state and timers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.garbage_collection import collection_paused
from table_runtime.columns.batches import make_batch
from table_runtime.columns.ordering import sort_indices
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK, milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, Output
from table_runtime.streaming.operators.process_table_run import ProcessRun, rows_of
from table_runtime.streaming.operators.process_table_spec import ProcessInput, ProcessSpec
from table_runtime.streaming.operators.process_table_state import ProcessState


class ProcessTable(ChangelogOperator[ProcessState]):
    """Calls a function for each row, and for timers when the watermark before a row, or the one of all tables, has reached them.

    Rows of a table with ORDER BY wait for the watermark, and late ones are dropped; all others are given to the function as they come.
    """

    emits_at_watermarks = True
    emits_late_rows = True

    def __init__(self, spec: ProcessSpec, text: str = "") -> None:
        super().__init__(spec.schema)
        self._spec = spec
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> ProcessState:
        return ProcessState(context, self._spec)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        if not self._spec.has_keys:
            # The only row of a function without tables, and rows that are processed alone.
            return None if self._spec.inputs[0].argument >= 0 else GLOBAL
        return division_by(self._spec.inputs[input_index].partition_by)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: ProcessState, out: Output) -> None:
        table = self._spec.inputs[input_index]
        slots = self._slots(batch, table, state)
        if table.order_by:
            times = milliseconds_of(batch.rows.column(table.order_by[0].column))
            is_late = batch.is_behind(times, state.watermark) & (times != NO_WATERMARK)
            if is_late.any():
                kept = np.flatnonzero(~is_late)
                state.metrics.late_rows += batch.num_rows - len(kept)
                batch, times, slots = batch.take(kept), times[kept], slots[kept]
            if batch.before is not None:
                state.passed.update(np.unique(batch.before).tolist())
            state.waiting[input_index].append(batch.rows, slots, times, 0)
            return
        run = self._run(state, out, has_before=batch.before is not None)
        rows = rows_of(batch, table, self._spec.function.name) if table.argument >= 0 else [None] * batch.num_rows
        times_of_rows = self._times(batch.rows, table)
        befores = None if batch.before is None else batch.before.tolist()
        run.batch = batch
        with state.invocation.lock, state.invocation.in_use(), collection_paused():
            for place, (slot, row, time) in enumerate(zip(slots.tolist(), rows, times_of_rows, strict=True)):
                if befores is not None and befores[place] > run.context.watermark:
                    if state.waiting:
                        self._process_waiting([befores[place]], state, run)
                    else:
                        run.advance(befores[place])
                run.call(table, slot, row, time, place)
            run.flush()
        self._touch(state)

    def process_merged(self, parts: Mapping[int, pa.RecordBatch], owners: Slots, state: ProcessState, out: Output) -> None:
        """Calls the function for rows of several tables between which there is no watermark; ``owners`` is the table of each row in turn."""
        if len(parts) == 1:
            ((number, rows),) = parts.items()
            self.process(ChangeBatch(rows), number, state, out)
            return
        run = self._run(state, out, has_before=False)
        calls: dict[int, Iterator[tuple[ProcessInput, int, Any, int | None, int]]] = {}
        for number, rows in parts.items():
            table, batch = self._spec.inputs[number], ChangeBatch(rows)
            if table.order_by:
                self.process(batch, number, state, out)  # they wait for the watermark
                continue
            slots, values = self._slots(batch, table, state).tolist(), rows_of(batch, table, self._spec.function.name)
            calls[number] = zip(repeat(table), slots, values, self._times(rows, table), range(len(slots)), strict=False)
        with state.invocation.lock, state.invocation.in_use(), collection_paused():
            for number in owners.tolist():
                if number in calls:
                    run.call(*next(calls[number]))
            run.flush()
        self._touch(state)

    def _run(self, state: ProcessState, out: Output, *, has_before: bool) -> ProcessRun:
        context = state.call_context
        context.watermark = max(context.watermark, state.watermark)
        return ProcessRun(self._spec, state, out, has_before=has_before)

    def _slots(self, batch: ChangeBatch, table: ProcessInput, state: ProcessState) -> Slots:
        if state.keys is None:
            return np.zeros(batch.num_rows, np.int64)
        if not table.partition_by:
            state.prepare(1)
            return np.zeros(batch.num_rows, np.int64)
        slots = state.keys.find_or_insert(batch.columns(table.partition_by), batch.num_rows)
        state.prepare(state.keys.size)
        return slots

    def _times(self, rows: pa.RecordBatch, table: ProcessInput) -> Sequence[int | None]:
        if table.time < 0:
            return [None] * rows.num_rows
        times = milliseconds_of(rows.column(table.time)).tolist()
        return [None if time == NO_WATERMARK else time for time in times]

    @override
    def on_watermark(self, watermark: int, state: ProcessState, out: Output) -> None:
        if watermark <= state.call_context.watermark or not self._spec.has_keys:
            return
        run = self._run(state, out, has_before=True)
        if watermark <= run.context.watermark:
            return
        with state.invocation.lock, state.invocation.in_use():
            if state.waiting:
                passed = sorted(step for step in state.passed if run.context.watermark < step < watermark)
                state.passed.clear()
                self._process_waiting([*passed, watermark], state, run)
            else:
                run.advance(watermark)
            run.flush()
        self._touch(state)

    def _process_waiting(self, steps: Sequence[int], state: ProcessState, run: ProcessRun) -> None:
        """Gives the rows that watermarks have reached to the function, in their order, and fires timers in between; ``steps`` are the watermarks, ascending."""
        # Differs from Flink: timers fire between the rows, in the order of their times, so that the result does not depend on how far a watermark goes. Flink
        # fires them after all rows that a watermark has reached.
        found = self._take_waiting(steps[-1], state, run)
        at = 0
        for step in steps:
            while at < len(found) and found[at][0] <= step:
                time, _, place, slot, value, own, table = found[at]
                if self._spec.has_timers and state.timers.first_time < time:
                    before, run.context.watermark = run.context.watermark, step
                    run.fire(time - 1)
                    run.context.watermark = before
                run.call(table, slot, value, own, place)
                at += 1
            run.advance(step)

    def _take_waiting(
        self, watermark: int, state: ProcessState, run: ProcessRun
    ) -> list[tuple[int, int, int, int, Any, int | None, ProcessInput]]:
        """Removes the rows that a watermark has reached; returns for each its time, table, place, slot, values, ``on_time`` and table, in their order."""
        found: list[tuple[int, int, int, int, Any, int | None, ProcessInput]] = []
        for number, waiting in state.waiting.items():
            table = self._spec.inputs[number]
            ready = waiting.until(watermark)
            if not len(ready):
                continue
            rows = make_batch(waiting.take(ready), table.schema, len(ready))
            order = np.asarray(sort_indices(rows.columns, table.order_by))
            slots, times = waiting.slots_of(ready)[order].tolist(), waiting.times_of(ready)[order].tolist()
            ordered = rows.take(pa.array(order))
            batch = ChangeBatch(ordered)
            if self._spec.passes_through:  # then there is one table
                run.batch = batch
            values = rows_of(batch, table, self._spec.function.name)
            of_rows = self._times(ordered, table)
            found += [
                (time, number, place, slot, value, own, table)
                for place, (time, slot, value, own) in enumerate(zip(times, slots, values, of_rows, strict=True))
            ]
            if state.keys is not None:
                state.keys.touch(np.array(slots, np.int64))
            waiting.remove(ready)
        found.sort(key=lambda one: one[:3])
        return found

    def _touch(self, state: ProcessState) -> None:
        if state.touched_by_timers:
            if state.keys is not None:
                state.keys.touch(np.unique(np.array(state.touched_by_timers, np.int64)))
            state.touched_by_timers.clear()

    @override
    def next_due(self, state: ProcessState) -> int:
        first = state.timers.first_time
        return min([first, *(rows.first_time for rows in state.waiting.values())])

    @override
    def layout(self) -> Mapping[str, Any]:
        return {"states": [[entry.name, str(entry.extracted.type)] for entry in self._spec.signature.states]}
