"""OVER windows whose results change: each change of the input emits what it does to the results of the rows around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import concat_arrays, make_batch, rechunk
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, ChangeBatch, Truths
from table_runtime.streaming.changes.equal_values import equal_values
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.operators.stateless import BatchInput
from table_runtime.streaming.over.versions import VersionChange, Versions
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.retractions_by_key import CountedRows
from table_runtime.streaming.state.row_lists import Rows
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows

MOST_ROWS = 1 << 18
"""Number of rows of versions that are evaluated at once, besides the rows of the partitions before."""


class UpdatingOverState(OperatorState):
    """The rows of each partition, in the order in which they came."""

    def __init__(self, context: ExecutionContext, operator: UpdatingOver) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots([operator.input_schema.field(i).type for i in operator.partition_by])
        self.rows = TimedRows(operator.input_schema)
        self.counted: CountedRows | None = None
        """The rows by their key, from the first retraction on that equals no row."""

    def count_rows(self, key: Sequence[int]) -> CountedRows:
        """Counts the rows that are there."""
        self.counted = CountedRows(self.rows.schema, key)
        kept = self.rows.rows()
        self.counted.apply(ChangeBatch(make_batch(self.rows.take(kept), self.rows.schema, len(kept))))
        return self.counted

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"rows": self.rows}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return self.rows.has_rows(slots)


class UpdatingOver(ChangelogOperator[UpdatingOverState]):
    """Adds the results of calls to each row at once, and updates the rows whose results change when another row comes or goes.

    Rows with equal order keys are in the order in which they came. Changes are emitted in the order of the rows of the partition, those of one
    change of the input together. A row that is retracted is deleted; the first of equal rows goes. The retraction of a row that is not there
    takes back the row with its ``key``, if the input has a key; otherwise it is ignored and counted.

    ``root`` evaluates the calls over the rows of ``leaf``, which are those of the input with the number of a version of a partition as last
    column; equal numbers are one partition. ``looks_back`` says that a row does not change the results of the rows before it,
    ``has_peers`` that it changes those of rows with an equal order key.
    """

    def __init__(
        self,
        schema: pa.Schema,
        input_schema: pa.Schema,
        partition_by: Sequence[int],
        order_by: Sequence[SortKey],
        root: Operator,
        leaf: BatchInput,
        *,
        looks_back: bool,
        has_peers: bool,
        has_retractions: bool,
        gives_before: bool,
        key: Sequence[int] | None = None,
        text: str = "",
    ) -> None:
        super().__init__(schema)
        self.input_schema = input_schema
        self.partition_by = tuple(partition_by)
        self._key = key if has_retractions else None
        self._order_by = tuple(order_by)
        self._root = root
        self._leaf = leaf
        self._looks_back = looks_back
        self._has_peers = has_peers
        self._has_retractions = has_retractions
        self._gives_before = gives_before
        self._text = text

    @property
    @override
    def name(self) -> str:
        return "OverAggregate"

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> UpdatingOverState:
        return UpdatingOverState(context, self)

    finds_rows_by_key = True

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self.partition_by)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: UpdatingOverState, out: Output) -> None:
        if state.counted is not None:
            batch, _ = state.counted.apply(batch)
        new, kept, rows = self._read(batch, state)
        identities = self._identities(rows)
        if self._key is not None and state.counted is None and not _are_there(identities, batch.signs):
            batch, _ = state.count_rows(self._key).apply(batch)
            new, kept, rows = self._read(batch, state)
            identities = self._identities(rows)
        count, known = batch.num_rows, len(kept)
        slots = np.concatenate([state.rows.slots_of(kept), new])
        ranks = self._ranks(rows)
        if not self._has_retractions:
            identities = ranks
        versions = Versions(slots[:known], ranks, identities, looks_back=self._looks_back, has_peers=self._has_peers)
        adds = batch.signs > 0
        is_there = np.ones(known + count, np.bool_)
        for change, (slot, is_added) in enumerate(zip(new.tolist(), adds.tolist(), strict=True)):
            if is_added:
                versions.add(slot, known + change, change)
            else:
                is_there[known + change] = False
                removed = versions.remove(slot, known + change, change)
                if removed is None:
                    state.metrics.ignored_retractions += 1
                else:
                    is_there[removed] = False
            if versions.size >= MOST_ROWS:
                state.context.check()
                self._emit(versions, rows, batch, state, out)
        self._emit(versions, rows, batch, state, out)
        state.rows.remove(kept[~is_there[:known]])
        still = np.flatnonzero(is_there[known:])
        state.rows.append(batch.rows.take(pa.array(still)), new[still], np.zeros(len(still), np.int64), 0)

    def _read(self, batch: ChangeBatch, state: UpdatingOverState) -> tuple[Slots, Rows, pa.RecordBatch]:
        """Returns the partitions of the rows of a batch, the rows that are there of these partitions, and the values of these and those."""
        count = batch.num_rows
        new = state.keys.find_or_insert(batch.columns(self.partition_by), count) if self.partition_by else np.zeros(count, np.int64)
        kept = state.rows.of_slots(np.unique(new))
        columns = zip(state.rows.take(kept), batch.rows.columns, self.input_schema, strict=True)
        arrays = [concat_arrays([old, added], field.type) for old, added, field in columns]
        return new, kept, make_batch(arrays, self.input_schema, len(kept) + count)

    def _identities(self, rows: pa.RecordBatch) -> Slots:
        """Returns equal numbers for equal rows, if rows are retracted."""
        if not self._has_retractions:
            return np.zeros(0, np.int64)
        return KeySlots(self.input_schema.types, tells_zeros_apart=True).find_or_insert(rows.columns, rows.num_rows)

    def _ranks(self, rows: pa.RecordBatch) -> Rows:
        """Returns a number for each row, in the order of the order keys; equal for rows with equal keys."""
        result = np.zeros(len(rows), np.int64)
        if not self._order_by or not len(rows):
            return result
        order = np.asarray(sort_indices(rows.columns, self._order_by)).astype(np.int64)
        is_new = np.zeros(len(rows), np.bool_)
        for key in self._order_by:
            values = rows.column(key.column).take(pa.array(order))
            is_new[1:] |= ~equal_values(values[1:], values[:-1])
        result[order] = np.cumsum(is_new)
        return result

    def _emit(self, versions: Versions, rows: pa.RecordBatch, batch: ChangeBatch, state: UpdatingOverState, out: Output) -> None:
        """Evaluates the versions so far, and emits the changes between them."""
        numbers, positions, steps = versions.take()
        if not steps:
            return
        evaluated = rows.take(pa.array(positions))
        self._leaf.given(state.context)[:] = [make_batch([*evaluated.columns, pa.array(numbers)], self._leaf.schema, len(positions))]
        result = rechunk([part for part in self._root.batches(state.context) if part.num_rows], self._root.schema)
        results = result.columns[len(self.input_schema) + 1 :]
        given = self._changes(steps, results, batch)
        if not len(given):
            return
        change, place, phase, position, kind = given.T
        taken = pa.array(position[np.lexsort((phase, place, change))])
        kinds = kind[np.lexsort((phase, place, change))].astype(np.int8)
        arrays = [*evaluated.take(taken).columns, *(column.take(taken) for column in results)]
        out(ChangeBatch(make_batch(arrays, self.schema, len(taken)), kinds))

    def _changes(self, steps: Sequence[VersionChange], results: Sequence[pa.Array], batch: ChangeBatch) -> Rows:
        """Returns the changes that follow from each step: its number, the place in the partition, 0 or 1 for the first or second row of an update, the
        position of the evaluated row, and the kind."""
        changes = np.array([step.change for step in steps])
        kinds = np.zeros(len(steps), np.int64) if batch.kinds is None else batch.kinds[changes].astype(np.int64)
        is_added = (kinds == INSERT) | (kinds == UPDATE_AFTER)
        places, own = np.array([step.place for step in steps]), np.array([step.position for step in steps])
        rows = [np.column_stack([changes, places, np.zeros(len(steps), np.int64), own, np.where(is_added, kinds, DELETE)])]
        compared = [step for step in steps if step.before is not None and step.after is not None and len(step.before)]
        if compared:
            before, after = (np.concatenate([getattr(step, name) for step in compared]) for name in ("before", "after"))
            sizes = [len(step.before) for step in compared]
            changed = np.zeros(len(before), np.bool_)
            for column in results:
                changed |= ~equal_values(column.take(pa.array(before)), column.take(pa.array(after)))
            number = np.repeat([step.change for step in compared], sizes)[changed]
            place = np.concatenate([step.places for step in compared])[changed]
            first, second = np.zeros(len(number), np.int64), np.ones(len(number), np.int64)
            if self._gives_before:
                rows.append(np.column_stack([number, place, first, before[changed], first + UPDATE_BEFORE]))
            rows.append(np.column_stack([number, place, second, after[changed], first + UPDATE_AFTER]))
        return np.concatenate(rows)


def _are_there(identities: Slots, signs: Rows) -> bool:
    """Whether each retraction of a batch is of a row that is there; ``identities`` are those of the rows before the batch, then of its changes."""
    groups = SlotGroups(identities)
    changes = np.concatenate([np.ones(len(identities) - len(signs), np.int64), signs])[groups.order]
    return running_counts(changes, np.zeros(len(identities), np.int64), groups).ignored == 0
