"""Hashes of rows, by which they are partitioned: equal keys have equal hashes, on both sides of a join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.keys import canonical, is_nested

_BITS = 64
_FIRST = 0xFF51AFD7ED558CCD
_SECOND = 0xC4CEB9FE1A85EC53
_NULL = 0x9E3779B97F4A7C15
_SAMPLE = 4096
_MASK = (1 << _BITS) - 1


def partition_numbers(columns: Sequence[pa.Array], count: int, level: int) -> pa.Array:
    """Returns for each row a number from 0 to ``count`` - 1, a power of 2; other levels give independent numbers. NULL equals NULL."""
    total: pa.Array | None = None
    for column in columns:
        hashes = pc.fill_null(_hashes(column), _unsigned(_NULL))
        total = hashes if total is None else pc.bit_wise_xor(pc.multiply(total, _unsigned(_SECOND)), hashes)
    assert total is not None
    total = _mixed(pc.bit_wise_xor(total, _unsigned(_NULL * (2 * level + 1) & _MASK)))
    return pc.cast(pc.shift_right(total, _unsigned(_BITS - (count.bit_length() - 1))), pa.int64())


def _unsigned(value: int) -> pa.Scalar:
    return pa.scalar(value, pa.uint64())


def _mixed(hashes: pa.Array) -> pa.Array:
    for factor in (_FIRST, _SECOND):
        hashes = pc.multiply(pc.bit_wise_xor(hashes, pc.shift_right(hashes, _unsigned(33))), _unsigned(factor))
    return pc.bit_wise_xor(hashes, pc.shift_right(hashes, _unsigned(33)))


def _hashes(column: pa.Array) -> pa.Array:
    type_ = column.type
    if pa.types.is_dictionary(type_):
        return _hashes(pc.cast(column, type_.value_type))
    if pa.types.is_null(type_):
        return pa.nulls(len(column), pa.uint64())
    if is_nested(type_):
        return _by_value(column, lambda value: hash(canonical(value, type_)))
    if pa.types.is_boolean(type_):
        column = pc.cast(column, pa.int64())
    elif pa.types.is_decimal(type_) or pa.types.is_floating(type_):
        column = pc.cast(column, pa.float64())
    elif pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_binary(type_):
        return _of_texts(column)
    elif not pa.types.is_integer(type_):
        if not (pa.types.is_temporal(type_) and type_.bit_width in (32, 64)):
            return _by_value(column, lambda value: hash(repr(value)))
        column = column.view(pa.int32() if type_.bit_width == 32 else pa.int64())
    if pa.types.is_floating(column.type):
        column = pc.add(column, pa.scalar(0.0))  # -0.0 equals 0.0
        column = pc.if_else(pc.is_nan(column), pa.scalar(float("nan")), column).view(pa.int64())
    # The upper bits too must differ, because later columns are combined by multiplication.
    return _mixed(pc.cast(column, pa.int64()).view(pa.uint64()))


def _of_texts(column: pa.Array) -> pa.Array:
    """Arrow has no hash function. Texts with few distinct values are hashed once per value."""
    if len(pc.unique(column.slice(0, _SAMPLE))) > _SAMPLE // 2:
        return _by_value(column, hash)
    encoded = pc.dictionary_encode(column)
    return pc.take(_by_value(encoded.dictionary, hash), encoded.indices)


def _by_value(column: pa.Array, function: Callable[[Any], int]) -> pa.Array:
    return pa.array([None if value is None else function(value) for value in column.to_pylist()], pa.int64()).view(pa.uint64())
