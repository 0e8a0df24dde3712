"""Materializes rows by the sink's primary key, for queries with another upsert key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.columns.batches import make_batch
from table_runtime.columns.plain_types import to_plain
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_AFTER, ChangeBatch, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys, OutputDivision, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.retractions_by_key import CountedRows
from table_runtime.streaming.state.row_values import RowValues
from table_runtime.streaming.state.state_table import StateTable, content_of


class SinkMaterializeState(OperatorState):
    """The rows of each key in order of arrival: their identities, and their numbers in ``values``.

    ``numbers`` holds the order of arrival of the keys.
    """

    def __init__(self, context: ExecutionContext, operator: SinkMaterialize) -> None:
        super().__init__(context)
        self.schema = operator.schema
        self._input_key = operator.input_key
        self._waits = operator.waits
        self.keys: KeySlots = KeySlots([self.schema.field(i).type for i in operator.key])
        self.lists: dict[int, tuple[list[int], list[int]]] = {}
        self.numbers: dict[int, int] = {}
        self.next_number = 0
        self.rows = 0
        self.reset()

    def reset(self) -> None:
        """Clears the values of all rows."""
        self.counted = CountedRows(self.schema, self._input_key)
        self.values = RowValues(self.schema)

    def number(self, batch: ChangeBatch) -> tuple[ChangeBatch, list[int], int]:
        """Stores the values of some rows; returns them, with all values of those that are retracted by their key, their identities, and the number of the first row."""
        start = int(self.values.size)
        batch, identities = self.counted.apply(batch)
        self.values.append(batch.rows)
        return batch, identities.tolist(), start

    @override
    def set_time(self, now: int, retentions: Sequence[int]) -> None:
        # Differs from Flink: rows that are emitted at the end of the input do not expire before they are written (upsert materialization).
        super().set_time(now, (0,) if self._waits else retentions)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"rows": _KeyRows(self)}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return np.array([slot in self.lists for slot in slots.tolist()], np.bool_)

    def begin(self, slot: int) -> tuple[list[int], list[int]]:
        """Adds a key without rows; returns its lists."""
        self.numbers[slot] = self.next_number
        self.next_number += 1
        self.lists[slot] = [], []
        return self.lists[slot]

    def in_order(self) -> list[list[int]]:
        """Returns the rows of each key; keys are in order of arrival."""
        return [self.lists[slot][1] for slot in sorted(self.lists, key=self.numbers.__getitem__)]

    def remove_gone(self) -> None:
        """Removes the values of retracted rows."""
        kept = make_batch(self.take([number for _, numbers in self.lists.values() for number in numbers]), self.schema, self.rows)
        self.reset()
        _, identities, start = self.number(ChangeBatch(kept))
        for slot, (_, numbers) in self.lists.items():
            end = start + len(numbers)
            self.lists[slot] = identities[start:end], list(range(start, end))
            start = end

    def take(self, numbers: Sequence[int]) -> list[pa.Array]:
        """Returns the columns of some rows."""
        return self.values.take(np.array(numbers, np.int64))


class _KeyRows(StateTable):
    """The number of each key, and its rows in order, as a state table."""

    def __init__(self, state: SinkMaterializeState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        state = self._state
        lists = [state.lists[slot][1] for slot in slots.tolist()]
        sizes = [len(rows) for rows in lists]
        numbers = np.repeat(np.array([state.numbers[slot] for slot in slots.tolist()], np.int64), sizes)
        rows = state.take([row for rows in lists for row in rows])
        return content_of(pa.array(np.repeat(np.arange(len(slots)), sizes)), [pa.array(numbers), *rows])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        state = self._state
        _, identities, start = state.number(ChangeBatch(make_batch(content.columns[2:], state.schema, content.num_rows)))
        owners, numbers = slots[content.column(0).to_numpy()].tolist(), content.column(1).to_pylist()
        for row, (slot, number, identity) in enumerate(zip(owners, numbers, identities, strict=True), start):
            known, rows = state.lists.setdefault(slot, ([], []))
            known.append(identity)
            rows.append(row)
            state.numbers[slot] = number
        state.next_number = max([state.next_number, *(number + 1 for number in numbers)])
        state.rows += content.num_rows


class SinkMaterialize(ChangelogOperator[SinkMaterializeState]):
    """Emits one row per primary key: the last. If that row is retracted, the row before it is emitted again.

    With ``conflict`` NOTHING or ERROR rows are emitted at the end of the input: the first row of each key, or an error if a key has several.
    A retraction of a row that does not exist takes back the row with its ``input_key``, if the input has a key; otherwise it is ignored and counted.

    Source: Flink's ``org.apache.flink.table.runtime.operators.sink.SinkUpsertMaterializer``.
    """

    def __init__(
        self, schema: pa.Schema, key: Sequence[int], *, table: str, conflict: str | None = None, input_key: Sequence[int] | None = None
    ) -> None:
        super().__init__(schema)
        self.key = tuple(key)
        self.input_key = input_key
        self._table = table
        self._conflict = conflict

    @override
    def details(self) -> str:
        text = f"key=[{', '.join(self.schema.field(i).name for i in self.key)}]"
        return text if self._conflict is None else f"{text}, conflict=[{self._conflict}]"

    @property
    def waits(self) -> bool:
        """Whether rows are emitted only at the end of the input."""
        return self._conflict in ("ERROR", "NOTHING")

    @override
    def create_state(self, context: ExecutionContext) -> SinkMaterializeState:
        return SinkMaterializeState(context, self)

    finds_rows_by_key = True

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self.key)

    @override
    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        return tuple(self.key) or GLOBAL

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: SinkMaterializeState, out: Output) -> None:
        count = batch.num_rows
        batch, identities, start = state.number(batch)
        slots = state.keys.find_or_insert(batch.columns(self.key), count).tolist()
        numbers: list[int] = []
        kinds: list[int] = []
        for position, (slot, identity, sign) in enumerate(zip(slots, identities, batch.signs.tolist(), strict=True)):
            if not position & 0xFFF:
                state.context.check()
            there = state.lists.get(slot)
            given: tuple[int, int] | None
            if sign > 0:
                given = self._add(state, slot, identity, start + position)
            elif there is None or identity not in there[0]:
                state.metrics.ignored_retractions += 1
                continue
            else:
                given = self._remove(state, slot, identity)
            if given is not None and not self.waits:
                numbers.append(given[0])
                kinds.append(given[1])
        self._give(state, numbers, kinds, out)
        if state.values.has_many_gone(state.rows):
            state.remove_gone()

    def _add(self, state: SinkMaterializeState, slot: int, identity: int, number: int) -> tuple[int, int]:
        state.rows += 1
        there = state.lists.get(slot)
        if there is None:
            there = state.begin(slot)
            there[0].append(identity)
            there[1].append(number)
            return number, INSERT
        there[0].append(identity)
        there[1].append(number)
        return number, UPDATE_AFTER

    def _remove(self, state: SinkMaterializeState, slot: int, identity: int) -> tuple[int, int] | None:
        state.rows -= 1
        identities, numbers = state.lists[slot]
        place = identities.index(identity)
        del identities[place]
        removed = numbers.pop(place)
        if not numbers:
            del state.lists[slot], state.numbers[slot]
            return removed, DELETE
        return (numbers[-1], UPDATE_AFTER) if place == len(numbers) else None

    @override
    def end_of_input(self, input_index: int, state: SinkMaterializeState, out: Output) -> None:
        if not self.waits:
            return
        if self._conflict == "ERROR":
            self._refuse_conflicts(state)
        self._give(state, [numbers[0] for numbers in state.in_order()], [INSERT] * len(state.lists), out)

    def _refuse_conflicts(self, state: SinkMaterializeState) -> None:
        several = next((numbers for numbers in state.in_order() if len(numbers) > 1), None)
        if several is None:
            return
        columns = state.take(several[:1])
        key = ", ".join(f"{self.schema.field(i).name} = {to_plain(columns[i][0]).as_py()!r}" for i in self.key)
        raise TableRuntimeException(
            f"The query returns {len(several)} rows with the same primary key ({key}) of table {self._table}, which ON CONFLICT DO ERROR refuses.",
            hint="ON CONFLICT DO DEDUPLICATE writes the last of them, ON CONFLICT DO NOTHING the first.",
        )

    def _give(self, state: SinkMaterializeState, numbers: Sequence[int], kinds: Sequence[int], out: Output) -> None:
        if numbers:
            out(ChangeBatch(make_batch(state.take(numbers), self.schema, len(numbers)), np.array(kinds, np.int8)))
