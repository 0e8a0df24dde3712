"""RANGE frames with a distance: bounds by the difference of order keys."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.expressions import ValueLiteralExpression
from table_common.types import YearMonthIntervalType
from table_runtime.batch.over.sorted_rows import SortedRows
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.kernels.support.calendar import DAY_TICKS, add_months, days_of

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def range_limits(rows: SortedRows, side: int, distance: ValueLiteralExpression, *, is_upper: bool) -> pa.Array:
    """Returns the position at which each row's frame begins, or (with ``is_upper``) ends.

    The frame of a row with a NULL key has the rows with NULL keys. Keys and limits are sorted together; the number of keys before a limit
    is its position.
    """
    ((keys,), (order,)) = rows.order_by, rows.orders
    towards = side if order.ascending else -side
    keys, limits = _keys_and_limits(keys, towards, distance)
    # A lower limit sorts before equal keys, an upper limit after them.
    tag = pa.repeat(pa.scalar(0 if is_upper else 1, pa.int8()), rows.rows)
    other = pa.repeat(pa.scalar(1 if is_upper else 0, pa.int8()), rows.rows)
    both = [
        pa.concat_arrays([rows.partition, rows.partition]),
        pa.concat_arrays([keys, limits]),
        pa.concat_arrays([tag, other]),
    ]
    indices = sort_indices(both, [SortKey(0), SortKey(1, order.ascending, order.nulls_first), SortKey(2)])
    is_key = pc.less(indices, pa.scalar(rows.rows, indices.type))
    keys_before = pc.cumulative_sum(pc.cast(is_key, pa.int64()))
    is_limit = pc.invert(is_key)
    owner = pc.subtract(pc.cast(pc.array_filter(indices, is_limit), pa.int64()), pa.scalar(rows.rows))
    return pc.take(pc.array_filter(keys_before, is_limit), pc.inverse_permutation(owner))


def _keys_and_limits(keys: pa.Array, towards: int, distance: ValueLiteralExpression) -> tuple[pa.Array, pa.Array]:
    """Returns comparable keys, and the keys plus (``towards`` 1) or minus (-1) the distance."""
    type_ = keys.type
    if isinstance(distance.output_type, YearMonthIntervalType):
        return _moved_months(keys, towards * distance.value)
    if pa.types.is_temporal(type_):
        return _moved_times(keys, towards * distance.value)
    common_type = to_arrow_type(distance.output_type)
    delta = pa.scalar(distance.value, common_type)
    if pa.types.is_floating(common_type):
        keys = pc.cast(keys, common_type)
        return keys, pc.add(keys, delta) if towards > 0 else pc.subtract(keys, delta)
    if pa.types.is_decimal(common_type):
        keys = pc.cast(keys, pa.decimal256(60, common_type.scale))
        delta = pc.cast(delta, keys.type)
        limits = pc.add(keys, delta) if towards > 0 else pc.subtract(keys, delta)
        return pc.cast(keys, limits.type), limits
    return _moved_integers(pc.cast(keys, pa.int64()), towards * distance.value)


def _moved_months(keys: pa.Array, months: int) -> tuple[pa.Array, pa.Array]:
    """Returns the keys and the shifted keys as integers of their unit; a day that the month does not have becomes its last day."""
    days, rest = days_of(keys)
    moved = add_months(days, pa.scalar(months, pa.int32()), len(keys))
    ticks = pa.scalar(1 if pa.types.is_date32(keys.type) else DAY_TICKS[keys.type.unit], pa.int64())

    def number(day: pa.Array) -> pa.Array:
        return pc.add(pc.multiply(pc.cast(day, pa.int64()), ticks), rest)

    return number(days), number(moved)


def _moved_times(keys: pa.Array, nanos: int) -> tuple[pa.Array, pa.Array]:
    """Returns the keys and the shifted keys as integers of their unit, or of nanoseconds if the distance needs them."""
    type_ = keys.type
    if pa.types.is_date32(type_):
        days = pc.cast(pc.cast(keys, pa.int32()), pa.int64())
        numbers, per_second = pc.multiply(days, pa.scalar(86_400 * 10**6)), 10**6
    else:
        width = pa.int32() if type_.bit_width == 32 else pa.int64()
        numbers, per_second = pc.cast(keys.view(width), pa.int64()), _PER_SECOND[type_.unit]
    if nanos * per_second % 10**9:
        numbers, per_second = pc.multiply_checked(numbers, pa.scalar(10**9 // per_second)), 10**9
    return _moved_integers(numbers, nanos * per_second // 10**9)


def _moved_integers(keys: pa.Array, change: int) -> tuple[pa.Array, pa.Array]:
    if keys.null_count != len(keys):
        bounds: dict[str, Any] = pc.min_max(keys).as_py()
        if bounds["min"] + change < -(2**63) or bounds["max"] + change >= 2**63:
            wide = pc.cast(keys, pa.decimal128(20, 0))
            limits = pc.add(wide, pc.cast(pa.scalar(change), pa.decimal128(20, 0)))
            return pc.cast(wide, limits.type), limits
    return keys, pc.add(keys, pa.scalar(change, pa.int64()))
