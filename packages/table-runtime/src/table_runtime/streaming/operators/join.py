"""Regular joins over changelogs: both inputs are kept, and each change is joined with the rows of the other input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batch.joins.join_output import JoinKind, PairFilter
from table_runtime.columns.batches import cast_array, make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_BEFORE, ChangeBatch, Truths
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, CastKeys, ExchangeKeys, KeyColumns, OutputDivision
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.row_lists import Rows
from table_runtime.streaming.state.state_rows import StateRows
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows

_Kinds = np.ndarray[Any, np.dtype[np.int8]]

MOST_PAIRS = 1 << 18
"""Maximum number of pairs computed at once, except for rows with more partners in outer, semi and anti joins; maximum number of rows emitted at once."""


class JoinSide:
    """One input: its schema, the columns that its rows are compared by, and what identifies its rows.

    ``upsert_key`` identifies rows if given; otherwise all columns do, unless ``has_retractions`` is false. ``key`` are columns without two equal
    rows: a retraction of a row that is not there takes back the row with its key. ``columns`` are the positions of the columns that ``keys`` returns, if it computes nothing.
    """

    def __init__(
        self,
        schema: pa.Schema,
        keys: Callable[[pa.RecordBatch], Sequence[pa.Array]],
        *,
        has_retractions: bool,
        upsert_key: Sequence[int] | None = None,
        key: Sequence[int] | None = None,
        columns: Sequence[int] | None = None,
    ) -> None:
        self.schema = schema
        self.keys = keys
        self.has_retractions = has_retractions
        self.upsert_key = upsert_key
        self.key = key
        self.columns = columns

    def division(self, key_types: Sequence[pa.DataType]) -> ExchangeKeys:
        """Returns how the rows of the input are divided, by keys that have these types in the state."""
        if not key_types:
            return GLOBAL
        if self.columns is not None and [self.schema.field(position).type for position in self.columns] == list(key_types):
            return KeyColumns(tuple(self.columns))
        return CastKeys(self.keys, tuple(key_types))

    def rows(self, *, counts_partners: bool) -> StateRows:
        """Returns the empty state of the input."""
        if self.upsert_key is not None and self.has_retractions:
            return StateRows(self.schema, self.upsert_key, is_upsert_key=True, counts_partners=counts_partners)
        identity = range(len(self.schema)) if self.has_retractions else None
        return StateRows(self.schema, identity, counts_partners=counts_partners, key=self.key)


class JoinState(OperatorState):
    """The keys of both inputs, and the rows of each."""

    def __init__(self, context: ExecutionContext, operator: Join) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots(operator.key_types)
        self.sides = [side.rows(counts_partners=operator.counts_partners(number)) for number, side in enumerate(operator.sides)]

    @override
    def set_time(self, now: int, retentions: Sequence[int]) -> None:
        self.processing_time = now
        left, right = retentions if len(retentions) == 2 else (*retentions, *retentions)
        for side, retention in zip(self.sides, (left, right), strict=True):
            side.set_time(now, retention)

    @override
    def expire(self) -> bool:
        # Differs from Flink: a join ignores the retraction of a row that expired; Flink retracts its pairs with the rows of the other input
        # that are there.
        for side in self.sides:  # each row by itself, as in Flink: a key of many rows may be touched for ever
            self.keys.touch(side.expire())
        return False

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"left": self.sides[0], "right": self.sides[1]}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return self.sides[0].has_rows(slots) | self.sides[1].has_rows(slots)


class Join(ChangelogOperator[JoinState]):
    """Joins rows with equal keys for which the condition is true. Rows whose key is NULL or NaN match nothing, unless ``null_equal``.

    An inner join gives a pair with the kind of the row that came. Outer joins give the row without partner, and take it back when the first
    partner comes. Semi and anti joins give rows of the left input, without ``gives_before`` with deletions in place of rows before updates.
    """

    def __init__(
        self,
        schema: pa.Schema,
        kind: JoinKind,
        sides: tuple[JoinSide, JoinSide],
        key_types: Sequence[pa.DataType],
        null_equal: Sequence[bool],
        condition: PairFilter | None = None,
        *,
        gives_before: bool = True,
        text: str = "",
    ) -> None:
        super().__init__(schema)
        self.sides = sides
        self.key_types = list(key_types)
        self._kind = kind
        self._null_equal = tuple(null_equal)
        self._condition = condition
        self._gives_before = gives_before
        self._text = text
        self._is_outer = (kind in (JoinKind.LEFT, JoinKind.FULL), kind in (JoinKind.RIGHT, JoinKind.FULL))
        self._gives_left = kind in (JoinKind.SEMI, JoinKind.ANTI)

    def counts_partners(self, side: int) -> bool:
        """Whether changes depend on how many partners the rows of an input have."""
        return self._is_outer[side] or (self._gives_left and side == 0)

    @override
    def details(self) -> str:
        text = f"joinType=[{self._kind.value}], keys=[{self._text}]"
        return text + (f", where=[{self._condition.text}]" if self._condition is not None else "")

    @override
    def create_state(self, context: ExecutionContext) -> JoinState:
        return JoinState(context, self)

    finds_rows_by_key = True

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return self.sides[input_index].division(self.key_types)

    @override
    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        keys = self.sides[0].division(self.key_types)
        if keys is GLOBAL:
            return GLOBAL
        # The left columns come first, with the values by which the row was divided, unless it is one without a left partner.
        return keys.positions if isinstance(keys, KeyColumns) and not self._is_outer[1] else None

    @override
    def replaced_by(self, input_index: int) -> Sequence[int]:
        return self.sides[input_index].upsert_key or ()

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: JoinState, out: Output) -> None:
        batch, ids, ignored = state.sides[input_index].checked(batch)
        state.metrics.ignored_retractions += ignored
        keys = self._keys(batch.rows, input_index, state)
        for start, rows in row_stretches(state.sides[1 - input_index].pair_counts(keys)):
            state.context.check()
            part = slice(start, start + rows)
            self._process(batch.slice(start, rows), ids[part], keys[part], input_index, state, out)

    def _process(self, batch: ChangeBatch, ids: Slots, keys: Slots, side: int, state: JoinState, out: Output) -> None:
        own, other = state.sides[side], state.sides[1 - side]
        if self._kind is JoinKind.INNER:
            partners = np.zeros(batch.num_rows, np.int64)
            self._emit_inner(batch, keys, side, other, state, out)
        else:
            partners = self._emit_changed(batch, keys, side, other, out)
        state.keys.touch(own.apply(batch.rows, ids, batch.signs, keys, partners))

    def _emit_inner(self, batch: ChangeBatch, keys: Slots, side: int, other: StateRows, state: JoinState, out: Output) -> None:
        for positions, rows in other.find_in_parts(keys, MOST_PAIRS):
            state.context.check()
            if self._condition is not None and len(positions):
                positions, rows = self._filtered(batch.rows, positions, rows, side, other)
            own, theirs = other.repeated(positions, rows)
            self._give_pairs(batch, side, own, theirs, None if batch.kinds is None else batch.kinds[own], other, out)

    def _emit_changed(self, batch: ChangeBatch, keys: Slots, side: int, other: StateRows, out: Output) -> Rows:
        """Emits the changes of joins that count the partners of rows; returns the partners of each row of the batch."""
        positions, rows = other.find(keys)
        if self._condition is not None and len(positions):
            positions, rows = self._filtered(batch.rows, positions, rows, side, other)
        counts = other.counts[rows]
        partners = np.bincount(positions, weights=counts, minlength=batch.num_rows).astype(np.int64)
        nothing = np.zeros(0, np.int64)
        changed = (nothing, nothing)
        if self.counts_partners(1 - side):
            changed = _transitions(other.partners, positions, rows, batch.signs)
            other.write(rows)
        emit = self._emit_left if self._gives_left else self._emit_pairs
        emit(batch, side, partners, (positions, rows, counts), changed, other, out)
        return partners

    def _keys(self, rows: pa.RecordBatch, side: int, state: JoinState) -> Slots:
        return key_slots(rows, self.sides[side], self.key_types, self._null_equal, state.keys)

    def _filtered(self, batch: pa.RecordBatch, positions: Rows, rows: Rows, side: int, other: StateRows) -> tuple[Rows, Rows]:
        assert self._condition is not None
        return passing_pairs(self._condition, self.sides, batch, side, positions, rows, other)

    def _emit_pairs(
        self,
        batch: ChangeBatch,
        side: int,
        partners: Rows,
        pairs: tuple[Rows, Rows, Rows],
        changed: tuple[Rows, Rows],
        other: StateRows,
        out: Output,
    ) -> None:
        positions, rows, counts = pairs
        signs = batch.signs
        repeated = np.repeat(np.arange(len(positions)), counts)
        own, theirs = positions[repeated], rows[repeated]
        kinds = np.where(signs[own] > 0, INSERT, DELETE).astype(np.int8)
        phases = np.ones(len(own), np.int64)
        parts: list[tuple[Rows, Rows, _Kinds, Rows, Rows]] = [(own, theirs, kinds, own, phases)]
        if self._is_outer[side]:
            alone = np.flatnonzero(partners == 0)
            parts.append(
                (
                    alone,
                    np.full(len(alone), -1),
                    np.where(signs[alone] > 0, INSERT, DELETE).astype(np.int8),
                    alone,
                    np.ones(len(alone), np.int64),
                )
            )
        if self._is_outer[1 - side]:
            for found, kind, phase in ((changed[0], DELETE, 0), (changed[1], INSERT, 2)):
                again = np.repeat(found, counts[found])
                padding = np.full(len(again), -1)
                parts.append((padding, rows[again], np.full(len(again), kind, np.int8), positions[again], np.full(len(again), phase)))
        if len(parts) > 1:
            own, theirs, kinds, at, phases = (np.concatenate(column) for column in zip(*parts, strict=True))
            order = np.argsort(at * 4 + phases, kind="stable")
            own, theirs, kinds = own[order], theirs[order], kinds[order]
        self._give_pairs(batch, side, own, theirs, None if batch.kinds is None and len(parts) == 1 else kinds, other, out)

    def _give_pairs(
        self, batch: ChangeBatch, side: int, own: Rows, theirs: Rows, kinds: _Kinds | None, other: StateRows, out: Output
    ) -> None:
        """Emits pairs of a position in the batch and a row of the other input; -1 is NULL in all columns."""
        for start in range(0, len(own), MOST_PAIRS):
            part = slice(start, start + MOST_PAIRS)
            positions = own[part]
            indices = pa.array(positions, mask=positions < 0)
            columns = [column.take(indices) for column in batch.rows.columns]
            partners = other.take(theirs[part])
            arrays = [*columns, *partners] if side == 0 else [*partners, *columns]
            self._give(arrays, None if kinds is None else kinds[part], len(positions), out)

    def _emit_left(
        self,
        batch: ChangeBatch,
        side: int,
        partners: Rows,
        pairs: tuple[Rows, Rows, Rows],
        changed: tuple[Rows, Rows],
        other: StateRows,
        out: Output,
    ) -> None:
        positions, rows, counts = pairs
        is_semi = self._kind is JoinKind.SEMI
        if side == 0:
            kept = np.flatnonzero((partners > 0) == is_semi)
            if len(kept):
                columns = [column.take(pa.array(kept)) for column in batch.rows.columns]
                self._give(columns, None if batch.kinds is None else batch.kinds[kept], len(kept), out)
            return
        found = np.sort(np.concatenate(changed))
        again = np.repeat(found, counts[found])
        added = batch.signs[positions[again]] > 0
        kinds = np.where(added == is_semi, INSERT, DELETE).astype(np.int8)
        if is_semi and batch.kinds is not None:
            kinds = batch.kinds[positions[again]]
        for start in range(0, len(again), MOST_PAIRS):
            part = slice(start, start + MOST_PAIRS)
            self._give(other.take(rows[again[part]]), kinds[part], len(kinds[part]), out)

    def _give(self, arrays: Sequence[pa.Array], kinds: _Kinds | None, rows: int, out: Output) -> None:
        columns = [cast_array(array, field.type) for array, field in zip(arrays, self.schema, strict=True)]
        if kinds is not None and not self._gives_before:
            kinds = np.where(kinds == UPDATE_BEFORE, np.int8(DELETE), kinds)
        out(ChangeBatch(make_batch(columns, self.schema, rows), kinds))


def key_slots(rows: pa.RecordBatch, side: JoinSide, key_types: Sequence[pa.DataType], null_equal: Sequence[bool], keys: KeySlots) -> Slots:
    """Returns the slot of each row's join key, inverted (~) for rows that match nothing."""
    if not key_types:
        return np.zeros(rows.num_rows, np.int64)
    columns = [cast_array(column, type_) for column, type_ in zip(side.keys(rows), key_types, strict=True)]
    slots = keys.find_or_insert(columns, rows.num_rows)
    matching = np.ones(len(slots), np.bool_)
    for column, matches_null in zip(columns, null_equal, strict=True):
        if not matches_null:
            matches = pc.is_valid(column)
            if pa.types.is_floating(column.type):
                matches = pc.and_(matches, pc.invert(pc.fill_null(pc.is_nan(column), False)))
            matching &= matches.to_numpy(zero_copy_only=False)
    return np.where(matching, slots, ~slots)


def passing_pairs(
    condition: PairFilter,
    sides: tuple[JoinSide, JoinSide],
    batch: pa.RecordBatch,
    side: int,
    positions: Rows,
    rows: Rows,
    other: StateRows | TimedRows,
) -> tuple[Rows, Rows]:
    """Returns the pairs of a position in a batch of one input and a row of the other one for which a condition is true; only its columns are read."""
    width = len(sides[0].schema)
    left, right = ([i for i in condition.columns if i < width], [i - width for i in condition.columns if i >= width])
    used, needed = (left, right) if side == 0 else (right, left)
    indices = pa.array(positions)
    own = [column.take(indices) if i in used else pa.nulls(len(positions), column.type) for i, column in enumerate(batch.columns)]
    theirs = other.take(rows, needed)
    schema = pa.schema([*sides[0].schema, *sides[1].schema])
    pairs = make_batch([*own, *theirs] if side == 0 else [*theirs, *own], schema, len(positions))
    mask = pc.fill_null(condition.predicate(pairs), False).to_numpy(zero_copy_only=False)
    return positions[mask], rows[mask]


def row_stretches(pair_counts: Rows) -> Iterator[tuple[int, int]]:
    """Yields stretches of rows (start and number) that give about as many pairs as are made at once."""
    ends = np.cumsum(pair_counts)
    start = 0
    while start < len(pair_counts):
        before = int(ends[start - 1]) if start else 0
        end = max(int(np.searchsorted(ends, before + MOST_PAIRS, side="right")), start + 1)
        yield start, end - start
        start = end


def _transitions(partners: Rows, positions: Rows, rows: Rows, signs: Rows) -> tuple[Rows, Rows]:
    """Counts the partners of the other input's rows; returns the pairs that give a row its first partner, and those that take its last."""
    if not len(rows):
        return rows, rows
    groups = SlotGroups(rows)
    changes = signs[positions][groups.order]
    total = np.cumsum(changes)
    base = partners[groups.slots] - (total[groups.starts] - changes[groups.starts])
    after = total + np.repeat(base, groups.sizes)
    before = after - changes
    partners[groups.slots] = after[groups.ends - 1]
    first = groups.order[(before == 0) & (after > 0)]
    last = groups.order[(before > 0) & (after == 0)]
    return np.sort(first), np.sort(last)
