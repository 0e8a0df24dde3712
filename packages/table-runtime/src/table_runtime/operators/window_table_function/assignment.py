"""Which windows rows are in, by whole columns; times are int64 milliseconds since 1970-01-01 00:00 of the local clock."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.aggregates.lists import positions
from table_runtime.batches import concat_arrays
from table_runtime.casts.temporal import floor_ticks

__all__ = ["AlignedWindows", "Assignment", "floor_to", "milliseconds", "repeated"]


class Assignment(NamedTuple):
    """Windows with the rows in them: the position of the row (None: each row once, in order), start and end."""

    rows: pa.Array | None
    starts: pa.Array
    ends: pa.Array


class AlignedWindows(Protocol):
    """Windows that depend on nothing but the row's time."""

    @property
    def most(self) -> int:
        """How many windows a row is in at most."""

    def assign(self, times: pa.Array) -> Assignment:
        """Returns the windows of rows with these times, of which none is NULL; a row's windows stand together, in the order of the rows."""


def milliseconds(length: int) -> pa.Scalar:
    """Returns a length for arithmetic with times."""
    return pa.scalar(length, pa.int64())


def floor_to(times: pa.Array, length: int, offset: int) -> pa.Array:
    """Returns the greatest multiples of a length, moved by the offset, that are not behind the times; also below zero."""
    if not offset:
        return floor_ticks(times, length)
    return pc.add(floor_ticks(pc.subtract(times, milliseconds(offset)), length), milliseconds(offset))


def repeated(counts: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Returns the positions 0, 1, 2, …, each as often as its count says, and for each which repetition it is, from 0."""
    offsets = concat_arrays([pa.array([0], type=pa.int64()), pc.cumulative_sum(counts)], pa.int64())
    numbers = positions(offsets[len(offsets) - 1].as_py())
    rows = pc.list_parent_indices(pa.LargeListArray.from_arrays(offsets, numbers))
    return rows, pc.subtract(numbers, pc.take(offsets, rows))
