"""Order keys as 64-bit integers, which compare as ORDER BY does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from table_runtime.columns.ordering import SortKey
from table_runtime.streaming.changes.segments import Integers

_SIGN = np.int64(0x7FFF_FFFF_FFFF_FFFF)


def has_order_words(type_: pa.DataType) -> bool:
    """Whether values of the type have words: integers, dates, times, timestamps and floating point numbers."""
    return bool(
        (pa.types.is_integer(type_) and type_ != pa.uint64())
        or pa.types.is_date(type_)
        or pa.types.is_time(type_)
        or pa.types.is_timestamp(type_)
        or pa.types.is_floating(type_)
    )


def order_words(values: pa.Array, key: SortKey) -> Integers:
    """Returns for each value a number: of two values the one with the lesser number stands first, and equal values have equal numbers.

    NaN is the greatest number, and -0.0 is equal to 0.0. The numbers of NULLs mean nothing.
    """
    if pa.types.is_temporal(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    values = values.fill_null(0)
    if pa.types.is_floating(values.type):
        words = _float_words(values.cast(pa.float64()).to_numpy())
    else:
        words = values.cast(pa.int64()).to_numpy()
    return words if key.ascending else ~words


def _float_words(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> Integers:
    bits: Integers = np.where(np.isnan(numbers), np.nan, numbers + 0.0).view(np.int64)  # one NaN, and no -0.0
    return np.where(bits < 0, bits ^ _SIGN, bits)
