"""The slices of time windows: the rows of one key that are in the same windows, of which a window's groups are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.changelog.operators.group_aggregate import GroupAggregate, GroupState
from table_runtime.changelog.segments import Integers
from table_runtime.changelog.slot_groups import SlotGroups, Slots, stable_order
from table_runtime.changelog.state.distinct_numbers import distinct_numbers
from table_runtime.changelog.state.slot_numbers import SlotNumbers
from table_runtime.changelog.state.snapshots import Truths
from table_runtime.changelog.state.span_slots import SpanSlots
from table_runtime.changelog.state.state_table import StateTable, slot_rows
from table_runtime.changelog.watermarks import END_OF_TIME, NO_WATERMARK
from table_runtime.changelog.window_spans import WindowSpans
from table_runtime.operators.execution import ExecutionContext

__all__ = ["GroupsOfWindows", "SliceState", "WindowSlices"]

_GROUPS_AT_ONCE = 1 << 16


class SliceState(GroupState):
    """The slices, by the span of their windows and their key.

    ``came`` is the position among all rows of the first row of each slice. Windows whose last millisecond is ``emitted`` or before have been emitted, and
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

    def note_new(self, known: int, slots: Slots) -> None:
        """Notes when the slices came whose slots are not below ``known``; ``slots`` are those of rows."""
        new = np.flatnonzero(slots >= known)[::-1]
        if len(new):
            self.came.reserve(self.keys.size)
            # Of several rows for one slot numpy keeps the last one, which is the first one that came.
            self.came.values[slots[new]] = self.came.values[:known].max(initial=-1) + 1 + new


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
    """Groups in the order in which they are emitted: the window of each, a slot that has its key, and the results."""

    windows: Integers
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
        for window in self._windows[due].tolist():
            self._state.window = window
            yield self._groups(window)
            for member in np.flatnonzero(self._last == window).tolist():
                self._remove(member)
        self._state.window = None
        for slots in filter(len, self._slots):
            self._state.keys.touch(slots[:1])  # the next snapshot has a slice, and with it how far windows have been emitted
            break

    def _take_whole(self, due: Integers) -> Iterator[GroupsOfWindows]:
        slots = [self._in_order(self._slots[member]) for member in due.tolist()]
        windows = np.repeat(self._windows[due], [len(each) for each in slots])
        all_slots = np.concatenate([np.zeros(0, np.int64), *slots])
        for start in range(0, len(windows), _GROUPS_AT_ONCE):
            part = slice(start, start + _GROUPS_AT_ONCE)
            yield GroupsOfWindows(windows[part], all_slots[part], self._state.groups.current(all_slots[part]))
        for member in due.tolist():
            self._remove(member)

    def _remove(self, member: int) -> None:
        """Removes the slices of a span."""
        self._state.groups.counts[self._slots[member]] = 0
        self._state.keys.touch(self._slots[member])
        self._state.slices.forget(int(self._distinct[member]))
        self._slots[member] = self._slots[member][:0]

    def _in_order(self, slots: Slots) -> Slots:
        """Returns slots in the order in which their slices came, which is mostly that of the slots."""
        came = self._state.came.values[slots]
        return slots if (came[1:] > came[:-1]).all() else slots[stable_order(came - came.min())]

    def _groups(self, window: int) -> GroupsOfWindows:
        """Returns the groups of a window."""
        parts = self._parts(window)
        state = self._state
        if len(parts) == 1:
            slots = self._in_order(parts[0])
            return GroupsOfWindows(np.full(len(slots), window), slots, state.groups.current(slots))
        slots = np.concatenate(parts)
        distinct, of_slot = distinct_numbers(state.slices.parts(slots))
        came = np.full(len(distinct), END_OF_TIME)
        np.minimum.at(came, of_slot, state.came.values[slots])
        keyed = np.empty(len(distinct), np.int64)
        keyed[of_slot] = slots
        order = stable_order(came - came.min())
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        results = state.groups.merged(slots, places[of_slot], len(order))
        return GroupsOfWindows(np.full(len(order), window), keyed[order], results)

    def _parts(self, window: int) -> list[Slots]:
        """Returns the slices of a window, the latest first; those of equal keys are in different arrays."""
        members: dict[int, list[int]] = {}
        for member in np.flatnonzero((self._first <= window) & (self._last >= window)).tolist():
            if len(self._slots[member]):
                members.setdefault(int(self._last[member]), []).append(member)
        for same in members.values():
            if len(same) > 1:
                self._unite(same)
        return [self._slots[same[0]] for _, same in sorted(members.items(), reverse=True)]

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
        self._slots[members[0]] = firsts
