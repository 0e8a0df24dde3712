"""The first row of each partition of an insert-only input: ROW_NUMBER of 1, on arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import INSERT, UPDATE_AFTER, UPDATE_BEFORE, ChangeBatch, Truths
from table_runtime.streaming.changes.order_words import has_order_words, order_words
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys, OutputDivision, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.row_values import RowValues
from table_runtime.streaming.state.state_table import StateTable, content_of

_NO_ROW = -1

_Words = list[Integers]
"""Order keys as numbers, of which the first that differ decide."""


class TopRowState(OperatorState):
    """The number and the order key of the first row of each partition, and the values of these rows."""

    def __init__(self, context: ExecutionContext, operator: TopRow) -> None:
        super().__init__(context)
        schema = operator.schema
        self.keys: KeySlots = KeySlots([schema.field(i).type for i in operator.partition])
        self.values = RowValues(schema)
        self.orders = operator.orders
        self.live = 0
        self.rows: Integers = np.full(1024, _NO_ROW)
        self.words: _Words = [np.zeros(1024, np.int64) for _ in range(2 * len(self.orders))]

    def reserve(self, size: int) -> None:
        """Makes room for the slots below ``size``."""
        self.rows = grown(self.rows, size, _NO_ROW)
        self.words = [grown(words, size) for words in self.words]

    def set(self, slots: Slots, rows: Integers, words: _Words) -> None:
        """Sets the first rows of some partitions."""
        self.rows[slots] = rows
        for column, values in zip(self.words, words, strict=True):
            column[slots] = values

    def compact(self) -> None:
        """Removes the values of rows that are not the first ones any more."""
        slots = np.flatnonzero(self.rows != _NO_ROW)
        self.values.keep(self.rows[slots])
        self.rows[slots] = np.arange(len(slots))

    @override
    def tables(self) -> Mapping[str, StateTable]:
        self.reserve(self.keys.size)
        return {"rows": _TopRows(self)}

    @override
    def is_live(self, slots: Slots) -> Truths:
        self.reserve(int(slots.max(initial=0)) + 1)
        return np.asarray(self.rows[slots] != _NO_ROW)


class _TopRows(StateTable):
    """The first rows, in the layout of the rows of a ``Rank``: whether the row is found by an upsert key, and its columns."""

    def __init__(self, state: TopRowState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        places = np.flatnonzero(self._state.is_live(slots))
        found = pa.array(np.zeros(len(places), np.bool_))
        return content_of(pa.array(places), [found, *self._state.values.take(self._state.rows[slots[places]])])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        state = self._state
        rows = make_batch(content.columns[2:], state.values.schema, content.num_rows)
        owners = slots[content.column(0).to_numpy()]
        state.reserve(int(owners.max(initial=0)) + 1)
        state.set(owners, np.arange(state.values.size, state.values.size + rows.num_rows), _words(rows, state.orders))
        state.values.append(rows)
        state.live += rows.num_rows


class TopRow(ChangelogOperator[TopRowState]):
    """Gives the first row of each partition, which is updated when a row comes that stands before it; rows with equal order keys stay in their order.

    Does what ``Rank`` does for ROW_NUMBER from 1 to 1 without the rank as a column, where all order keys can be compared as numbers (see ``supports``).
    """

    def __init__(
        self, schema: pa.Schema, partition: Sequence[int], orders: Sequence[SortKey], *, gives_before: bool = True, text: str = ""
    ) -> None:
        super().__init__(schema)
        self.partition = tuple(partition)
        self.orders = tuple(orders)
        self._gives_before = gives_before
        self._text = text

    @staticmethod
    def supports(schema: pa.Schema, orders: Sequence[SortKey]) -> bool:
        """Whether rows can be compared by these order keys."""
        return bool(orders) and all(has_order_words(schema.field(order.column).type) for order in orders)

    @property
    @override
    def name(self) -> str:
        return "Rank"

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> TopRowState:
        return TopRowState(context, self)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self.partition)

    @override
    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        return tuple(self.partition) or GLOBAL

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: TopRowState, out: Output) -> None:
        rows = batch.rows
        slots = state.keys.find_or_insert(batch.columns(self.partition), len(rows)) if self.partition else np.zeros(len(rows), np.int64)
        state.reserve(int(slots.max(initial=0)) + 1)
        words = _words(rows, self.orders)
        may_lead = (state.rows[slots] == _NO_ROW) | _is_less(words, [column[slots] for column in state.words])
        positions = np.flatnonzero(may_lead)
        if not len(positions):
            return
        groups = SlotGroups(slots[positions])
        positions = positions[groups.order]
        leads = _is_new_minimum([column[positions] for column in words], groups)
        positions = positions[leads]  # by partition, then as they came
        owners = slots[positions]
        in_order = np.argsort(positions)
        numbers = np.empty(len(positions), np.int64)
        numbers[in_order] = np.arange(state.values.size, state.values.size + len(positions))
        is_last = np.append(owners[1:] != owners[:-1], True)
        before = np.empty(len(positions), np.int64)
        before[1:] = numbers[:-1]
        is_first = np.append(True, is_last[:-1])
        before[is_first] = state.rows[owners[is_first]]
        last = np.flatnonzero(is_last)
        state.set(owners[last], numbers[last], [column[positions[last]] for column in words])
        state.values.append(rows.take(pa.array(positions[in_order])))
        state.live += int((before == _NO_ROW).sum())
        self._give(before[in_order], numbers[in_order], state, out)
        if state.values.has_many_gone(state.live):
            state.compact()

    def _give(self, before: Integers, after: Integers, state: TopRowState, out: Output) -> None:
        changes = np.stack([before, after], axis=1)
        kinds = np.empty(changes.shape, np.int8)
        kinds[:, 0] = UPDATE_BEFORE
        kinds[:, 1] = np.where(before == _NO_ROW, INSERT, UPDATE_AFTER)
        is_given = changes != _NO_ROW
        if not self._gives_before:
            is_given[:, 0] = False
        rows = changes[is_given]
        out(ChangeBatch(make_batch(state.values.take(rows), self.schema, len(rows)), kinds[is_given]))


def _words(rows: pa.RecordBatch, orders: Sequence[SortKey]) -> _Words:
    """Returns two numbers for each order key of each row: where a NULL stands, and the value."""
    words: _Words = []
    for order in orders:
        values = rows.column(order.column)
        words.append(np.zeros(len(values), np.int64))
        if values.null_count:
            words[-1][values.is_null().to_numpy(zero_copy_only=False)] = -1 if order.nulls_first else 1
        words.append(order_words(values, order))
    return words


def _is_less(left: _Words, right: _Words) -> Truths:
    """Returns which of some order keys stand before others."""
    is_less = np.zeros(len(left[0]), np.bool_)
    is_equal: np.ndarray[Any, np.dtype[np.bool_]] = ~is_less
    for one, other in zip(left, right, strict=True):
        is_less |= is_equal & (one < other)
        is_equal &= one == other
    return is_less


def _is_new_minimum(words: _Words, groups: SlotGroups) -> Truths:
    """Returns which rows, sorted by group, stand before all earlier ones of their group."""
    count = len(groups.order)
    if len(groups.starts) == count:
        return np.ones(count, np.bool_)
    order = np.lexsort(words[::-1])
    differs = np.zeros(count, np.bool_)
    for column in words:
        ordered = column[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    ranks = np.empty(count, np.int64)
    ranks[order] = np.cumsum(differs)
    ranks -= np.repeat(np.arange(len(groups.starts)) * count, groups.sizes)  # each group is below those before it
    least = np.minimum.accumulate(ranks)
    result = np.ones(count, np.bool_)
    result[1:] = ranks[1:] < least[:-1]
    return result
