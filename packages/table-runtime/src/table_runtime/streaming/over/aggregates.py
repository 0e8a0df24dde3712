"""Aggregate functions over frames: all rows before, the last rows, or the rows of the last stretch of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.columns.batches import concat_arrays, make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.aggregates.groups import AggregateCalls, AggregateGroups
from table_runtime.streaming.over.calls import CallState, OverCalls, OverRows
from table_runtime.streaming.over.history import Together, following, keep_places, kept_tail
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows

_Positions = np.ndarray[Any, np.dtype[np.int64]]


class Unit(Enum):
    """How rows with equal times are treated."""

    ROWS = "ROWS"
    RANGE = "RANGE"


@dataclass(frozen=True, slots=True)
class FrameStart:
    """Where a frame that ends with the current row begins: ``distance`` rows, or milliseconds, before it; None: at the first row."""

    unit: Unit
    distance: int | None


class AggregateState(CallState):
    """The aggregates of each partition's frame, and the rows of bounded frames, whose values are taken back later."""

    def __init__(self, calls: AggregateCalls, keys: KeySlots) -> None:
        self.groups = AggregateGroups(calls, keys)
        self.history = TimedRows(calls.input_schema)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {**self.groups.tables(), "history": self.history}


class OverAggregates(OverCalls[AggregateState]):
    """Aggregates over one frame."""

    def __init__(
        self,
        columns: Sequence[int],
        frame: FrameStart,
        input_schema: pa.Schema,
        partition_by: Sequence[int],
        aggregates: Sequence[AggregateColumn],
    ) -> None:
        self.columns = tuple(columns)
        self._frame = frame
        retracted = (frame.distance is not None,) * len(aggregates)
        self._calls = AggregateCalls(input_schema, tuple(partition_by), tuple(aggregates), retracted, kind="partition")

    @override
    def create_state(self, context: ExecutionContext, keys: KeySlots) -> AggregateState:
        return AggregateState(self._calls, keys)

    @override
    def results(self, rows: OverRows, state: AggregateState) -> Sequence[pa.Array]:
        if self._frame.distance is None:
            places = np.arange(len(rows))
            wanted = places if self._frame.unit is Unit.ROWS else rows.last_peers()
            return self._run(rows.rows, rows.slots, np.ones(len(rows), np.int64), wanted, state)
        together = following(state.history, rows)
        every = [concat_arrays([old, new], old.type) for old, new in zip(state.history.take(together.kept), rows.rows.columns, strict=True)]
        batch = make_batch(every, state.history.schema, len(every[0]) if every else len(rows))
        if self._frame.unit is Unit.ROWS:
            return self._last_rows(self._frame.distance, together, batch, state)
        return self._last_stretch(self._frame.distance, rows, together, batch, state)

    def _last_rows(self, distance: int, together: Together, batch: pa.RecordBatch, state: AggregateState) -> Sequence[pa.Array]:
        """Each new row is added after the row that leaves the frame was taken back."""
        new = together.places_of_new
        leaving = new - distance - 1
        has_leaving = leaving >= together.first_of_new
        changes = np.column_stack([np.where(has_leaving, leaving, -1), new]).ravel()
        signs = np.tile(np.array([-1, 1]), len(new))
        is_there = changes >= 0
        places, signs = changes[is_there], signs[is_there]
        wanted = np.flatnonzero(signs > 0)
        results = self._run(batch.take(pa.array(together.order[places])), together.slots[places], signs, wanted, state)
        kept_tail(state.history, together, batch, distance + 1)
        return results

    def _last_stretch(
        self, distance: int, rows: OverRows, together: Together, batch: pa.RecordBatch, state: AggregateState
    ) -> Sequence[pa.Array]:
        """The rows of one time are added together, after those that leave the frame were taken back."""
        slots, times = together.slots, together.times
        new = together.places_of_new
        group_of_new = np.cumsum(rows.is_first_peer) - 1  # the groups of peers, in order
        firsts = np.flatnonzero(rows.is_first_peer)
        # The first group of peers of the same slot for which each row is too old.
        leaves_at = _first_after(slots, times, rows.slots[firsts], rows.times[firsts] - distance)
        leaving = np.flatnonzero(leaves_at < len(firsts))
        at = np.concatenate([leaves_at[leaving], group_of_new])
        places = np.concatenate([leaving, new])
        signs = np.repeat(np.array([-1, 1]), [len(leaving), len(new)])
        order = np.lexsort((places, signs, at))
        places, signs, at = places[order], signs[order], at[order]
        ends = np.searchsorted(at, np.arange(len(firsts)), side="right") - 1  # the last change of each group: an addition
        results = self._run(batch.take(pa.array(together.order[places])), slots[places], signs, ends[group_of_new], state)
        keep_places(state.history, together, batch, np.flatnonzero(leaves_at == len(firsts)))
        return results

    def _run(self, rows: pa.RecordBatch, slots: _Positions, signs: _Positions, wanted: _Positions, state: AggregateState) -> list[pa.Array]:
        """Applies changes in their order; returns the results after the changes at some positions."""
        is_wanted = np.zeros(len(slots), np.bool_)
        is_wanted[wanted] = True
        groups, _, results = state.groups.apply(rows, slots, signs, is_wanted)
        place = np.empty(len(slots), np.int64)
        place[groups.order] = np.arange(len(slots)) + len(groups.slots)
        taken = pa.array(place[wanted])
        return [result.take(taken) for result in results]


def _first_after(slots: _Positions, times: _Positions, other_slots: _Positions, other_times: _Positions) -> _Positions:
    """Returns for each row the first of the others, which are sorted, of the same slot and a later time; their number if there is none."""
    is_row = np.repeat(np.array([False, True]), [len(other_slots), len(slots)])
    order = np.lexsort((is_row, np.concatenate([other_times, times]), np.concatenate([other_slots, slots])))
    passed = np.cumsum(~is_row[order])  # others at or before each place
    result = np.empty(len(order), np.int64)
    result[order] = passed
    found = result[len(other_slots) :]
    in_slot = np.append(other_slots, -1)[found] == slots
    return np.where(in_slot, found, len(other_slots))
