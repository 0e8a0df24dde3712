"""Frames as ranges of positions in the sorted rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.expressions import ValueLiteralExpression
from table_runtime.batch.over.ranges import range_limits
from table_runtime.batch.over.sorted_rows import SortedRows, changes


class Bound(NamedTuple):
    """The start or end of a frame: ``side`` is -1 for PRECEDING, 0 for CURRENT ROW, 1 for FOLLOWING; ``distance`` None is UNBOUNDED."""

    side: int
    distance: ValueLiteralExpression | None = None


class Frame(NamedTuple):
    """A frame specification: RANGE if ``is_range``, otherwise ROWS. Both bounds are inclusive."""

    is_range: bool
    lower: Bound
    upper: Bound


class Frames:
    """Ranges of rows from ``lower`` to ``upper`` (exclusive). ``of_row`` is the frame number of each row; None: frame i belongs to row i.

    ``partition`` is the partition number of each row that frames can contain. ``is_running``: every frame begins at the start of its
    partition.
    """

    def __init__(self, lower: pa.Array, upper: pa.Array, partition: pa.Array, *, is_running: bool, of_row: pa.Array | None = None) -> None:
        self.lower = lower
        self.upper = upper
        self.partition = partition
        self.is_running = is_running
        self.of_row = of_row

    @property
    def count(self) -> int:
        """The number of frames."""
        return len(self.lower)

    @property
    def rows(self) -> int:
        """The number of rows that frames can contain."""
        return len(self.partition)

    @property
    def lengths(self) -> pa.Array:
        """The number of rows of each frame."""
        return pc.subtract(self.upper, self.lower)

    @property
    def is_empty(self) -> pa.Array:
        """Whether a frame has no rows."""
        return pc.equal(self.lower, self.upper)

    def without_repeats(self) -> Frames:
        """Returns the frames with equal frames of neighboring rows merged."""
        is_new = changes([self.lower, self.upper], self.count)
        indices = pc.indices_nonzero(is_new)
        if len(indices) == self.count:
            return self
        of_row = pc.subtract(pc.cumulative_sum(pc.cast(is_new, pa.int64())), pa.scalar(1))
        return Frames(pc.take(self.lower, indices), pc.take(self.upper, indices), self.partition, is_running=self.is_running, of_row=of_row)

    def restricted(self, mask: pa.Array, columns: Sequence[pa.Array]) -> tuple[Frames, list[pa.Array]]:
        """Returns the frames restricted to the rows where the mask is true, and the columns of these rows."""
        count = pc.cumulative_sum(pc.cast(mask, pa.int64()))
        before = pa.concat_arrays([pa.array([0], type=pa.int64()), count])
        frames = Frames(
            pc.take(before, self.lower),
            pc.take(before, self.upper),
            pc.array_filter(self.partition, mask),
            is_running=self.is_running,
            of_row=self.of_row,
        )
        return frames, [pc.array_filter(column, mask) for column in columns]

    def spread(self, results: pa.Array) -> pa.Array:
        """Returns the result of each row from the results of the frames."""
        return results if self.of_row is None else pc.take(results, self.of_row)


def make_frames(rows: SortedRows, frame: Frame) -> Frames:
    """Returns the frames of all rows, with equal frames of neighboring rows merged."""
    lower = _limit(rows, frame, frame.lower, is_upper=False)
    upper = pc.max_element_wise(_limit(rows, frame, frame.upper, is_upper=True), lower)
    is_running = frame.lower.side < 0 and frame.lower.distance is None
    return Frames(lower, upper, rows.partition, is_running=is_running).without_repeats()


def _limit(rows: SortedRows, frame: Frame, bound: Bound, *, is_upper: bool) -> pa.Array:
    if bound.side and bound.distance is None:
        return rows.partition_start if bound.side < 0 else rows.partition_end
    if frame.is_range:
        if bound.side == 0:
            return rows.peers[is_upper]
        assert bound.distance is not None
        return range_limits(rows, bound.side, bound.distance, is_upper=is_upper)
    # The distance is limited to the number of rows, so that the sum cannot overflow.
    distance = 0 if bound.distance is None else min(int(bound.distance.value), rows.rows)
    place = pc.add(rows.position, pa.scalar(bound.side * distance + is_upper))
    return pc.min_element_wise(pc.max_element_wise(place, rows.partition_start), rows.partition_end)
