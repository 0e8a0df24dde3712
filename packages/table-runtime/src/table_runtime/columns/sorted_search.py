"""Binary search in sorted Arrow arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc

if TYPE_CHECKING:
    import numpy.typing as npt

    _Positions = npt.NDArray[np.int64]


def search_sorted(ordered: pa.Array, values: pa.Array, side: Literal["left", "right"] = "left") -> pa.Array:
    """Returns before which position of an ordered array without NULLs each value is inserted: before equal values, or after them.

    NULL has the position NULL. Both arrays have the same type, or are integers; decimals and nested values cannot be searched.

    Example:
        ``search_sorted(pa.array([1, 3, 3]), pa.array([3, None, 4]))`` returns ``[1, None, 3]``, with ``side="right"`` ``[3, None, 3]``.
    """
    if _is_numeric(ordered.type):
        found = np.searchsorted(_numbers(ordered), _numbers(values), side=side)
    else:
        found = _compared(ordered, values, side)
    positions = arrow_array(found, pa.int64())
    return pc.if_else(pc.is_valid(values), positions, arrow_scalar(None, pa.int64())) if values.null_count else positions


def _is_numeric(type_: pa.DataType) -> bool:
    is_number = pa.types.is_integer(type_) or pa.types.is_floating(type_)
    return bool(is_number or (pa.types.is_temporal(type_) and not pa.types.is_interval(type_)))


def _numbers(values: pa.Array) -> npt.NDArray[np.generic]:
    """Returns the numbers of which the array consists; any for NULL."""
    type_ = values.type
    if pa.types.is_temporal(type_):
        type_ = pa.int32() if type_.bit_width == 32 else pa.int64()
    data = values.buffers()[1]
    if data is None:
        return np.zeros(len(values), np.int64)
    # Not with `to_numpy`, which imports pandas where it is installed.
    return np.frombuffer(data, type_.to_pandas_dtype())[values.offset : values.offset + len(values)]


def _compared(ordered: pa.Array, values: pa.Array, side: Literal["left", "right"]) -> _Positions:
    """Searches for all values at the same time, by Arrow's comparison: numpy's objects of text are slower, and compare in Python."""
    is_before = pc.less if side == "left" else pc.less_equal
    count = len(ordered)
    found: _Positions = np.zeros(len(values), np.int64)
    step = 1 << count.bit_length() >> 1
    while step:
        tried = found + step
        middle = pc.take(ordered, arrow_array(np.minimum(tried, count) - 1))
        goes_on = pc.fill_null(is_before(middle, values), False).to_numpy(zero_copy_only=False)
        found = np.where(goes_on & (tried <= count), tried, found)
        step >>= 1
    return found
