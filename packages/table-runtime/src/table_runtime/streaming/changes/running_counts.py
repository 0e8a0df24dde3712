"""Running counts of rows per slot within a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from table_runtime.streaming.changes.slot_groups import SlotGroups

_Counts = np.ndarray[Any, np.dtype[np.int64]]


class RunningCounts(NamedTuple):
    """Counts before and after each row of a batch, sorted by slot, and how many retractions were ignored."""

    before: _Counts
    after: _Counts
    ignored: int


def running_counts(signs: _Counts, start: _Counts, groups: SlotGroups) -> RunningCounts:
    """Returns the counts of rows by slot, from those at the ``start`` (repeated per row); a count never falls below 0."""
    total = np.cumsum(signs)
    base = np.repeat(total[groups.starts] - signs[groups.starts], groups.sizes)
    after = start + total - base
    ignored = 0
    if after.min(initial=0) < 0:
        # A retraction at count 0 is ignored: each count is raised by the lowest negative value before it.
        for first, end in zip(groups.starts, groups.ends, strict=True):
            lowest = np.minimum.accumulate(np.minimum(after[first:end], 0))
            ignored -= int(lowest[-1])
            after[first:end] -= lowest
    before = np.empty_like(after)
    before[1:] = after[:-1]
    before[groups.starts] = start[groups.starts]
    return RunningCounts(before, after, ignored)
