"""Rows of a batch by group, split where a group ends and starts again."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots

Integers = np.ndarray[Any, np.dtype[np.int64]]


class Segments:
    """Rows sorted by slot; a segment is a stretch of rows of one slot between which the group exists.

    Segment i is the sorted rows from ``starts[i]`` to ``ends[i]``, of the slot ``slots[i]``. Its state begins empty if ``is_fresh[i]``,
    else with the state of the slot. ``is_last`` marks the segments whose state at their end is that of the slot: those that end with
    ``last_rows``, of ``last_slots``. ``is_over`` marks those whose group has no rows at their end. ``signs`` and ``counts`` are for each sorted
    row how it changes the number of rows of its group, and that number after it; ``initial_counts`` is the number before each segment.
    Only the results after the sorted rows ``wanted`` are read, all of them if it is None.
    """

    def __init__(
        self, groups: SlotGroups, counts_before: Integers, counts_after: Integers, wanted: np.ndarray[Any, np.dtype[np.bool_]] | None = None
    ) -> None:
        rows = len(groups.order)
        is_group_start = np.zeros(rows, np.bool_)
        is_group_start[groups.starts] = True
        is_start = is_group_start.copy()
        is_start[1:] |= (counts_after[:-1] == 0) & (counts_before[:-1] > 0)
        self.rows = rows
        self.order = groups.order
        self.starts: Integers = np.flatnonzero(is_start)
        self.ends: Integers = np.append(self.starts[1:], rows)
        self.sizes: Integers = self.ends - self.starts
        group_of_segment = np.cumsum(is_group_start[self.starts]) - 1
        self.slots: Slots = groups.slots[group_of_segment]
        self.initial_counts: Integers = counts_before[self.starts]
        self.is_fresh = self.initial_counts == 0
        self.is_over = counts_after[self.ends - 1] == 0
        self.signs: Integers = counts_after - counts_before
        self.counts = counts_after
        self.wanted = wanted
        self.last_slots: Slots = groups.slots
        self.last_rows: Integers = groups.ends - 1
        self.is_last = np.append(group_of_segment[1:] != group_of_segment[:-1], True) if len(self.starts) else np.zeros(0, np.bool_)

    @cached_property
    def of_row(self) -> Integers:
        """The segment of each sorted row."""
        return np.repeat(np.arange(len(self.starts)), self.sizes)
