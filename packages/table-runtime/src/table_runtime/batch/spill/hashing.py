"""Hashes of rows, by which they are partitioned: equal keys have equal hashes, on both sides of a join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import arrow_array
from table_common.arrow import compute as pc
from table_runtime.columns.keys import canonical, is_nested

_Hashes = np.ndarray[Any, np.dtype[np.uint64]]

_FIRST = np.uint64(0xFF51AFD7ED558CCD)
_SECOND = np.uint64(0xC4CEB9FE1A85EC53)
_NULL = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(33)
_MASK = (1 << 64) - 1
_WORD = 8
_MOST_WORDS = 64
"""Words of a text that its hash sees, beside its last one: rows that differ only behind them stay together."""
_NANS = {np.dtype(np.float32): np.uint32(0x7FC00000), np.dtype(np.float64): np.uint64(0x7FF8000000000000)}


def partition_numbers(columns: Sequence[pa.Array], count: int, level: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Returns for each row a number from 0 to ``count`` - 1, a power of 2; other levels give independent numbers. NULL equals NULL."""
    total: _Hashes | None = None
    for column in columns:
        hashes = _hashes_of(column)
        if total is None:
            total = hashes
        else:
            total *= _SECOND
            total ^= hashes
    assert total is not None
    total ^= np.uint64(int(_NULL) * (2 * level + 1) & _MASK)
    return (_mix(total) >> np.uint64(64 - (count.bit_length() - 1))).astype(np.uint32) if count > 1 else np.zeros(len(total), np.uint32)


def order_by_part(keys: Sequence[pa.Array], count: int, level: int) -> tuple[pa.Array, list[int]]:
    """Returns the positions of rows ordered by their part, and where each of ``count`` parts begins, with the end of the last one."""
    numbers = partition_numbers(keys, count, level).astype(np.uint16)
    edges = np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=count))])
    return arrow_array(np.argsort(numbers, kind="stable")), edges.tolist()  # a radix sort


def _mix(hashes: _Hashes) -> _Hashes:
    """Mixes the bits of numbers in place, and returns them."""
    for factor in (_FIRST, _SECOND):
        hashes ^= hashes >> _HALF
        hashes *= factor
    hashes ^= hashes >> _HALF
    return hashes


def _hashes_of(column: pa.Array) -> _Hashes:
    """Returns new hashes of the values; the upper bits too differ, because later columns are combined by multiplication."""
    hashes = _hashes(column)
    if column.null_count:
        hashes[~column.is_valid().to_numpy(zero_copy_only=False)] = _NULL
    return hashes


def _hashes(column: pa.Array) -> _Hashes:
    """Returns the hashes; those of NULL may be any."""
    type_ = column.type
    rows = len(column)
    if pa.types.is_null(type_) or not rows:
        return np.full(rows, _NULL)
    if pa.types.is_dictionary(type_):
        places = pc.fill_null(column.indices, 0).to_numpy(zero_copy_only=False)
        return _hashes_of(column.dictionary)[places] if len(column.dictionary) else np.full(rows, _NULL)
    if is_nested(type_):
        return _by_value(column, lambda value: hash(canonical(value, type_)))
    if pa.types.is_boolean(type_):
        column = pc.cast(column, pa.uint8())
    elif pa.types.is_string(type_) or pa.types.is_binary(type_):
        return _of_texts(column, np.dtype(np.int32))
    elif pa.types.is_large_string(type_) or pa.types.is_large_binary(type_):
        return _of_texts(column, np.dtype(np.int64))
    elif pa.types.is_decimal(type_):
        words = _values(column, np.dtype(np.uint32), type_.bit_width // 32)
        return _of_words(words[:, place] for place in range(words.shape[1]))
    elif pa.types.is_floating(type_) and type_.bit_width >= 32:
        return _of_floats(column)
    elif not (pa.types.is_integer(type_) or (pa.types.is_temporal(type_) and type_.bit_width in (32, 64))):
        return _by_value(column, lambda value: hash(repr(value)))
    return _mix(_values(column, np.dtype(f"i{column.type.bit_width // 8}")).astype(np.int64).view(np.uint64))


def _of_floats(column: pa.Array) -> _Hashes:
    values = _values(column, np.dtype(f"f{column.type.bit_width // 8}")) + column.type.to_pandas_dtype()(0)  # -0.0 equals 0.0
    bits = values.view(f"u{values.itemsize}")
    bits[np.isnan(values)] = _NANS[values.dtype]
    return _mix(bits.astype(np.uint64))


def _values(column: pa.Array, type_: np.dtype[Any], width: int = 1) -> np.ndarray[Any, Any]:
    """Returns the values without a copy, ``width`` numbers each; those of NULL may be any."""
    values = np.frombuffer(column.buffers()[1], type_, len(column) * width, column.offset * width * type_.itemsize)
    return values.reshape(len(column), width) if width > 1 else values


def _of_words(words: Any) -> _Hashes:
    total: _Hashes | None = None
    for word in words:
        if total is None:
            total = _mix(word.astype(np.uint64))
        else:
            total *= _SECOND
            total ^= _mix(word.astype(np.uint64))
    assert total is not None
    return total


def _of_texts(column: pa.Array, offset_type: np.dtype[Any]) -> _Hashes:
    """Hashes texts by words of eight bytes: the first ones, those of all rows at once, and the last one."""
    _, offset_buffer, data = column.buffers()
    ends = np.frombuffer(offset_buffer, offset_type, len(column) + 1, column.offset * offset_type.itemsize).astype(np.int64)
    starts, lengths = ends[:-1], np.diff(ends)
    hashes = _mix(lengths.astype(np.uint64) + _NULL)
    first, last = int(ends[0]), int(ends[-1])
    if first == last:
        return hashes
    # Words may end behind the text, so the bytes are copied with room after them.
    copied = np.zeros(last - first + _WORD, np.uint8)
    copied[: last - first] = np.frombuffer(data, np.uint8, last - first, first)
    words: _Hashes = np.ndarray((last - first + 1,), np.uint64, copied, strides=(1,))
    starts = starts - first
    masks = (np.uint64(_MASK) >> (np.uint64(8) * np.arange(_WORD, 0, -1, dtype=np.uint64) % np.uint64(64))).astype(np.uint64)
    rows: Any = slice(None)
    for place in range(_MOST_WORDS):
        left = lengths[rows] - place * _WORD
        is_left = left > 0
        if not is_left.all():
            rows = np.flatnonzero(is_left) if isinstance(rows, slice) else rows[is_left]
            left = left[is_left]
        if not len(left):
            break
        found = words[starts[rows] + place * _WORD]
        short = left < _WORD
        if short.any():
            found[short] &= masks[left[short]]
        hashes[rows] = _mix((hashes[rows] * _SECOND) ^ found)
    else:
        long = np.flatnonzero(lengths > _MOST_WORDS * _WORD)
        hashes[long] = _mix((hashes[long] * _SECOND) ^ words[starts[long] + lengths[long] - _WORD])
    return hashes


def _by_value(column: pa.Array, function: Callable[[Any], int]) -> _Hashes:
    return np.array([0 if value is None else function(value) for value in column.to_pylist()], np.int64).view(np.uint64)
