"""Aggregates of time windows: a group is emitted once, when the watermark reaches the end of its window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch, Times, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.group_aggregate import GroupAggregate, GroupState
from table_runtime.streaming.operators.operator import Output
from table_runtime.streaming.state.slot_numbers import SlotNumbers
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.time.watermarks import END_OF_TIME

_ROWS_EMITTED = 1 << 16


class WindowState(GroupState):
    """The groups of windows that are not over, with the last millisecond of each window, and a number for each in the order in which they began."""

    def __init__(self, context: ExecutionContext, operator: WindowAggregate) -> None:
        super().__init__(context, operator)
        self.last = SlotNumbers(0)
        self.began = SlotNumbers(-1)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        self.last.reserve(self.keys.size)
        self.began.reserve(self.keys.size)
        return {**super().tables(), "last": self.last, "began": self.began}

    @override
    def is_live(self, slots: Slots) -> Truths:
        # A group whose rows were all retracted keeps its number until its window is over: its rows may come again.
        return (self.groups.counts[slots] > 0) | (self.last.values[slots] > self.watermark)


class WindowAggregate(GroupAggregate):
    """Emits each group of a window when the watermark reaches the window's last millisecond, as an insertion.

    Groups are emitted in the order of their windows' ends, and for one end in the order in which they began. A row whose window was over when it
    came is late: it is dropped and counted. ``last_millisecond`` returns, for window ends, the last millisecond of the window as an instant.
    """

    emits_at_watermarks = True

    def __init__(
        self,
        schema: pa.Schema,
        input_schema: pa.Schema,
        grouping: Sequence[int],
        aggregates: Sequence[AggregateColumn],
        grouping_sets: Sequence[Sequence[int]] | None = None,
        *,
        end: int,
        last_millisecond: Callable[[pa.Array], Times],
        retracted: Sequence[bool],
        text: str = "",
    ) -> None:
        super().__init__(schema, input_schema, grouping, aggregates, grouping_sets, retracted=retracted, gives_before=False, text=text)
        self._end = grouping[end]
        self._last_millisecond = last_millisecond

    @override
    def create_state(self, context: ExecutionContext) -> GroupState:
        return WindowState(context, self)

    @override
    def start(self, state: GroupState, out: Output) -> None:
        """Emits nothing: without rows there are no windows."""

    @override
    def _process(self, batch: ChangeBatch, state: Any, out: Output) -> None:
        batch, last = state.drop_late(batch, self._last_millisecond(batch.rows.column(self._end)))
        if not batch.num_rows:
            return
        signs, keys, rows = batch.signs, batch.columns(self._grouping), batch.rows
        if self._sets is not None:
            rows, keys, signs = self._expanded(rows, signs)
            last = np.repeat(last, len(self._sets))
        known = state.keys.size
        slots = state.keys.find_or_insert(keys, len(signs))
        size = state.keys.size
        if size > known:
            state.began.reserve(size)
            state.began.values[known:size] = np.arange(size - known) + state.began.values[:known].max(initial=-1) + 1
        state.last.reserve(size)
        state.last.values[slots] = last
        state.groups.apply(rows, slots, signs, np.zeros(len(slots), np.bool_))
        state.count_ignored()

    @override
    def on_watermark(self, watermark: int, state: Any, out: Output) -> None:
        size = state.keys.size
        last = state.last.values[:size]
        state.keys.touch(np.flatnonzero((last > state.watermark) & (last <= watermark)))
        over = np.flatnonzero((state.groups.counts[:size] > 0) & (last <= watermark))
        over = over[np.lexsort((state.began.values[over], state.last.values[over]))]
        for start in range(0, len(over), _ROWS_EMITTED):
            state.context.check()
            slots = over[start : start + _ROWS_EMITTED]
            keys = state.keys.keys(slots)
            width = len(self._grouping)
            arrays = [*keys[:width], *(function.current(slots) for function in state.groups.functions), *keys[width:]]
            out(ChangeBatch(make_batch(arrays, self.schema, len(slots))))
        state.groups.counts[over] = 0

    @override
    def next_due(self, state: Any) -> int:
        last = state.last.values[: state.keys.size]
        return int(last[last > state.watermark].min(initial=END_OF_TIME))
