"""Window assignment over whole columns; times are int64 milliseconds since 1970-01-01 00:00 in local time."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.aggregates.lists import positions
from table_runtime.batches import concat_arrays
from table_runtime.casts.temporal import floor_ticks

__all__ = ["AlignedWindows", "Assignment", "floor_to", "milliseconds", "repeated"]


class Assignment(NamedTuple):
    """Pairs of row and window: position of the row (None: each row once, in order), start and end of the window."""

    rows: pa.Array | None
    starts: pa.Array
    ends: pa.Array


class AlignedWindows(Protocol):
    """Windows that depend on the row's time only."""

    @property
    def most(self) -> int:
        """Maximum number of windows per row."""

    def assign(self, times: pa.Array) -> Assignment:
        """Returns the windows of the rows with these times (no NULLs), in the order of the rows."""


def milliseconds(length: int) -> pa.Scalar:
    """Returns a length in milliseconds as a scalar for arithmetic with times."""
    return pa.scalar(length, pa.int64())


def floor_to(times: pa.Array, length: int, offset: int) -> pa.Array:
    """Returns the times rounded down to multiples of ``length`` plus ``offset``; times may be negative."""
    if not offset:
        return floor_ticks(times, length)
    return pc.add(floor_ticks(pc.subtract(times, milliseconds(offset)), length), milliseconds(offset))


def repeated(counts: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Returns the positions 0, 1, 2, …, each repeated as often as its count, and the number of the repetition, from 0."""
    offsets = concat_arrays([pa.array([0], type=pa.int64()), pc.cumulative_sum(counts)], pa.int64())
    numbers = positions(offsets[len(offsets) - 1].as_py())
    rows = pc.list_parent_indices(pa.LargeListArray.from_arrays(offsets, numbers))
    return rows, pc.subtract(numbers, pc.take(offsets, rows))
