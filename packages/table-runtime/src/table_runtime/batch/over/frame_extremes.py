"""MIN and MAX over frames, for any orderable type."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import arrow_scalar
from table_common.arrow import compute as pc
from table_runtime.batch.over.frames import Frames
from table_runtime.columns.ordering import SortKey, sort_indices

_ONE = arrow_scalar(1, pa.int64())
_NOWHERE = arrow_scalar(None, pa.int64())


def frame_extremes(values: pa.Array, frames: Frames, *, greatest: bool) -> pa.Array:
    """Returns the smallest or greatest value of each frame, NULL if the frame is empty; ``values`` has no NULLs."""
    order = pc.cast(sort_indices([values], [SortKey(0, ascending=greatest)]), pa.int64())
    # The rank of each value in an order in which the result of a frame is the value with the highest rank.
    rank = pc.inverse_permutation(order)
    best = _running(rank, frames) if frames.is_running else _sliding(rank, frames)
    return pc.take(values, pc.take(order, best))


def _running(rank: pa.Array, frames: Frames) -> pa.Array:
    """Returns the highest rank up to the frame's last row. Each partition adds a higher base, at which the cumulative maximum restarts."""
    base = pc.multiply(frames.partition, arrow_scalar(len(rank), pa.int64()))
    highest = pc.subtract(pc.cumulative_max(pc.add(base, rank)), base)
    return pc.take(highest, pc.if_else(frames.is_empty, _NOWHERE, pc.subtract(frames.upper, _ONE)))


def _sliding(rank: pa.Array, frames: Frames) -> pa.Array:
    """Returns the highest rank of each frame.

    Two overlapping spans whose length is a power of two cover a frame; the span length doubles in each round.
    """
    lengths = frames.lengths
    result = pa.nulls(frames.count, pa.int64())
    longest = pc.max(lengths).as_py() or 0
    best, span = rank, 1
    while span <= longest:
        mask = pc.and_(pc.greater_equal(lengths, arrow_scalar(span)), pc.less(lengths, arrow_scalar(2 * span)))
        if pc.any(mask).as_py():
            lower = pc.array_filter(frames.lower, mask)
            upper = pc.subtract(pc.array_filter(frames.upper, mask), arrow_scalar(span))
            highest = pc.max_element_wise(pc.take(best, lower), pc.take(best, upper))
            result = pc.replace_with_mask(result, mask, highest)
        if len(best) <= span:
            break
        best = pc.max_element_wise(best.slice(0, len(best) - span), best.slice(span))
        span *= 2
    return result
