"""Rows of a partition that were evaluated and are still needed, followed by new ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from table_runtime.streaming.over.calls import OverRows
from table_runtime.streaming.state.row_lists import Rows
from table_runtime.streaming.state.timed_rows import TimedRows

_Positions = np.ndarray[Any, np.dtype[np.int64]]


class Together(NamedTuple):
    """The kept rows of the partitions of new rows, and the new rows, numbered one after the other.

    ``order`` sorts them by slot: the kept rows of a slot, then its new ones. ``slots`` and ``times`` are in this order.
    """

    kept: Rows
    order: _Positions
    slots: _Positions
    times: _Positions
    places_of_new: _Positions
    """The place in ``order`` of each new row."""
    first_of_new: _Positions
    """The place in ``order`` of the first row of each new row's slot."""


def following(history: TimedRows, rows: OverRows) -> Together:
    """Returns new rows after the kept rows of their partitions."""
    kept = history.of_slots(rows.slots[rows.starts])
    slots = np.concatenate([history.slots_of(kept), rows.slots])
    times = np.concatenate([history.times_of(kept), rows.times])
    order = np.argsort(slots, kind="stable")  # kept rows are in the order of time, new rows come after them
    slots, times = slots[order], times[order]
    is_first = np.ones(len(slots), np.bool_)
    is_first[1:] = slots[1:] != slots[:-1]
    first = np.flatnonzero(is_first)
    first_of = np.repeat(first, np.diff(np.append(first, len(slots))))
    places = np.flatnonzero(order >= len(kept))  # new rows are sorted by slot already
    return Together(kept, order, slots, times, places, first_of[places])


def kept_tail(history: TimedRows, together: Together, every: pa.RecordBatch, count: int) -> None:
    """Keeps the last ``count`` rows of each partition; ``every`` are the kept rows, then the new ones."""
    slots = together.slots
    is_last = np.ones(len(slots), np.bool_)
    is_last[:-1] = slots[1:] != slots[:-1]
    last = np.flatnonzero(is_last)
    last_of = np.repeat(last, np.diff(np.append(-1, last)))
    keep_places(history, together, every, np.flatnonzero(last_of - np.arange(len(slots)) < count))


def keep_places(history: TimedRows, together: Together, every: pa.RecordBatch, places: _Positions) -> None:
    """Keeps the rows at some places of the order, and no others of these partitions."""
    chosen = together.order[places]
    is_old = chosen < len(together.kept)
    history.remove(np.setdiff1d(together.kept, together.kept[chosen[is_old]], assume_unique=True))
    new = ~is_old
    history.append(every.take(pa.array(chosen[new])), together.slots[places][new], together.times[places][new], 0)
