"""Completes the changes of an upsert source: the state is the last row of each key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import concat_arrays, make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import DELETE, UPDATE_BEFORE, ChangeBatch, Truths
from table_runtime.streaming.changes.row_changes import RowChanges
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys, OutputDivision, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.row_values import RowValues
from table_runtime.streaming.state.state_table import StateTable, slot_rows


class LastRowState(OperatorState):
    """The last row of each key."""

    def __init__(self, context: ExecutionContext, operator: LastRowByKey) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots([operator.schema.field(i).type for i in operator.key])
        self.rows: Integers = np.full(1024, -1, np.int64)
        self.values = RowValues(operator.schema)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        self.rows = grown(self.rows, self.keys.size, -1)
        return {"rows": _LastRows(self)}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return self.rows[slots] >= 0


class _LastRows(StateTable):
    """The last row of each key."""

    def __init__(self, state: LastRowState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        return slot_rows(self._state.values.take(self._state.rows[slots]))

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        values = self._state.values
        start = values.size
        values.append(make_batch(content.columns[1:], values.schema, content.num_rows))
        self._state.rows[slots[content.column(0).to_numpy()]] = np.arange(start, values.size)


class LastRowByKey(ChangelogOperator[LastRowState]):
    """Emits the changes of each key's row: the first row is an insertion, later ones are updates, and deletions have all columns.

    UPDATE_BEFORE rows in the input are ignored, because the state has the last row. A row equal to the last row of its key emits nothing,
    unless ``repeats_unchanged``. A deletion of an unknown key is ignored and counted. With ``nets_batches`` each key emits at most one change
    per batch.
    """

    # Differs from Flink: a condition on columns beside the key of an upsert source is a filter after this operator, so a row that satisfies it no more is
    # retracted with UPDATE_BEFORE, as after any other operator. Flink evaluates the condition here, and emits DELETE. Sinks without UPDATE_BEFORE get DELETE.

    def __init__(
        self,
        schema: pa.Schema,
        key: Sequence[int],
        *,
        name: str,
        gives_before: bool,
        nets_batches: bool = False,
        repeats_unchanged: bool = False,
        text: str = "",
    ) -> None:
        super().__init__(schema)
        self.key = tuple(key)
        self._name = name
        self._gives_before = gives_before
        self._nets_batches = nets_batches
        self._repeats_unchanged = repeats_unchanged
        self._text = text

    @property
    @override
    def name(self) -> str:
        return self._name

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> LastRowState:
        return LastRowState(context, self)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self.key)

    @override
    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        return tuple(self.key) or GLOBAL

    @override
    def replaced_by(self, input_index: int) -> Sequence[int]:
        return self.key

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: LastRowState, out: Output) -> None:
        rows, kinds, watermarks = batch.rows, batch.kinds, batch.before
        if kinds is None:
            kinds = np.zeros(rows.num_rows, np.int8)
        elif (kinds == UPDATE_BEFORE).any():
            kept = np.flatnonzero(kinds != UPDATE_BEFORE)
            rows, kinds = rows.take(pa.array(kept)), kinds[kept]
            watermarks = None if watermarks is None else watermarks[kept]
        count = rows.num_rows
        if not count:
            return
        slots = state.keys.find_or_insert([rows.column(i) for i in self.key], count)
        state.rows = grown(state.rows, state.keys.size, -1)
        groups = SlotGroups(slots)
        before_rows = state.rows[groups.slots]
        old = state.values.take(before_rows)
        every = [concat_arrays([one, other], field.type) for one, other, field in zip(old, rows.columns, self.schema, strict=True)]
        # Positions in ``every``: first the rows of the groups before the batch, then the rows of the batch.
        shift = len(groups.slots)
        is_deletion = kinds == DELETE
        after = np.where(is_deletion, -1, np.arange(count) + shift)[groups.order]
        before = np.empty(count, np.int64)
        before[1:] = after[:-1]
        before[groups.starts] = np.where(before_rows >= 0, np.arange(shift), -1)
        state.metrics.ignored_retractions += int(((before < 0) & (after < 0)).sum())
        self._remember(state, groups, after, rows, shift)
        order = groups.order
        if self._nets_batches:
            order, before, after = order[groups.starts], before[groups.starts], after[groups.ends - 1]
        given = RowChanges(order, before, after).given(every, gives_before=self._gives_before, repeats_unchanged=self._repeats_unchanged)
        if len(given.rows):
            columns = [column.take(pa.array(given.positions)) for column in every]
            watermarks = None if watermarks is None else watermarks[given.rows]
            out(ChangeBatch(make_batch(columns, self.schema, len(given.rows)), given.kinds, watermarks))

    def _remember(self, state: LastRowState, groups: SlotGroups, after: Integers, rows: pa.RecordBatch, shift: int) -> None:
        last = after[groups.ends - 1]
        state.rows[groups.slots[last < 0]] = -1
        kept = last >= 0
        start = state.values.size
        state.values.append(rows.take(pa.array(last[kept] - shift)))
        state.rows[groups.slots[kept]] = np.arange(start, state.values.size)
        live = np.flatnonzero(state.rows[: state.keys.size] >= 0)
        if state.values.has_many_gone(len(live)):
            state.values.keep(state.rows[live])
            state.rows[live] = np.arange(len(live))
