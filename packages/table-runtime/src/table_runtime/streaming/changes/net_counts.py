"""How a whole batch changes the number of rows of each group, without the numbers after each row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots

_SPARSE = 4
"""With fewer rows than a part of the slots, the rows are sorted; else a table of all slots is faster."""


class NetCounts(NamedTuple):
    """For each slot with rows in a batch, in ascending order: its first row, and its number of rows before and after the batch.

    ``is_fresh`` marks the slots whose rows before the batch count no more: there were none, or all were retracted before others were added.
    ``kept`` marks the rows of the batch that count; None: all.
    """

    slots: Slots
    first_rows: Integers
    before: Integers
    after: Integers
    is_fresh: np.ndarray[Any, np.dtype[np.bool_]]
    kept: np.ndarray[Any, np.dtype[np.bool_]] | None


def net_counts(slots: Slots, signs: Integers, counts: Integers) -> NetCounts | None:
    """Returns how rows change the ``counts``, by slot, of the rows of groups; None if more rows of a group are retracted than it had before the batch."""
    found, first_rows, place = _places(slots, len(counts))
    before, groups = counts[found], len(found)
    if signs.min() > 0:
        return NetCounts(found, first_rows, before, before + np.bincount(place, minlength=groups), before == 0, None)
    removing, adding = np.flatnonzero(signs < 0), np.flatnonzero(signs > 0)
    removed, added = (np.bincount(place[rows], minlength=groups) for rows in (removing, adding))
    if (removed > before).any():
        return None
    # All rows that a group had are retracted: it starts over if that is before others are added.
    last_removing, first_adding = np.full(groups, -1), np.full(groups, len(slots))
    last_removing[place[removing]] = removing
    first_adding[place[adding[::-1]]] = adding[::-1]
    restarts = (removed == before) & (removed > 0) & (last_removing < first_adding) & (added > 0)
    kept = ~restarts[place] | (signs > 0) if restarts.any() else None
    return NetCounts(found, first_rows, before, before + added - removed, (before == 0) | restarts, kept)


def _places(slots: Slots, size: int) -> tuple[Slots, Integers, Integers]:
    """Returns the distinct slots in ascending order, the first row of each, and for each row the place of its slot among them."""
    if size > _SPARSE * len(slots):
        groups = SlotGroups(slots)
        place = np.empty(len(slots), np.int64)
        place[groups.order] = np.repeat(np.arange(len(groups.slots)), groups.sizes)
        return groups.slots, groups.order[groups.starts], place
    rows, of_slot = np.arange(len(slots)), np.full(size, -1)
    of_slot[slots[::-1]] = rows[::-1]  # the first row of each slot is written last
    found = np.flatnonzero(of_slot >= 0)
    first_rows = of_slot[found]
    of_slot[found] = np.arange(len(found))
    return found, first_rows, of_slot[slots]
