"""Sums of BIGINT that cannot overflow: the upper and lower 32 bits are summed separately."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from weakref import ref

import pyarrow as pa

from table_common.arrow import compute as pc

_LOW = 0xFFFFFFFF
_last = threading.local()
"""The last column of each thread and its bounds: several calls often sum the same one."""


def split_halves(values: pa.Array) -> list[pa.Array]:
    """Returns the upper halves (with the sign) and the lower halves (not negative); each sums without overflow over 2**31 rows."""
    return [pc.shift_right(values, pa.scalar(32, pa.int64())), pc.bit_wise_and(values, pa.scalar(_LOW, pa.int64()))]


def has_safe_sum(values: pa.Array) -> bool:
    """Returns whether no sum of some of the values can overflow."""
    low, high = bounds_of(values)
    return low is None or high is None or max(-low, high) * len(values) < 2**63


def bounds_of(values: pa.Array) -> tuple[int | None, int | None]:
    """Returns the smallest and the greatest of some integers; None without values."""
    known = getattr(_last, "bounds", None)
    if known is not None and known[0]() is values:
        return known[1], known[2]
    bounds = pc.min_max(values)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    _last.bounds = ref(values), low, high
    return low, high


def join_halves(high: pa.Array, low: pa.Array) -> pa.Array | None:
    """Returns the sums as int64, or None if one does not fit."""
    carried = pc.add(high, pc.shift_right(low, pa.scalar(32, pa.int64())))
    bounds = pc.min_max(carried).as_py()
    if bounds["min"] is not None and not (bounds["min"] >= -(2**31) and bounds["max"] < 2**31):
        return None
    return pc.bit_wise_or(pc.shift_left(carried, pa.scalar(32, pa.int64())), pc.bit_wise_and(low, pa.scalar(_LOW, pa.int64())))


def to_python(high: pa.Array, low: pa.Array) -> Sequence[int | None]:
    """Returns the sums as Python numbers of any size."""
    return [None if h is None else (h << 32) + lo for h, lo in zip(high.to_pylist(), low.to_pylist(), strict=True)]
