"""The first or the last row of each key in the order of event time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK, milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch, Truths
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.operators.changelog_normalize import LastRowByKey, LastRowState
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.slot_numbers import SlotNumbers
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows


class FirstRowByTimeState(OperatorState):
    """The rows that wait for the watermark, and the keys whose first row was emitted."""

    def __init__(self, context: ExecutionContext, operator: FirstRowByTime) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots([operator.schema.field(i).type for i in operator.key])
        self.waiting = TimedRows(operator.schema)
        self.is_done = SlotNumbers(0)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        self.is_done.reserve(self.keys.size)
        return {"waiting": self.waiting, "done": self.is_done}

    @override
    def is_live(self, slots: Slots) -> Truths:
        self.is_done.reserve(self.keys.size)
        return self.waiting.has_rows(slots) | (self.is_done.values[slots] > 0)


class FirstRowByTime(ChangelogOperator[FirstRowByTimeState]):
    """Emits the row of each key with the least time, when the watermark reaches it; of equal times the first that came.

    Late rows, which come when the watermark has passed their time, are dropped and counted; as in Flink, a row of the watermark's own time is not late.
    It is late for readers, to which it comes behind that watermark.
    """

    emits_at_watermarks = True
    emits_late_rows = True

    def __init__(self, schema: pa.Schema, key: Sequence[int], time: int, text: str = "") -> None:
        super().__init__(schema)
        self.key = tuple(key)
        self._time = time
        self._text = text

    @property
    @override
    def name(self) -> str:
        return "Deduplicate"

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> FirstRowByTimeState:
        return FirstRowByTimeState(context, self)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self.key)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: FirstRowByTimeState, out: Output) -> None:
        times = milliseconds_of(batch.rows.column(self._time))
        batch, times = state.drop_late(batch, times, batch.is_behind(times + 1, state.watermark))
        ready = times + batch.is_behind(times, state.watermark)  # a row of the watermark's own time waits for the next watermark
        slots = state.keys.find_or_insert(batch.columns(self.key), batch.num_rows, writes=False)
        state.is_done.reserve(state.keys.size)
        wanted = np.flatnonzero(state.is_done.values[slots] == 0)
        state.keys.touch(slots[wanted])
        state.waiting.append(batch.rows.take(pa.array(wanted)), slots[wanted], ready[wanted], 0)

    @override
    def on_watermark(self, watermark: int, state: FirstRowByTimeState, out: Output) -> None:
        rows = state.waiting.until(watermark)
        if not len(rows):
            return
        ready = make_batch(state.waiting.take(rows), self.schema, len(rows))
        order = np.argsort(milliseconds_of(ready.column(self._time)), kind="stable")
        slots, first = np.unique(state.waiting.slots_of(rows)[order], return_index=True)
        out(ChangeBatch(ready.take(pa.array(order[np.sort(first)]))))
        state.is_done.values[slots] = 1
        state.keys.touch(slots)
        state.waiting.remove(state.waiting.of_slots(slots))


class LastRowTimes(LastRowState):
    """The last row of each key by time, and its time."""

    def __init__(self, context: ExecutionContext, operator: LastRowByKey) -> None:
        super().__init__(context, operator)
        self.times = SlotNumbers(NO_WATERMARK)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        self.times.reserve(self.keys.size)
        return {**super().tables(), "times": self.times}


class LastRowByTime(LastRowByKey):
    """Emits the changes of the row of each key with the greatest time; of equal times the last that came. No row is late."""

    def __init__(self, schema: pa.Schema, key: Sequence[int], time: int, **options: Any) -> None:
        super().__init__(schema, key, **options)
        self._time = time

    @override
    def create_state(self, context: ExecutionContext) -> LastRowState:
        return LastRowTimes(context, self)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: LastRowState, out: Output) -> None:
        assert isinstance(state, LastRowTimes)
        times = milliseconds_of(batch.rows.column(self._time))
        slots = state.keys.find_or_insert(batch.columns(self.key), batch.num_rows)
        state.times.reserve(state.keys.size)
        groups = SlotGroups(slots)
        # The greatest time so far within each group: times are ranked, so that one running maximum does not run from group to group.
        known = state.times.values[groups.slots]
        values, ranks = np.unique(np.concatenate([known, times[groups.order]]), return_inverse=True)
        of_group = np.repeat(np.arange(len(groups.slots)), groups.sizes)
        base = of_group * len(values)
        before = ranks[len(known) :] + base
        greatest = np.maximum.accumulate(np.maximum(before, ranks[: len(known)][of_group] + base))
        is_last = before >= greatest
        state.times.values[groups.slots] = values[greatest[groups.ends - 1] - base[groups.ends - 1]]
        super().process(batch.take(np.sort(groups.order[is_last])), input_index, state, out)
