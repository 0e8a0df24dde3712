"""Joins each row with the version of a table that was valid at the row's time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batch.joins.join_output import PairFilter
from table_runtime.columns.batches import cast_array, make_batch
from table_runtime.formats import ROW_KIND_FIELD
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import milliseconds_of
from table_runtime.streaming.changes.batch import DELETE, UPDATE_BEFORE, ChangeBatch, Times, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys
from table_runtime.streaming.operators.join import JoinSide, key_slots
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.row_lists import Rows
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows


class VersionedJoinState(OperatorState):
    """The left rows that wait for the watermark, and the versions of each key; each row with its kind as last column.

    The time that is kept with a row is the least watermark at which it is processed: a row that came behind the watermark waits for the next one.
    """

    def __init__(self, context: ExecutionContext, operator: VersionedJoin) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots(operator.key_types)
        self.left, self.right = (TimedRows(side.schema.append(ROW_KIND_FIELD)) for side in operator.sides)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"left": self.left, "right": self.right}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return self.left.has_rows(slots) | self.right.has_rows(slots)


class VersionedJoin(ChangelogOperator[VersionedJoinState]):
    """Emits each left row when the watermark reaches its time, with the right row of its key whose time is the greatest up to the left time.

    A deletion on the right ends the version. Of versions with one time, the last that came counts. Rows whose version does not satisfy ``condition``, or
    that have none, are emitted without version by an outer join. Left rows keep their kinds. No row is late: as in Flink, a row that comes behind the
    watermark is joined at the next one, with the versions that are there; a version that was followed by another one up to a watermark is gone after it.
    """

    emits_at_watermarks = True
    waits_for_watermarks = True
    input_of_versions = 1

    def __init__(
        self,
        schema: pa.Schema,
        sides: tuple[JoinSide, JoinSide],
        key_types: Sequence[pa.DataType],
        null_equal: Sequence[bool],
        times: tuple[int, int],
        condition: PairFilter | None = None,
        *,
        is_outer: bool,
        has_kinds: bool,
        text: str = "",
    ) -> None:
        super().__init__(schema)
        self.sides = sides
        self.key_types = list(key_types)
        self._null_equal = tuple(null_equal)
        self._times = times
        self._condition = condition
        self._is_outer = is_outer
        self._has_kinds = has_kinds
        self._text = text

    @property
    @override
    def name(self) -> str:
        return "TemporalJoin"

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> VersionedJoinState:
        return VersionedJoinState(context, self)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return self.sides[input_index].division(self.key_types)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: VersionedJoinState, out: Output) -> None:
        keys = key_slots(batch.rows, self.sides[input_index], self.key_types, self._null_equal, state.keys)
        times = milliseconds_of(batch.rows.column(self._times[input_index]))
        before = batch.watermarks(state.watermark)
        rows = batch.with_kind_column()
        if input_index == 0:
            state.left.append(rows, np.where(keys < 0, ~keys, keys), np.maximum(times, before + 1), before)
            return
        # A row whose key matches nothing is no version, nor is the row before an update.
        kept = np.flatnonzero(keys >= 0 if batch.kinds is None else (keys >= 0) & (batch.kinds != UPDATE_BEFORE))
        state.right.append(rows.take(pa.array(kept)), keys[kept], np.maximum(times, before + 1)[kept], before[kept])

    @override
    def on_watermark(self, watermark: int, state: VersionedJoinState, out: Output) -> None:
        ready = state.left.until(watermark)
        if len(ready):
            ready = ready[np.argsort(self._times_of(state, 0, ready), kind="stable")]
            state.context.check()
            self._emit(ready, self._versions(ready, state), state, out)
            if self.key_types:
                state.keys.touch(np.unique(state.left.slots_of(ready)))
            state.left.remove(ready)
        self._remove_old_versions(watermark, state)

    def _versions(self, ready: Rows, state: VersionedJoinState) -> Rows:
        """Returns the right row of each left row; -1 where there is none."""
        slots, times, before = state.left.slots_of(ready), self._times_of(state, 0, ready), state.left.before_of(ready)
        rights = state.right.of_slots(np.unique(slots))
        right_slots, right_times, right_before = (
            state.right.slots_of(rights),
            self._times_of(state, 1, rights),
            state.right.before_of(rights),
        )
        order = np.lexsort((right_times, right_slots))
        of_rank = np.unique(right_times)
        width = len(of_rank) + 1
        sorting = right_slots[order] * width + np.searchsorted(of_rank, right_times[order])
        # The last version at or before the time: of equal times the last one, since the order is stable.
        place = np.searchsorted(sorting, slots * width + np.searchsorted(of_rank, times, side="right"), side="left") - 1
        is_there = place >= 0
        found = np.where(is_there, order[np.maximum(place, 0)], -1) if len(order) else np.full(len(ready), -1)
        is_there &= found >= 0
        is_there[is_there] = right_slots[found[is_there]] == slots[is_there]
        result = np.where(is_there, rights[found], -1) if len(rights) else found
        late = np.unique(np.concatenate([slots[times <= before], right_slots[right_times <= right_before]]))
        if len(late):
            arrivals = _Arrivals(rights, right_slots, right_times, right_before)
            for position in np.flatnonzero(np.isin(slots, late)).tolist():
                result[position] = arrivals.version(int(slots[position]), int(times[position]), int(before[position]))
        return self._without_deletions(result, state)

    def _times_of(self, state: VersionedJoinState, side: int, rows: Rows) -> Times:
        """Returns the event times of some rows of an input."""
        kept = state.right if side else state.left
        return milliseconds_of(kept.take(rows)[self._times[side]])

    def _without_deletions(self, versions: Rows, state: VersionedJoinState) -> Rows:
        kinds = state.right.take(versions)[-1]
        return np.where(np.asarray(pc.fill_null(kinds, DELETE)) == DELETE, -1, versions)

    def _emit(self, ready: Rows, versions: Rows, state: VersionedJoinState, out: Output) -> None:
        *left, kinds = state.left.take(ready)
        right = state.right.take(versions)[:-1]
        matches = versions >= 0
        if self._condition is not None and matches.any():
            schema = pa.schema([*self.sides[0].schema, *self.sides[1].schema])
            rows = make_batch([*left, *right], schema, len(ready))
            matches &= pc.fill_null(self._condition.predicate(rows), False).to_numpy(zero_copy_only=False)
            if self._is_outer:
                right = state.right.take(np.where(matches, versions, -1))[:-1]
        columns = [cast_array(array, field.type) for array, field in zip([*left, *right], self.schema, strict=True)]
        rows = make_batch(columns, self.schema, len(ready))
        # The watermark before the left row: a row that was late is late for readers too, wherever batches are cut.
        batch = ChangeBatch(rows, np.asarray(kinds, dtype=np.int8) if self._has_kinds else None, state.left.before_of(ready))
        if not self._is_outer:
            batch = batch.take(np.flatnonzero(matches))
        if batch.num_rows:
            out(batch)

    def _remove_old_versions(self, watermark: int, state: VersionedJoinState) -> None:
        """Keeps the last version of each key up to the watermark and those behind the watermark.

        A deletion is kept too: an older version that comes late must not take its place.
        """
        # Differs from Flink: temporal joins remove old versions at each watermark. Flink removes those of a key when a timer of the key
        # fires, which later versions do not set, so a left row that comes behind the watermark may still find an old version there.
        rows = state.right.until(watermark)
        if not len(rows):
            return
        order = np.lexsort((self._times_of(state, 1, rows), state.right.slots_of(rows)))
        slots = state.right.slots_of(rows)[order]
        is_last = np.ones(len(rows), np.bool_)
        is_last[:-1] = slots[1:] != slots[:-1]
        gone = rows[order[~is_last]]
        if len(gone):
            if self.key_types:
                state.keys.touch(np.unique(state.right.slots_of(gone)))
            state.right.remove(gone)


class _Arrivals:
    """The versions of keys with late rows: which of them are there depends on the watermarks at which rows came."""

    def __init__(self, rows: Rows, slots: Slots, times: Times, before: Times) -> None:
        self._by_slot: dict[int, list[tuple[int, int, int]]] = {}
        for row, slot, time, watermark in zip(rows.tolist(), slots.tolist(), times.tolist(), before.tolist(), strict=True):
            self._by_slot.setdefault(slot, []).append((row, time, watermark))

    def version(self, slot: int, time: int, before: int) -> int:
        """Returns the version of a left row that came at a watermark; -1 if there is none.

        A row is processed at the first watermark after the one at which it came that has reached its time.
        """
        processed = max(time, before + 1)
        there = [(row, at, came) for row, at, came in self._by_slot.get(slot, ()) if came < processed]
        if time <= before:
            # Versions that were processed before the row came: only the last of them is kept.
            old = [one for one in there if max(one[1], one[2] + 1) <= before]
            newest = max(old, key=lambda one: one[1], default=None)
            last = [one for one in old if newest is not None and one[1] == newest[1]][-1:]
            there = [one for one in there if one not in old or one in last]
        candidates = [one for one in there if one[1] <= time]
        if not candidates:
            return -1
        greatest = max(one[1] for one in candidates)
        return [one for one in candidates if one[1] == greatest][-1][0]
