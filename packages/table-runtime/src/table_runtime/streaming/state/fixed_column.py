"""A column of values of fixed width by row number, as a growing numpy array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.state.columns import grown

_Truths = np.ndarray[Any, np.dtype[np.bool_]]

_DTYPES = {8: "i1", 16: "i2", 32: "i4", 64: "i8", 128: "V16"}


def has_fixed_width(type_: pa.DataType) -> bool:
    """Whether values of the type are 1, 2, 4, 8 or 16 bytes: numbers, decimals of up to 38 digits, dates and times."""
    is_scalar = pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_) or pa.types.is_temporal(type_)
    return is_scalar and type_.bit_width in _DTYPES


class FixedColumn:
    """Values to which others are added at the end."""

    def __init__(self, type_: pa.DataType) -> None:
        self._type = type_
        self._size = 0
        self._values: np.ndarray[Any, Any] = np.zeros(1024, _DTYPES[type_.bit_width])
        self._is_null: _Truths | None = None  # no value was NULL so far

    def append(self, column: pa.Array) -> None:
        """Adds values at the end."""
        start, size = self._size, self._size + len(column)
        self._values = grown(self._values, size)
        if len(column):
            self._values[start:size] = np.frombuffer(column.buffers()[1], self._values.dtype)[column.offset : column.offset + len(column)]
        if column.null_count and self._is_null is None:
            self._is_null = np.zeros(len(self._values), np.bool_)
        if self._is_null is not None:
            self._is_null = grown(self._is_null, size)
            self._is_null[start:size] = column.is_null().to_numpy(zero_copy_only=False)
        self._size = size

    def take(self, rows: Integers, is_absent: _Truths | None) -> pa.Array:
        """Returns the values of some rows; NULL for those that are absent, whose numbers are -1."""
        is_null = is_absent
        if self._is_null is not None:
            is_null = self._is_null.take(rows) if is_absent is None else self._is_null.take(rows) | is_absent
        validity = None if is_null is None else pa.array(~is_null).buffers()[1]
        return pa.Array.from_buffers(self._type, len(rows), [validity, pa.py_buffer(self._values.take(rows))])
