"""Aggregates of TUMBLE, HOP and CUMULATE windows from slices: a row is added once, and a window is the union of its slices."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.columns.batches import concat_arrays, make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch, Times, Truths
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.group_aggregate import GroupAggregate, GroupState
from table_runtime.streaming.operators.operator import Output
from table_runtime.streaming.operators.window_slices import GroupsOfWindows, SliceState, WindowSlices
from table_runtime.streaming.operators.window_spans import WindowSpans
from table_runtime.streaming.state.span_table import DistinctSpans
from table_runtime.streaming.time.watermarks import END_OF_TIME

_ROWS_EMITTED = 1 << 16
_PAIRS_AT_ONCE = 1 << 19
"""Maximum pairs of a row and a window that are added at once, where rows are added to each window by itself."""


class SlicedWindowAggregate(GroupAggregate):
    """Emits each group of a window when the watermark reaches the window's last millisecond, as an insertion.

    A slice has the rows of one key that are in the same windows. Groups are emitted in the order of their windows' ends, and for one end in the order
    in which they began. A row does not count in windows that were over when it came; how many these are is counted. Rows are never retracted, and
    the states of all functions can be merged.

    The schema is the ``grouping`` columns, the aggregates and, with grouping sets, the grouping id. ``time`` is the position of the row's time.
    ``window_columns`` says for each grouping column whether it is the start (0), the end (1) or the time (2) of the window; the position of such a
    column is that of the row's time, too.
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
        time: int,
        spans: WindowSpans,
        window_columns: Sequence[int | None],
        shown_keys: Sequence[str] = (),
        text: str = "",
    ) -> None:
        retracted = [False] * len(aggregates)
        super().__init__(schema, input_schema, grouping, aggregates, grouping_sets, retracted=retracted, gives_before=False, text=text)
        self.calls = self.calls._replace(names=tuple(shown_keys) or tuple(schema.names[: len(grouping)]))
        self._time = time
        self._spans = spans
        self._window_columns = tuple(window_columns)

    @property
    @override
    def name(self) -> str:
        return "WindowAggregate"

    @property
    @override
    def key_types(self) -> list[pa.DataType]:
        return self._keys_among(super().key_types)

    @property
    @override
    def divided_places(self) -> list[int]:
        return [place for place in super().divided_places if self._window_columns[place] is None]

    @property
    @override
    def bucket_columns(self) -> Sequence[int]:
        columns = self._keys_among(list(range(len(self._grouping))))
        return [1 + columns.index(place) for place in self.divided_places]  # the first is the slice

    @property
    @override
    def key_places(self) -> list[int | None]:
        return [None, *self._keys_among(super().key_places)]  # the first is the slice

    def _keys_among(self, columns: Sequence[Any]) -> list[Any]:
        """Returns those of the grouping columns, and the grouping id, that are not columns of the window."""
        columns_of_window = [*self._window_columns, *[None] * (len(columns) - len(self._window_columns))]
        return [column for column, part in zip(columns, columns_of_window, strict=True) if part is None]

    @override
    def create_state(self, context: ExecutionContext) -> SliceState:
        state = SliceState(context, self)
        state.groups.values_of = _ValuesOfSlices(self, state)
        return state

    @override
    def start(self, state: GroupState, out: Output) -> None:
        """Emits nothing: without rows there are no windows."""

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: GroupState, out: Output) -> None:
        assert isinstance(state, SliceState)
        state.context.check()
        times = batch.rows.column(self._time)
        if times.null_count:
            batch = batch.take(np.flatnonzero(pc.is_valid(times).to_numpy(zero_copy_only=False)))
            times = batch.rows.column(self._time)
        first, last = self._spans.windows_of(times)
        is_in = first <= last
        if not is_in.all():
            kept = np.flatnonzero(is_in)
            batch, first, last = batch.take(kept), first[kept], last[kept]
        self._add(batch, first, last, state)

    def _add(self, batch: ChangeBatch, first: Integers, last: Integers, state: SliceState) -> None:
        """Adds rows to those of the windows from ``first`` to ``last`` that are not over when they come; counts those whose windows are all over."""
        spans = DistinctSpans.of(self._spans.spans(first, last))
        is_uneven = self._spans.is_uneven(spans.distinct)
        if is_uneven.any():
            state.metrics.late_rows += int((self._spans.ends(last) <= batch.watermarks(state.watermark)).sum())
            self._add_to_each(batch, first, last, is_uneven[spans.of_row], state)
        else:
            state.metrics.late_rows += self._add_to_spans(batch, first, last, spans, state)

    def _add_to_spans(self, batch: ChangeBatch, first: Integers, last: Integers, spans: DistinctSpans, state: SliceState) -> int:
        """Adds rows to the slices of those of their windows that are not over when they come; returns how many rows have none."""
        ends = self._spans.ends(self._spans.first(spans.distinct))
        before = batch.watermarks(state.watermark)
        late = np.flatnonzero(ends.take(spans.of_row) <= before) if len(before) and before.max() >= ends.min() else spans.of_row[:0]
        if not len(late):
            self._insert(batch, spans, ends, state)
            return 0
        first = first.copy()
        first[late] = self._spans.first_after(first[late], last[late], before[late])
        is_kept = first <= last
        dropped = batch.num_rows - int(np.count_nonzero(is_kept))
        if dropped:
            kept = np.flatnonzero(is_kept)
            batch, first, last = batch.take(kept), first[kept], last[kept]
        spans = DistinctSpans.of(self._spans.spans(first, last))
        self._insert(batch, spans, self._spans.ends(self._spans.first(spans.distinct)), state)
        return dropped

    def _add_to_each(self, batch: ChangeBatch, first: Integers, last: Integers, is_apart: Truths, state: SliceState) -> None:
        """Adds rows, some of which are added to each of their windows by itself."""
        counts = np.where(is_apart, last - first + 1, 1)
        middle = batch.num_rows // 2
        if middle and counts.sum() > _PAIRS_AT_ONCE:
            self._add_to_each(batch.slice(0, middle), first[:middle], last[:middle], is_apart[:middle], state)
            self._add_to_each(batch.slice(middle, batch.num_rows - middle), first[middle:], last[middle:], is_apart[middle:], state)
            return
        rows = np.repeat(np.arange(batch.num_rows), counts)
        first = first[rows] + np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        last = np.where(is_apart[rows], first, last[rows])
        self._add_to_spans(batch.take(rows), first, last, DistinctSpans.of(self._spans.spans(first, last)), state)

    def _insert(self, batch: ChangeBatch, spans: DistinctSpans, ends: Times, state: SliceState) -> None:
        """Adds rows to the slices of some spans; ``ends`` are the last milliseconds of the first windows."""
        rows, keys = batch.rows, batch.columns(self._grouping)
        if self._sets is not None:
            rows, keys, _ = self._expanded(rows, batch.signs)
            spans = DistinctSpans(spans.distinct, np.repeat(spans.of_row, len(self._sets)))
        known = state.keys.size
        slots = state.slices.find_or_insert_in(spans, self._keys_among(keys))
        state.note_new(known)
        state.groups.insert(rows, slots)
        state.next_end = min(state.next_end, int(ends.min(initial=END_OF_TIME)))

    @override
    def on_watermark(self, watermark: int, state: GroupState, out: Output) -> None:
        assert isinstance(state, SliceState)
        if watermark >= state.next_end:
            self._emit_until(watermark, state, out)

    @override
    def next_due(self, state: GroupState) -> int:
        assert isinstance(state, SliceState)
        return state.next_end

    def _emit_until(self, until: int, state: SliceState, out: Output) -> None:
        """Emits the windows whose last millisecond a time has reached."""
        slices = WindowSlices(self._spans, state)
        state.next_end = slices.next_end(until)
        waiting: list[GroupsOfWindows] = []
        rows = 0
        for groups in slices.take(until):
            state.context.check()
            waiting.append(groups)
            rows += len(groups.slots)
            if rows >= _ROWS_EMITTED:
                self._send(waiting, state, out)
                waiting, rows = [], 0
        if rows:
            self._send(waiting, state, out)

    def _send(self, groups: Sequence[GroupsOfWindows], state: SliceState, out: Output) -> None:
        slots = np.concatenate([each.slots for each in groups])
        windows, sizes = (np.concatenate([each[part] for each in groups]) for part in (0, 1))
        keys = self._grouping_columns(windows, sizes, slots, state)
        width = len(self._grouping)
        results = [concat_arrays(parts, parts[0].type) for parts in zip(*(each.results for each in groups), strict=True)]
        out(ChangeBatch(make_batch([*keys[:width], *results, *keys[width:]], self.schema, len(slots))))

    def _grouping_columns(self, windows: Integers, sizes: Integers, slots: Slots, state: SliceState) -> list[pa.Array]:
        """Returns the grouping columns, and the grouping id, of groups that have the keys of some slots; each window has a number of groups."""
        of_window = self._spans.columns(windows)
        keys = iter(state.keys.keys(slots)[1:])
        columns = [next(keys) if part is None else _repeated(of_window[part], sizes) for part in self._window_columns]
        return [*columns, *keys]

    def values_of(self, slots: Slots, state: SliceState) -> list[pa.Array]:
        """Returns the grouping columns of some slices in the window that is computed, or else in their first one."""
        windows = self._spans.first(state.slices.spans(slots)) if state.window is None else np.full(len(slots), state.window)
        return self._grouping_columns(windows, np.ones(len(slots), np.int64), slots, state)


class _ValuesOfSlices:
    """The grouping columns of some slices. A state that is replaced is freed at once, not when the garbage collector finds a cycle."""

    def __init__(self, operator: SlicedWindowAggregate, state: SliceState) -> None:
        self._operator = operator
        self._state = weakref.ref(state)

    def __call__(self, slots: Slots) -> list[pa.Array]:
        state = self._state()
        assert state is not None
        return self._operator.values_of(slots, state)

    def __reduce__(self) -> tuple[Any, ...]:
        return _new_values, (), (self._operator, self._state())

    def __setstate__(self, content: tuple[SlicedWindowAggregate, SliceState]) -> None:
        self._operator, state = content
        self._state = weakref.ref(state)


def _new_values() -> _ValuesOfSlices:
    return _ValuesOfSlices.__new__(_ValuesOfSlices)


def _repeated(times: pa.Array, counts: Integers) -> pa.Array:
    """Returns timestamps, each as often as it is to be repeated."""
    return pa.array(np.repeat(times.view(pa.int64()).to_numpy(), counts)).view(times.type)
