"""Sorts the rows that are there when the input ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import BATCH_ROWS, cast_to_schema, make_batch
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch, Truths
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import SlotCounts, StateTable

_Counts = np.ndarray[Any, np.dtype[np.int64]]


class SortState(OperatorState):
    """How often each different row is there."""

    def __init__(self, context: ExecutionContext, types: Sequence[pa.DataType]) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots(types, tells_zeros_apart=True)
        self.bucket_columns: Sequence[int] = ()  # all rows belong together
        self.counts: _Counts = np.zeros(1024, np.int64)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        self.counts = grown(self.counts, self.keys.size)
        return {"counts": SlotCounts(self)}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return np.asarray(self.counts[slots] > 0)


class SortAtEnd(ChangelogOperator[SortState]):
    """Emits the rows that are there when the input ends, in the order of ``orders``; those with equal keys come in any order.

    A retraction of a row that is not there is ignored and counted.
    """

    def __init__(self, schema: pa.Schema, orders: Sequence[SortKey], text: str = "") -> None:
        super().__init__(schema)
        self._orders = tuple(orders)
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> SortState:
        return SortState(context, self.schema.types)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return GLOBAL

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: SortState, out: Output) -> None:
        groups = SlotGroups(state.keys.find_or_insert(cast_to_schema(batch.rows, self.schema).columns, batch.num_rows))
        state.counts = grown(state.counts, state.keys.size)
        running = running_counts(batch.signs[groups.order], np.repeat(state.counts[groups.slots], groups.sizes), groups)
        state.counts[groups.slots] = running.after[groups.ends - 1]
        state.metrics.ignored_retractions += running.ignored

    @override
    def end_of_input(self, input_index: int, state: SortState, out: Output) -> None:
        slots = np.flatnonzero(state.counts[: state.keys.size])
        columns = state.keys.keys(slots)
        order = np.asarray(sort_indices(columns, self._orders)).astype(np.int64) if len(slots) else slots
        order = np.repeat(order, state.counts[slots][order])
        for start in range(0, len(order), BATCH_ROWS):
            state.context.check()
            rows = pa.array(order[start : start + BATCH_ROWS])
            out(ChangeBatch(make_batch([column.take(rows) for column in columns], self.schema, len(rows))))
        state.counts[slots] = 0  # so that a job which resumes after its end does not emit them again
        state.keys.touch(slots)
