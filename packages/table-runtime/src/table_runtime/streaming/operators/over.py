"""OVER windows in the order of time: each row with the results over the rows before it."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from enum import Enum

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK, milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch, Times, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.over.calls import AnyCalls, CallState, OverRows
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.row_lists import Rows
from table_runtime.streaming.state.slot_numbers import SlotNumbers
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows


class Lateness(Enum):
    """Which rows with times before the watermark are late, as in Flink."""

    BEHIND_WATERMARK = 0
    """All rows: frames without bound."""
    BEHIND_PARTITION = 1
    """Rows that are not later than the last emitted row of their partition: frames of a number of rows, or of a length of time."""
    # Differs from Flink: LAG, RANK and DENSE_RANK of rows with the same time count the rows before each. Flink adds all rows of this time before it computes
    # the result, so that LAG can return the row's own value, and two rows of rank 4 have rank 5.
    # Differs from Flink: for a frame of a length of time, Flink forgets a partition when its rows are one and a half lengths behind the watermark,
    # and then takes rows of any time, with frames that lack the rows before.
    # Differs from Flink: rows whose time is before 1970 have results. Flink drops the first ones of a partition from frames of a number of rows, or of a
    # length of time, because it takes 1970 for the time of the last row that was emitted.


class OverState(OperatorState):
    """The rows that wait for a watermark, the time of the last row of each partition that was emitted, and the state of the calls.

    A row waits with the least watermark at which it is emitted as its time, and with its own time as its note.
    """

    def __init__(self, context: ExecutionContext, operator: Over) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots([operator.input_schema.field(i).type for i in operator.partition_by])
        self.waiting = TimedRows(operator.input_schema)
        self.emitted = SlotNumbers(NO_WATERMARK)
        self.calls: list[CallState] = [calls.create_state(context, self.keys) for calls in operator.calls]

    @override
    def tables(self) -> Mapping[str, StateTable]:
        self.emitted.reserve(max(self.keys.size, 1))
        tables: dict[str, StateTable] = {"waiting": self.waiting, "emitted": self.emitted}
        for number, calls in enumerate(self.calls):
            tables |= {f"calls{number}_{name}": table for name, table in calls.tables().items()}
        return tables


class Over(ChangelogOperator[OverState]):
    """Adds the results of calls to each row, when the watermark reaches its time; without ``time``, in the order of arrival, at once.

    Rows with equal partition keys form a partition. Rows that come when the watermark has reached their time are late: they are dropped and counted.
    ``lateness`` says which of them are not late all the same.
    """

    emits_at_watermarks = True

    def __init__(
        self,
        schema: pa.Schema,
        input_schema: pa.Schema,
        partition_by: Sequence[int],
        time: int | None,
        calls: Sequence[AnyCalls],
        *,
        lateness: Lateness = Lateness.BEHIND_WATERMARK,
        text: str = "",
    ) -> None:
        super().__init__(schema)
        self.input_schema = input_schema
        self.partition_by = tuple(partition_by)
        self.calls = tuple(calls)
        self._time = time
        self._lateness = lateness
        self._text = text

    @property
    @override
    def emits_late_rows(self) -> bool:  # type: ignore[override]  # an attribute of other operators
        return self._lateness is not Lateness.BEHIND_WATERMARK

    @property
    @override
    def name(self) -> str:
        return "OverAggregate"

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> OverState:
        return OverState(context, self)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self.partition_by)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OverState, out: Output) -> None:
        rows = batch.num_rows
        if self._time is None:
            slots = self._slots(batch, state)
            self._evaluate(batch.rows, slots, np.full(rows, state.processing_time), np.arange(rows), state, out)
            return
        times = milliseconds_of(batch.rows.column(self._time))
        is_late = batch.is_behind(times, state.watermark)
        if self._lateness is not Lateness.BEHIND_WATERMARK and is_late.any():
            is_late = self._is_behind(self._slots(batch, state), times, batch.watermarks(state.watermark), is_late, state)
        batch, times = state.drop_late(batch, times, is_late)
        # A row that comes behind the watermark waits for the next one.
        due = np.maximum(times, batch.watermarks(state.watermark) + 1)
        state.waiting.append(batch.rows, self._slots(batch, state), due, times)

    def _slots(self, batch: ChangeBatch, state: OverState) -> Slots:
        if not self.partition_by:
            return np.zeros(batch.num_rows, np.int64)
        return state.keys.find_or_insert(batch.columns(self.partition_by), batch.num_rows)

    def _is_behind(self, slots: Slots, times: Times, before: Times, is_late: Truths, state: OverState) -> Truths:
        """Returns which rows do not come after the last row of their partition that was emitted by then."""
        result = np.zeros(len(times), np.bool_)
        state.emitted.reserve(max(state.keys.size, 1))
        for slot in np.unique(slots[is_late]).tolist():
            state.context.check()
            emitted = int(state.emitted.values[slot])
            kept = state.waiting.of_slots(np.array([slot]))
            waiting = list(zip(state.waiting.times_of(kept).tolist(), state.waiting.notes_of(kept).tolist(), strict=True))
            heapq.heapify(waiting)
            for row in np.flatnonzero(slots == slot).tolist():
                time, watermark = int(times[row]), int(before[row])
                while waiting and waiting[0][0] <= watermark:
                    emitted = max(emitted, heapq.heappop(waiting)[1])
                if time <= emitted:
                    result[row] = True
                else:
                    heapq.heappush(waiting, (max(time, watermark + 1), time))
        return result

    @override
    def on_watermark(self, watermark: int, state: OverState, out: Output) -> None:
        numbers = state.waiting.until(watermark)
        if not len(numbers):
            return
        slots, times = state.waiting.slots_of(numbers), state.waiting.notes_of(numbers)
        due = state.waiting.times_of(numbers)
        batch = make_batch(state.waiting.take(numbers), self.input_schema, len(numbers))
        state.emitted.reserve(max(state.keys.size, 1))
        np.maximum.at(state.emitted.values, slots, times)
        state.waiting.remove(numbers)
        if self.partition_by:
            state.keys.touch(slots)
        self._evaluate(batch, slots, times, self._output_order(batch, times, due), state, out)

    def _output_order(self, batch: pa.RecordBatch, times: Times, due: Times) -> Rows:
        """Returns the order in which rows are emitted; ``due`` are the least watermarks at which they may be."""
        return np.lexsort((times, due))

    def _evaluate(self, batch: pa.RecordBatch, slots: Slots, times: Times, output_order: Rows, state: OverState, out: Output) -> None:
        order = np.lexsort((times, slots))
        rows = OverRows(batch.take(pa.array(order)), slots[order], times[order], has_peers=self._time is not None)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        results: dict[int, pa.Array] = {}
        for calls, of_calls in zip(self.calls, state.calls, strict=True):
            results.update(zip(calls.columns, calls.results(rows, of_calls), strict=True))
        arrays = [*rows.rows.columns, *(results[number] for number in range(len(results)))]
        out(ChangeBatch(make_batch(arrays, self.schema, len(order)).take(pa.array(place[output_order]))))
