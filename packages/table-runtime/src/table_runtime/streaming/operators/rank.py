"""The first rows of each partition over changelogs: ROW_NUMBER, RANK or DENSE_RANK under a bound, ORDER BY … LIMIT, LIMIT."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, ChangeBatch, Truths
from table_runtime.streaming.changes.order_words import has_order_words, order_words
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.changes.sort_keys import Comparable, sort_keys
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys, OutputDivision, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.operators.tied_ranks import TiedRanks
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.rank_bounds import RankBounds
from table_runtime.streaming.state.rank_partitions import RankPartition, RankPartitions
from table_runtime.streaming.state.rank_rounds import MOST_RANKS
from table_runtime.streaming.state.retractions_by_key import CountedRows
from table_runtime.streaming.state.row_values import RowValues
from table_runtime.streaming.state.state_table import StateTable, content_of

_Change = tuple[int, int, int]
"""The kind of a change, the row that it gives, and its rank from 0."""


class RankFunction(Enum):
    """How rows with equal order keys rank."""

    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"


class RankWay(Enum):
    """Which rows a rank keeps: those up to the bound (APPEND: insert-only input, UPDATE: updates never move a row back), or all (RETRACT)."""

    APPEND = "append"
    UPDATE = "update"
    RETRACT = "retract"


class RankState(OperatorState):
    """The partitions, and the values of their rows."""

    def __init__(self, context: ExecutionContext, operator: Rank) -> None:
        super().__init__(context)
        schema = operator.input_schema
        self.keys: KeySlots = KeySlots([schema.field(i).type for i in operator.partition])
        self.partitions = RankPartitions()
        self.values = RowValues(schema)
        self.live = 0
        self.updated = KeySlots([schema.field(i).type for i in operator.upsert_key]) if operator.way is RankWay.UPDATE else None
        self.upsert_key = operator.upsert_key
        self.counted = CountedRows(schema, operator.key) if operator.way is RankWay.RETRACT else None
        self.id_of_row: list[int] = []
        self.row_of_id: dict[int, tuple[RankPartition, int]] = {}
        self.orders = operator.orders
        self.way = operator.way
        self.bounds = RankBounds(operator.end) if operator.drops_by_bound and operator.end else None

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"rows": _PartitionRows(self)}

    # Differs from Flink: a partition of a rank expires as a whole, so long after its last row; Flink forgets its order keys one by one.
    @override
    def is_live(self, slots: Slots) -> Truths:
        return np.asarray(self.partitions.row_counts(slots) > 0)

    def append(self, batch: ChangeBatch) -> tuple[ChangeBatch, list[int]]:
        """Keeps the values of some rows; returns them, with all values of those that are retracted by their key, and their identities: none if rows are
        never retracted."""
        ids: list[int] = []
        if self.counted is not None:
            batch, numbers = self.counted.apply(batch)
            ids = numbers.tolist()
        elif self.updated is not None:
            ids = self.updated.find_or_insert(batch.columns(self.upsert_key), batch.num_rows).tolist()
        self.values.append(batch.rows)
        self.id_of_row += ids
        return batch, ids

    def set_bounds(self, slots: Slots) -> None:
        """Notes the last rows of some partitions, if they are full."""
        if self.bounds is not None:
            places = np.unique(slots)
            self.bounds.set(places, (self.partitions.of(slot).keys for slot in places.tolist()))


class _PartitionRows(StateTable):
    """The rows of each partition in order, and whether they are found by their upsert key."""

    def __init__(self, state: RankState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        state = self._state
        counts, rows = state.partitions.rows_of(slots)
        found = {row for _, row in state.row_of_id.values()}
        is_found = np.isin(rows, list(found)) if found else np.zeros(len(rows), np.bool_)
        return content_of(pa.array(np.repeat(np.arange(len(slots)), counts)), [pa.array(is_found), *state.values.take(rows)])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        state = self._state
        first = state.values.size
        rows = make_batch(content.columns[2:], state.values.schema, content.num_rows)
        _, ids = state.append(ChangeBatch(rows))
        owners = slots[content.column(0).to_numpy()].tolist()
        keys = sort_keys(rows, state.orders)
        state.partitions.note_nulls(rows, state.orders)
        for number, (slot, is_found) in enumerate(zip(owners, content.column(1).to_pylist(), strict=True)):
            partition = state.partitions.of(slot)
            partition.keys.append(keys[number])
            partition.rows.append(first + number)
            if is_found:
                state.row_of_id[ids[number]] = partition, first + number
        state.live += len(owners)
        state.set_bounds(slots)


class Rank(ChangelogOperator[RankState]):
    """Gives the rows whose rank is from ``start`` to ``end`` (None: no bound), with the rank as last column if ``has_rank``.

    Where only membership counts (no rank column, ``start`` 1), a row that is pushed out is deleted before the new one is inserted. Otherwise each rank is a row that is
    updated: all ranks between the place of a change and the bound move by one. A retraction of a row that is not there takes back the row with its ``key``, if it has one.
    """

    def __init__(
        self,
        schema: pa.Schema,
        input_schema: pa.Schema,
        partition: Sequence[int],
        orders: Sequence[SortKey],
        *,
        function: RankFunction = RankFunction.ROW_NUMBER,
        way: RankWay,
        start: int = 1,
        end: int | None,
        has_rank: bool,
        upsert_key: Sequence[int] = (),
        key: Sequence[int] | None = None,
        gives_before: bool = True,
        text: str = "",
    ) -> None:
        super().__init__(schema)
        self.input_schema = input_schema
        self.partition = tuple(partition)
        self.way = way
        self.upsert_key = tuple(upsert_key)
        self.key = key
        self.orders = tuple(orders)
        self._function = function
        self._start = start - 1
        self.end = end
        self.may_finish = way is RankWay.APPEND and not self.partition and not self.orders and end is not None
        self._has_rank = has_rank
        self._shifts = has_rank or start > 1
        ties = TiedRanks(start - 1, end, is_dense=function is RankFunction.DENSE_RANK, has_rank=has_rank)
        self._ties = None if function is RankFunction.ROW_NUMBER else ties
        self._gives_before = gives_before
        self._text = text

    @property
    def drops_by_bound(self) -> bool:
        """Whether rows after the last row of a full partition can be dropped by comparing one order key as a number."""
        numbers_appended = self.way is RankWay.APPEND and self._function is RankFunction.ROW_NUMBER
        return numbers_appended and len(self.orders) == 1 and has_order_words(self.input_schema.field(self.orders[0].column).type)

    @property
    def _only_adds(self) -> bool:
        """Whether rows are only added to partitions of rows whose rank does not matter."""
        return self.way is RankWay.APPEND and self._function is RankFunction.ROW_NUMBER and not self._shifts and bool(self.end)

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> RankState:
        return RankState(context, self)

    @override
    def is_finished(self, state: RankState) -> bool:
        return self.may_finish and (not self.end or (0 in state.partitions and len(state.partitions[0].rows) >= self.end))

    finds_rows_by_key = True

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self.partition)

    @override
    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        return tuple(self.partition) or GLOBAL

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: RankState, out: Output) -> None:
        slots = self._slots(batch, state)
        if state.bounds is not None:
            kept = np.flatnonzero(state.bounds.before(batch.rows.column(self.orders[0].column), self.orders[0], slots))
            if len(kept) < batch.num_rows:
                batch, slots = batch.take(kept), slots[kept]
        first = state.values.size
        completed, ids = state.append(batch)
        if completed is not batch:
            batch, slots = completed, self._slots(completed, state)
        rows, signs = batch.rows, batch.signs
        if self._only_adds:
            changes = self._added(slots, sort_keys(rows, self.orders), first, state)
            kinds, numbers, ranks = changes & 3, changes >> 2, np.zeros(len(changes), np.int64)
            state.set_bounds(slots)
        elif self.way is RankWay.APPEND and self._function is RankFunction.ROW_NUMBER and self.end:
            kinds, numbers, ranks = self._ranked(slots, rows, first, self.end, state)
        else:
            given = self._applied(slots, signs, sort_keys(rows, self.orders), ids, first, state)
            kinds, numbers, ranks = (np.array(column, np.int64) for column in (zip(*given, strict=True) if given else ((), (), ())))
        self._give(kinds, numbers, ranks, state, out)
        if state.values.has_many_gone(state.live):
            self._compact(state)

    def _slots(self, batch: ChangeBatch, state: RankState) -> Slots:
        """Returns the slot of the partition of each row."""
        return (
            state.keys.find_or_insert(batch.columns(self.partition), batch.num_rows)
            if self.partition
            else np.zeros(batch.num_rows, np.int64)
        )

    def _added(self, slots: Slots, keys: Sequence[Comparable], first: int, state: RankState) -> Integers:
        """Adds rows to partitions where only membership counts."""
        assert self.end is not None
        changes: list[int] = []
        for start in range(0, len(slots), 4096):
            state.context.check()
            stretch = slice(start, start + 4096)
            changes += state.partitions.add(slots[stretch].tolist(), keys[stretch], first + start, self.end)
        result = np.array(changes, np.int64)
        state.live += int(((result & 3) == INSERT).sum()) - int(((result & 3) == DELETE).sum())
        return result

    def _ranked(self, slots: Slots, rows: pa.RecordBatch, first: int, end: int, state: RankState) -> tuple[Integers, Integers, Integers]:
        """Adds rows to partitions whose ranks are rows."""
        partitions, check = state.partitions, state.context.check
        is_large = len(slots) >= 64 or partitions.are_lines
        if partitions.note_nulls(rows, self.orders) or state.bounds is None or not is_large or end > MOST_RANKS:
            kinds, numbers, ranks, grown = partitions.add_ranked(slots, sort_keys(rows, self.orders), first, self._start, end, check)
            state.set_bounds(slots)
        else:
            words = order_words(rows.column(self.orders[0].column), self.orders[0])
            kinds, numbers, ranks, grown = partitions.add_ranked_words(slots, words, first, self._start, end, state.bounds, check)
        state.live += grown
        return kinds, numbers, ranks

    def _applied(
        self, slots: Slots, signs: Integers, keys: Sequence[Comparable], ids: Sequence[int], first: int, state: RankState
    ) -> list[_Change]:
        """Adds, retracts and updates rows."""
        given: list[_Change] = []
        for number, (slot, sign) in enumerate(zip(slots.tolist(), signs.tolist(), strict=True)):
            if not number % 4096:
                state.context.check()
            partition = state.partitions.of(slot)
            if sign < 0:
                self._retract(partition, keys[number], ids[number] if ids else -1, state, given)
            elif self.way is RankWay.UPDATE:
                self._update(partition, keys[number], first + number, ids[number], state, given)
            else:
                self._add(partition, keys[number], first + number, state, given)
        return given

    def _add(self, partition: RankPartition, key: Comparable, row: int, state: RankState, given: list[_Change]) -> int:
        """Adds a row after those with equal keys; returns its place."""
        place = bisect_right(partition.keys, key)
        end = self.end
        if end is not None and place >= end and self.way is not RankWay.RETRACT and self._function is RankFunction.ROW_NUMBER:
            return place
        state.live += 1
        if self._ties is not None:
            given += self._ties.add(partition, key, row)
            if self.way is RankWay.APPEND:
                self._drop_from(self._ties.first_hidden(partition.keys), partition, state)
            return place
        partition.keys.insert(place, key)
        partition.rows.insert(place, row)
        rows, size = partition.rows, len(partition.rows)
        if self._shifts:
            for rank in range(max(place, self._start), size if end is None else min(size, end)):
                if rank + 1 < size:
                    given.append((UPDATE_BEFORE, rows[rank + 1], rank))
                    given.append((UPDATE_AFTER, rows[rank], rank))
                else:
                    given.append((INSERT, rows[rank], rank))
        elif end is None or place < end:
            replaces = end is not None and size > end
            is_update = replaces and end == 1 and self.way is not RankWay.RETRACT
            if replaces:
                given.append((UPDATE_BEFORE if is_update else DELETE, rows[end or 0], 0))
            given.append((UPDATE_AFTER if is_update else INSERT, row, 0))
        if end is not None and size > end and self.way is not RankWay.RETRACT:
            self._drop_last(partition, state)
        return place

    def _drop_last(self, partition: RankPartition, state: RankState) -> None:
        partition.keys.pop()
        row = partition.rows.pop()
        state.live -= 1
        if self.way is RankWay.UPDATE:
            state.row_of_id.pop(state.id_of_row[row], None)

    @staticmethod
    def _drop_from(place: int, partition: RankPartition, state: RankState) -> None:
        state.live -= len(partition.rows) - place
        del partition.keys[place:], partition.rows[place:]

    def _update(self, partition: RankPartition, key: Comparable, row: int, identity: int, state: RankState, given: list[_Change]) -> None:
        """Replaces the row with the upsert key, which moves forward or stays, or adds a row."""
        known = state.row_of_id.get(identity)
        if known is None:
            place = self._add(partition, key, row, state, given)
            if self.end is None or place < self.end:
                state.row_of_id[identity] = (partition, row)
            return
        state.row_of_id[identity] = (partition, row)
        old = known[1]
        place = partition.rows.index(old)
        before = list(partition.rows)
        del partition.keys[place], partition.rows[place]
        target = place if place < len(before) and partition.stays(key, place) else bisect_right(partition.keys, key)
        partition.keys.insert(target, key)
        partition.rows.insert(target, row)
        if not self._shifts:
            given += ((UPDATE_BEFORE, old, 0), (UPDATE_AFTER, row, 0))
            return
        for rank in range(max(min(place, target), self._start), max(place, target) + 1):
            given += ((UPDATE_BEFORE, before[rank], rank), (UPDATE_AFTER, partition.rows[rank], rank))

    def _retract(self, partition: RankPartition, key: Comparable, identity: int, state: RankState, given: list[_Change]) -> None:
        place = partition.place_of(key, identity, state.id_of_row)
        if place is None:
            state.metrics.ignored_retractions += 1
            return
        state.live -= 1
        if self._ties is not None:
            given += self._ties.remove(partition, place)
            return
        old = partition.rows[place]
        del partition.keys[place], partition.rows[place]
        rows, size, end = partition.rows, len(partition.rows), self.end
        if self._shifts:
            for rank in range(max(place, self._start), size + 1 if end is None else min(size + 1, end)):
                gone = old if rank == place else rows[rank - 1]
                if rank < size:
                    given += ((UPDATE_BEFORE, gone, rank), (UPDATE_AFTER, rows[rank], rank))
                else:
                    given.append((DELETE, gone, rank))
        elif end is None or place < end:
            given.append((DELETE, old, 0))
            if end is not None and size >= end:
                given.append((INSERT, rows[end - 1], 0))

    def _give(self, kinds: Integers, rows: Integers, ranks: Integers, state: RankState, out: Output) -> None:
        if not self._gives_before:
            kept = kinds != UPDATE_BEFORE
            kinds, rows, ranks = kinds[kept], rows[kept], ranks[kept]
        if not len(rows):
            return
        columns: list[Any] = state.values.take(rows)
        if self._has_rank:
            columns.append(pa.array(ranks + 1))
        out(ChangeBatch(make_batch(columns, self.schema, len(rows)), kinds.astype(np.int8, copy=False)))

    def _compact(self, state: RankState) -> None:
        """Removes the values of rows that are in no partition any more; the others stay in their order, so that each text is copied once."""
        is_kept = np.zeros(state.values.size, np.bool_)

        def number(rows: Integers) -> Integers:
            is_kept[rows] = True
            return (np.cumsum(is_kept) - 1).take(rows)

        state.partitions.renumber(number)
        kept = np.flatnonzero(is_kept)
        state.values.keep(kept)
        if state.id_of_row:
            state.id_of_row = [state.id_of_row[row] for row in kept.tolist()]
        if state.row_of_id:
            moved = {old: new for new, old in enumerate(kept.tolist())}
            state.row_of_id = {key: (partition, moved[row]) for key, (partition, row) in state.row_of_id.items()}
