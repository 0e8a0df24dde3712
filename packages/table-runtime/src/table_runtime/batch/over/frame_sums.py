"""Sums over frames: differences of running sums for exact types, and running sums of floats where no difference is needed."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_runtime.aggregates import Reduction
from table_runtime.batch.over.frames import Frames

_LOW = arrow_scalar(0xFFFFFFFF, pa.int64())
_HALF = arrow_scalar(32, pa.int64())
_STEP = arrow_scalar(Decimal(2**32), pa.decimal256(10, 0))


def frame_sums(reduction: Reduction, frames: Frames) -> pa.Array | None:
    """Returns the reduction over each frame, or None if running sums cannot compute it. A sum over no values is NULL."""
    column = reduction.column
    if column is None:
        return frames.lengths if reduction.function == "count_all" else None
    if reduction.function == "count":
        return _difference(pc.cast(pc.is_valid(column), pa.int64()), frames)
    if reduction.function != "sum":
        return None
    total = _sum(column, frames)
    if total is None:
        return None
    is_empty = (
        frames.is_empty
        if column.null_count == 0
        else pc.equal(_difference(pc.cast(pc.is_valid(column), pa.int64()), frames), arrow_scalar(0, pa.int64()))
    )
    return pc.if_else(is_empty, arrow_scalar(None, total.type), total)


def _sum(column: pa.Array, frames: Frames) -> pa.Array | None:
    type_ = column.type
    if pa.types.is_boolean(type_) or pa.types.is_signed_integer(type_):
        try:
            return _difference(pc.fill_null(pc.cast(column, pa.int64()), 0), frames)
        except pa.ArrowInvalid:  # the running sum overflows, although the sum of a frame may not
            return None
    if pa.types.is_decimal(type_):
        return _decimals(column, frames)
    return _running_floats(column, frames) if pa.types.is_floating(type_) and frames.is_running else None


def _difference(values: pa.Array, frames: Frames) -> pa.Array:
    before = pa.concat_arrays([arrow_array([0], pa.int64()), pc.cumulative_sum_checked(values)])
    return pc.subtract(pc.take(before, frames.upper), pc.take(before, frames.lower))


def _running_floats(column: pa.Array, frames: Frames) -> pa.Array:
    """Returns sums from the start of each partition, added row by row; the rounding error is that of an ordinary sum."""
    totals: list[float] = []
    total, current = 0.0, -1
    for value, partition in zip(column.to_pylist(), frames.partition.to_pylist(), strict=True):
        if partition != current:
            total, current = 0.0, partition
        if value is not None:
            total += value
        totals.append(total)
    last = pc.if_else(frames.is_empty, arrow_scalar(None, pa.int64()), pc.subtract(frames.upper, arrow_scalar(1)))
    return pc.take(arrow_array(totals, pa.float64()), last)


def _decimals(column: pa.Array, frames: Frames) -> pa.Array | None:
    """Returns exact sums: adds the 32-bit words of the unscaled integers separately, which cannot overflow, and combines the sums."""
    scale = column.type.scale
    try:
        narrow = pc.cast(column, pa.decimal128(38, scale))
    except pa.ArrowInvalid:
        return None
    narrow = pc.fill_null(narrow, arrow_scalar(Decimal(0), narrow.type)) if narrow.null_count else narrow
    rows = len(narrow)
    words = pa.Array.from_buffers(pa.int64(), 2 * rows, [None, narrow.buffers()[1]], offset=2 * narrow.offset)
    even = pc.multiply(pa.arange(0, rows), arrow_scalar(2)) if rows else arrow_array([], pa.int64())
    low, high = pc.take(words, even), pc.take(words, pc.add(even, arrow_scalar(1)))
    parts = [_low(low), _low(pc.shift_right(low, _HALF)), _low(high), pc.shift_right(high, _HALF)]
    sums = [_difference(part, frames) for part in parts]
    # Carries propagate upwards until every word but the highest has 32 bits again.
    for index in range(3):
        sums[index + 1] = pc.add(sums[index + 1], pc.shift_right(sums[index], _HALF))
        sums[index] = _low(sums[index])
    total = pc.cast(sums[3], pa.decimal256(20, 0))
    for part in (sums[2], sums[1], sums[0]):
        total = pc.add(pc.multiply(total, _STEP), pc.cast(part, pa.decimal256(20, 0)))
    total = pc.cast(total, pa.decimal256(76, 0))
    return pa.Array.from_buffers(pa.decimal256(76, scale), len(total), total.buffers(), total.null_count, total.offset)


def _low(values: pa.Array) -> pa.Array:
    return pc.bit_wise_and(values, _LOW)
