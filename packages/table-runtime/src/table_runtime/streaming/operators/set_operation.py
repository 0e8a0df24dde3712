"""DISTINCT, UNION, INTERSECT and EXCEPT, with and without ALL: the state is the count of each row per input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import cast_to_schema, make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import DELETE, INSERT, ChangeBatch, Truths
from table_runtime.streaming.changes.running_counts import RunningCounts, running_counts
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys, RowKeys
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.retractions_by_key import RetractionsByKey
from table_runtime.streaming.state.state_table import StateTable, slot_rows

_Counts = np.ndarray[Any, np.dtype[np.int64]]


class SetState(OperatorState):
    """The count of each distinct row per input."""

    def __init__(self, context: ExecutionContext, types: list[pa.DataType], input_keys: Sequence[Sequence[int] | None]) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots(types)
        self.counts: _Counts = np.zeros((len(input_keys), 1024), np.int64)
        self.by_key = [None if key is None else RetractionsByKey(self.keys, key) for key in input_keys]

    @override
    def tables(self) -> Mapping[str, StateTable]:
        self.counts = grown(self.counts, self.keys.size)
        return {"counts": _RowCounts(self)}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return np.asarray(self.counts[:, slots].any(axis=0))


class _RowCounts(StateTable):
    """The count of each row per input, as a state table."""

    def __init__(self, state: SetState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        return slot_rows([pa.array(counts[slots]) for counts in self._state.counts])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        at = slots[content.column(0).to_numpy()]
        for counts, column in zip(self._state.counts, content.columns[1:], strict=True):
            counts[at] = column.to_numpy()


class SetOperation(ChangelogOperator[SetState]):
    """Emits the result of a set operation on distinct rows, or with ``keeps_duplicates`` on multisets (ALL).

    NULLs are equal to each other. A retraction of a row that the input does not contain takes back the row with its key, for inputs with a
    key in ``input_keys``; otherwise it is ignored.
    """

    def __init__(
        self, schema: pa.Schema, inputs: int, kind: str, *, keeps_duplicates: bool, input_keys: Sequence[Sequence[int] | None] | None = None
    ) -> None:
        super().__init__(schema)
        self._inputs = inputs
        self._input_keys = [None] * inputs if input_keys is None else list(input_keys)
        self._kind = kind
        self._keeps_duplicates = keeps_duplicates

    @property
    @override
    def name(self) -> str:
        return "Distinct" if self._inputs == 1 else self._kind

    @override
    def details(self) -> str:
        return f"fields=[{', '.join(self.schema.names)}]" if self._inputs == 1 else f"all=[{str(self._keeps_duplicates).lower()}]"

    @override
    def create_state(self, context: ExecutionContext) -> SetState:
        return SetState(context, self.schema.types, self._input_keys)

    finds_rows_by_key = True

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return RowKeys(self.schema) if self.schema.names else GLOBAL

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: SetState, out: Output) -> None:
        rows = cast_to_schema(batch.rows, self.schema)
        slots = state.keys.find_or_insert(rows.columns, rows.num_rows)
        groups, before, own = self._counted(slots, batch, input_index, state)
        by_key = state.by_key[input_index]
        if by_key is not None:
            is_there = np.empty(len(slots), np.bool_)
            is_there[groups.order] = (batch.signs[groups.order] > 0) | (own.before > 0)
            completed = by_key.completed(ChangeBatch(rows, batch.kinds), slots, is_there, state.counts[input_index].take)
            if completed is not None:
                batch, rows = completed, completed.rows
                slots = state.keys.find_or_insert(rows.columns, rows.num_rows)
                groups, before, own = self._counted(slots, batch, input_index, state)
        after = before.copy()
        before[input_index, :], after[input_index, :] = own.before, own.after
        state.counts[input_index, groups.slots] = own.after[groups.ends - 1]
        state.metrics.ignored_retractions += own.ignored
        given = np.empty(len(slots), np.int64)
        given[groups.order] = self._multiplicity(after) - self._multiplicity(before)
        positions = np.flatnonzero(given)
        if not len(positions):
            return
        repeated = np.repeat(positions, np.abs(given[positions]))
        kinds = np.where(given[repeated] > 0, INSERT, DELETE).astype(np.int8)
        columns = [column.take(pa.array(repeated)) for column in state.keys.as_kept(rows.columns, slots)]
        out(ChangeBatch(make_batch(columns, self.schema, len(repeated)), kinds))

    def _counted(self, slots: Slots, batch: ChangeBatch, input_index: int, state: SetState) -> tuple[SlotGroups, _Counts, RunningCounts]:
        """Returns the changes by row, the counts in all inputs before the batch, and those in its input before and after each change."""
        state.counts = grown(state.counts, state.keys.size)
        groups = SlotGroups(slots)
        before = np.repeat(state.counts[:, groups.slots], groups.sizes, axis=1)
        return groups, before, running_counts(batch.signs[groups.order], before[input_index], groups)

    def _multiplicity(self, counts: _Counts) -> _Counts:
        """Returns the count of each row in the result, from its counts in the inputs."""
        if not self._keeps_duplicates:
            counts = np.minimum(counts, 1)
        if self._kind == "Intersect":
            return np.asarray(counts.min(axis=0))
        if self._kind == "Minus":
            return np.asarray(np.maximum(counts[0] - counts[1:].sum(axis=0), 0))
        return np.asarray(np.minimum(counts.sum(axis=0), 1))
