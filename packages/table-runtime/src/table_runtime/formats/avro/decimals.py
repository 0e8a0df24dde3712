"""Converts Avro's decimals, which are big-endian numbers, to columns, with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc

_PADDING = 16


def decimals_of(values: pa.BinaryArray, scale: int) -> pa.Array | None:
    """Returns big-endian numbers as decimals of the scale; None if one of them is longer than eight bytes."""
    lengths = np.asarray(pc.fill_null(pc.binary_length(values), 0)).astype(np.int64)
    if len(lengths) and lengths.max() > 8:
        return None
    _, offsets_buffer, buffer = values.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32)[values.offset : values.offset + len(values)]
    data = np.zeros((buffer.size if buffer is not None else 0) + _PADDING, np.uint8)
    if buffer is not None:
        data[: buffer.size] = np.frombuffer(buffer, np.uint8)
    words: Any = np.ndarray((len(data) - 7,), ">i8", buffer=data, strides=(1,))
    numbers = words[offsets].astype(np.int64) >> (64 - 8 * np.maximum(lengths, 1))
    numbers[lengths == 0] = 0
    wide = np.empty((len(numbers), 2), np.int64)
    wide[:, 0], wide[:, 1] = numbers, numbers >> 63
    validity = pc.is_valid(values).buffers()[1] if values.null_count else None
    return pa.Array.from_buffers(pa.decimal128(38, scale), len(values), [validity, pa.py_buffer(wide)])
