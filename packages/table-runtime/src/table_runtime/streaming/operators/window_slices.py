"""The slices of time windows: the rows of one key that are in the same windows, of which a window's groups are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.aggregates.mergeable import Unions
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots, stable_order
from table_runtime.streaming.operators.group_aggregate import GroupAggregate, GroupState
from table_runtime.streaming.operators.window_spans import WindowSpans
from table_runtime.streaming.state.distinct_numbers import distinct_numbers
from table_runtime.streaming.state.slot_numbers import SlotNumbers
from table_runtime.streaming.state.span_slots import SpanSlots
from table_runtime.streaming.state.state_table import StateTable, slot_rows
from table_runtime.streaming.time.watermarks import END_OF_TIME

_GROUPS_AT_ONCE = 1 << 16
_WINDOWS_AT_ONCE = 8
_MOST_EMPTY = 4
"""Maximum ratio of the pairs of a span and a key to slices with which windows are computed from matrices."""
_PAIRS_AT_ONCE = 1 << 18
"""Maximum pairs of a slice and a window that are computed together, if there are several windows."""


class SliceState(GroupState):
    """The slices, by the span of their windows and their key.

    ``came`` are numbers in the order in which the slices came. Windows whose last millisecond is ``emitted`` or before have been emitted, and
    none is over before event time reaches ``next_end``.
    """

    def __init__(self, context: ExecutionContext, operator: GroupAggregate) -> None:
        self.slices = SpanSlots(operator.key_types)
        super().__init__(context, operator, self.slices)
        self.came = SlotNumbers(-1)
        self.emitted = NO_WATERMARK
        self.next_end = NO_WATERMARK
        self.window: int | None = None
        """The window whose groups are computed."""

    @override
    def tables(self) -> Mapping[str, StateTable]:
        self.came.reserve(self.keys.size)
        return {**super().tables(), "came": self.came, "emitted": _Emitted(self)}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return self.groups.counts[slots] > 0

    def note_new(self, known: int) -> None:
        """Notes the order in which the slices came whose slots are not below ``known``: it is that of their slots."""
        size = self.keys.size
        if size > known:
            self.came.reserve(size)
            self.came.values[known:size] = np.arange(size - known) + self.came.values[:known].max(initial=-1) + 1


class _Emitted(StateTable):
    """The time until which windows have been emitted, with each slice."""

    def __init__(self, state: SliceState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        return slot_rows([pa.array(np.full(len(slots), self._state.emitted))])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        self._state.emitted = int(content.column(1).to_numpy().max(initial=self._state.emitted))


class GroupsOfWindows(NamedTuple):
    """Groups in the order in which they are emitted: the windows and how many groups each has; for each group a slot that has its key, and the results."""

    windows: Integers
    sizes: Integers
    slots: Slots
    results: Sequence[pa.Array]


class WindowSlices:
    """The slices of a state by span, to emit windows that are over."""

    def __init__(self, spans: WindowSpans, state: SliceState) -> None:
        self._spans = spans
        self._state = state
        slots = np.flatnonzero(state.groups.counts[: state.keys.size] > 0)
        distinct, of_slot = distinct_numbers(state.slices.spans(slots))
        order = stable_order(of_slot)
        sizes = np.bincount(of_slot, minlength=len(distinct))
        self._sizes = sizes
        self._distinct = distinct
        self._first, self._last = spans.first(distinct), spans.last(distinct)
        self._slots = np.split(slots[order], np.cumsum(sizes)[:-1])
        self._windows = spans.covered(distinct)
        self._ends = spans.ends(self._windows)

    def next_end(self, after: int) -> int:
        """Returns the first last millisecond of a window that is after a time."""
        return int(self._ends[self._ends > after].min(initial=END_OF_TIME))

    def take(self, until: int) -> Iterator[GroupsOfWindows]:
        """Yields the groups of the windows that have not been emitted and end until a time; removes slices that no window needs any more.

        Raises:
            TableRuntimeException: a result does not fit its type.
        """
        due = np.flatnonzero((self._ends > self._state.emitted) & (self._ends <= until))
        due = due[np.argsort(self._ends[due], kind="stable")]
        self._state.emitted = until
        if self._spans.most == 1:  # each slice is a group
            yield from self._take_whole(due)
            return
        waiting = self._windows[due].tolist()
        while waiting:
            run = self._run(waiting)
            yield from self._groups_of(run)
            for window in run:
                for member in np.flatnonzero(self._last == window).tolist():
                    self._remove(member)
            waiting = waiting[len(run) :]
        for slots in filter(len, self._slots):
            self._state.keys.touch(slots[:1])  # the next snapshot has a slice, and with it how far windows have been emitted
            break

    def _take_whole(self, due: Integers) -> Iterator[GroupsOfWindows]:
        waiting = due.tolist()
        while waiting:
            sizes = np.cumsum(self._sizes[waiting])
            members = waiting[: max(1, int(np.searchsorted(sizes, _GROUPS_AT_ONCE, side="right")))]
            slots = np.concatenate([self._in_order(self._slots[member]) for member in members])
            for start in range(0, len(slots), _GROUPS_AT_ONCE):
                part = slots[start : start + _GROUPS_AT_ONCE]
                sizes = self._sizes[members] if len(part) == len(slots) else np.array([len(part)])
                yield GroupsOfWindows(self._windows[members], sizes, part, self._state.groups.current(part))
            for member in members:
                self._remove(member)
            waiting = waiting[len(members) :]

    def _remove(self, member: int) -> None:
        """Removes the slices of a span."""
        self._state.groups.counts[self._slots[member]] = 0
        self._state.keys.touch(self._slots[member])
        self._state.slices.forget(int(self._distinct[member]))
        self._slots[member] = self._slots[member][:0]
        self._sizes[member] = 0

    def _in_order(self, slots: Slots) -> Slots:
        """Returns slots in the order in which their slices came, which is mostly that of the slots."""
        came = self._state.came.values[slots]
        return slots if (came[1:] > came[:-1]).all() else slots[stable_order(came - came.min())]

    def _run(self, windows: Sequence[int]) -> dict[int, list[int]]:
        """Returns the first of some windows, as many as are computed together, with the spans of their slices, the latest first.

        Equal keys of one window are in different slices.
        """
        run: dict[int, list[int]] = {}
        pairs = 0
        for window in windows[:_WINDOWS_AT_ONCE]:
            members = self._members(window)
            lasts = self._last[members]
            if (lasts[1:] == lasts[:-1]).any():
                if run:
                    break
                for last in np.unique(lasts[1:][lasts[1:] == lasts[:-1]]).tolist():
                    self._unite(members[lasts == last].tolist())
                members = self._members(window)
            pairs += int(self._sizes[members].sum())
            if run and (len(members) == 1 or pairs > _PAIRS_AT_ONCE):
                break
            run[window] = members.tolist()
            if len(members) == 1:
                break
        return run

    def _members(self, window: int) -> Integers:
        """Returns the positions of the spans that have slices of a window, the latest first."""
        members = np.flatnonzero((self._first <= window) & (self._last >= window) & (self._sizes > 0))
        return members[np.argsort(-self._last[members], kind="stable")]

    def _groups_of(self, run: Mapping[int, Sequence[int]]) -> Iterator[GroupsOfWindows]:
        """Yields the groups of windows with these spans.

        Raises:
            TableRuntimeException: a result does not fit its type; the message names the window.
        """
        if len(run) > 1:
            try:
                groups = self._groups(run)
            except TableRuntimeException:  # the window whose group it is raises it again
                for window, members in run.items():
                    yield from self._groups_of({window: members})
                raise
            yield groups
            return
        (self._state.window,) = run
        yield self._groups(run)
        self._state.window = None

    def _groups(self, run: Mapping[int, Sequence[int]]) -> GroupsOfWindows:
        """Returns the groups of windows with these spans."""
        state = self._state
        involved = sorted({member for members in run.values() for member in members}, key=lambda member: -self._last[member])
        if len(involved) == 1:
            slots = self._in_order(self._slots[involved[0]])
            return GroupsOfWindows(np.array(list(run)), np.array([len(slots)]), slots, state.groups.current(slots))
        slots = np.concatenate([self._slots[member] for member in involved])
        distinct, keys = distinct_numbers(state.slices.parts(slots))
        width = len(distinct)
        if len(involved) * width > _MOST_EMPTY * len(slots):
            return self._sparse_groups(run)
        row_of = {member: row for row, member in enumerate(involved)}
        parts = [[row_of[member] for member in members] for members in run.values()]
        sizes = self._sizes[involved]
        places = np.repeat(np.arange(len(involved)) * width, sizes) + keys
        unions = Unions(slots, places, np.cumsum(sizes).tolist(), width, parts)
        came = unions.values(state.came.values, END_OF_TIME)
        keyed = np.empty(width, np.int64)
        keyed[keys] = slots
        groups: list[Slots] = []
        numbers: list[Integers] = []
        for number, rows in enumerate(parts):
            first = np.minimum.reduce(came[rows[0] : rows[-1] + 1] if rows[-1] - rows[0] < len(rows) else came[rows])
            there = np.flatnonzero(first != END_OF_TIME)
            first = first.take(there)
            there = there.take(stable_order(first - first.min()))
            groups.append(keyed.take(there))
            numbers.append(there + number * width)
        results = state.groups.united(unions, np.concatenate(numbers))
        return GroupsOfWindows(np.array(list(run)), np.array([len(each) for each in groups]), np.concatenate(groups), results)

    def _sparse_groups(self, run: Mapping[int, Sequence[int]]) -> GroupsOfWindows:
        """Returns the groups of windows with these spans, whose slices have few keys in common."""
        state = self._state
        groups: list[Slots] = []
        parts: list[Slots] = []
        places: list[Integers] = []
        count = 0
        for members in run.values():
            slots = np.concatenate([self._slots[member] for member in members])
            distinct, keys = distinct_numbers(state.slices.parts(slots))
            keyed = np.empty(len(distinct), np.int64)
            keyed[keys] = slots
            came = np.full(len(distinct), END_OF_TIME)
            np.minimum.at(came, keys, state.came.values[slots])
            order = stable_order(came - came.min())
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order)) + count
            groups.append(keyed[order])
            parts.append(slots)
            places.append(place[keys])
            count += len(order)
        results = state.groups.merged(np.concatenate(parts), np.concatenate(places), count)
        return GroupsOfWindows(np.array(list(run)), np.array([len(each) for each in groups]), np.concatenate(groups), results)

    def _unite(self, members: Sequence[int]) -> None:
        """Makes one slice of those of a key that are in the same windows from now on."""
        state = self._state
        slots = np.concatenate([self._slots[member] for member in members])
        groups = SlotGroups(state.slices.parts(slots))
        slots = slots[groups.order]
        firsts = slots[groups.starts]
        others = np.delete(slots, groups.starts)
        state.came.values[firsts] = np.minimum.reduceat(state.came.values[slots], groups.starts)
        state.groups.merge(others, np.repeat(firsts, groups.sizes - 1))
        state.keys.touch(slots)
        for member in members:
            self._slots[member] = firsts[:0]
            self._sizes[member] = 0
        self._slots[members[0]] = firsts
        self._sizes[members[0]] = len(firsts)
