"""Rows of a batch by group, split where a group ends and starts again."""

from __future__ import annotations

from typing import Any

import numpy as np

from table_runtime.changelog.slot_groups import SlotGroups, Slots

__all__ = ["Integers", "Segments"]

Integers = np.ndarray[Any, np.dtype[np.int64]]


class Segments:
    """Rows sorted by slot; a segment is a stretch of rows of one slot between which the group exists.

    Segment i is the sorted rows from ``starts[i]`` to ``ends[i]``, of the slot ``slots[i]``. Its state begins empty if ``is_fresh[i]``,
    else with the state of the slot. ``is_last`` marks the segments whose state at their end is that of the slot, ``is_over`` those whose
    group has no rows at their end. Only the results after the sorted rows ``wanted`` are read, all of them if it is None.
    """

    def __init__(
        self, groups: SlotGroups, counts_before: Integers, counts_after: Integers, wanted: np.ndarray[Any, np.dtype[np.bool_]] | None = None
    ) -> None:
        rows = len(groups.order)
        is_start = np.zeros(rows, np.bool_)
        is_start[groups.starts] = True
        is_start[1:] |= (counts_after[:-1] == 0) & (counts_before[:-1] > 0)
        self.rows = rows
        self.order = groups.order
        self.starts: Integers = np.flatnonzero(is_start)
        self.ends: Integers = np.append(self.starts[1:], rows)
        self.sizes: Integers = self.ends - self.starts
        self.group_of_row: Integers = np.repeat(np.arange(len(groups.slots)), groups.sizes)
        group_of_segment = self.group_of_row[self.starts]
        self.slots: Slots = groups.slots[group_of_segment]
        self.is_fresh = counts_before[self.starts] == 0
        self.is_over = counts_after[self.ends - 1] == 0
        self.wanted = wanted
        self.is_last = np.append(group_of_segment[1:] != group_of_segment[:-1], True) if len(self.starts) else np.zeros(0, np.bool_)
        self.of_row: Integers = np.repeat(np.arange(len(self.starts)), self.sizes)
        """The segment of each sorted row."""
