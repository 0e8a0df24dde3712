"""Encodes key columns so that values that are equal in SQL are equal in Arrow's hash tables; types that Arrow cannot hash become integers.

Arrow distinguishes 0.0 from -0.0 and cannot group or join by lists, rows and maps. A ``KeyCodec`` encodes key columns for grouping and
decodes them again. Both sides of a join share one codec, so that equal values get equal codes.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc


def is_nested(type_: pa.DataType) -> bool:
    """Returns whether the type is a list, row or map."""
    return bool(pa.types.is_nested(type_))


class KeyCodec:
    """Encodes key columns of the given types; safe to use from several threads."""

    def __init__(self, types: Sequence[pa.DataType]) -> None:
        self._types = tuple(types)
        self._codes = [_NestedCodes(type_) if is_nested(type_) else None for type_ in types]
        self._extended: dict[tuple[pa.DataType, ...], KeyCodec] = {}

    def extended(self, types: Sequence[pa.DataType]) -> KeyCodec:
        """Returns a codec for these columns, with the same codes, followed by columns of ``types``; the same one for the same types."""
        result = self._extended.get(tuple(types))
        if result is None:
            result = self._extended[tuple(types)] = KeyCodec((*self._types, *types))
            result._codes[: len(self._codes)] = self._codes
        return result

    @property
    def types(self) -> tuple[pa.DataType, ...]:
        """The types of the columns before encoding."""
        return self._types

    def encode(self, columns: Sequence[pa.Array]) -> list[pa.Array]:
        """Returns groupable columns; NULL stays NULL."""
        return [self._encode(index, column) for index, column in enumerate(columns)]

    def encode_one(self, index: int, column: pa.Array) -> pa.Array:
        """Returns the groupable column; ``index`` is its position in the codec."""
        return self._encode(index, column)

    def dividing(self, index: int, encoded: pa.Array) -> pa.Array:
        """Returns values that depend on the key alone: the codes of nested values depend on which thread was the first to meet them."""
        if self._codes[index] is None:
            return encoded
        hashes = self.stable_hashes(index, pc.fill_null(encoded, 0).to_numpy(zero_copy_only=False))
        return pc.if_else(pc.is_valid(encoded), arrow_array(hashes), arrow_scalar(None, pa.int64()))

    def decode(self, columns: Sequence[pa.Array], first: int = 0) -> list[pa.Array]:
        """Returns the decoded columns; the leftmost is the codec's column ``first``."""
        return [self._decode(first + index, column) for index, column in enumerate(columns)]

    def decode_one(self, index: int, column: pa.Array) -> pa.Array:
        """Returns the decoded column; ``index`` is its position in the codec."""
        return self._decode(index, column)

    def stable_hashes(self, index: int, codes: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Returns for codes of a nested column hashes that depend on the value alone, in every process."""
        nested = self._codes[index]
        assert nested is not None
        return nested.stable_hashes(codes)

    def _encode(self, index: int, column: pa.Array) -> pa.Array:
        type_ = self._types[index]
        codes = self._codes[index]
        if codes is not None:
            return codes.encode(column)
        if pa.types.is_null(type_):
            return pa.nulls(len(column), pa.int8())
        if pa.types.is_floating(type_):
            return _normalize_float(column)
        return column

    def _decode(self, index: int, column: pa.Array) -> pa.Array:
        codes = self._codes[index]
        if codes is not None:
            return codes.decode(column)
        return pa.nulls(len(column)) if pa.types.is_null(self._types[index]) else column


def _normalize_float(column: pa.Array) -> pa.Array:
    column = pc.add(column, pa.scalar(0.0, column.type))  # -0.0 + 0.0 is 0.0
    nans = pc.is_nan(column)
    if pc.any(nans).as_py():
        column = pc.if_else(nans, pa.scalar(math.nan, column.type), column)
    return column


class _NestedCodes:
    """Codes of nested values, numbered in order of first occurrence."""

    def __init__(self, type_: pa.DataType) -> None:
        self._type = type_
        self._code_of: dict[Any, int] = {}
        self._values: list[Any] = []
        self._hashes: list[int] = []
        """Stable hashes of the first values."""
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    def encode(self, column: pa.Array) -> pa.Array:
        codes: list[int | None] = []
        with self._lock:
            from table_runtime.columns.plain_types import to_plain  # few keys are compared in Python

            for value in to_plain(column).to_pylist():
                if value is None:
                    codes.append(None)
                    continue
                key = canonical(value, self._type)
                code = self._code_of.get(key)
                if code is None:
                    code = self._code_of[key] = len(self._values)
                    self._values.append(value)
                codes.append(code)
        return pa.array(codes, type=pa.int64())

    def stable_hashes(self, codes: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        with self._lock:
            self._hashes += [_stable_hash(canonical(value, self._type)) for value in self._values[len(self._hashes) :]]
            hashes = self._hashes or [0]  # NULL has the code 0, also if there are no values
            return np.array([hashes[code] for code in codes.tolist()], np.int64)  # not all values: few of a large state change

    def decode(self, column: pa.Array) -> pa.Array:
        with self._lock:
            from table_runtime.columns.plain_types import from_plain

            return from_plain([None if code is None else self._values[code] for code in column.to_pylist()], self._type)


def _stable_hash(value: Any) -> int:
    """Returns 64 bits that depend on a canonical value alone."""
    from hashlib import blake2b  # few keys are hashed here

    digest = blake2b(_text(value).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _text(value: Any) -> str:
    if isinstance(value, frozenset):  # without an order
        return f"{{{','.join(sorted(map(_text, value)))}}}"
    return f"({','.join(map(_text, value))})" if isinstance(value, tuple) else repr(value)


def canonical(value: Any, type_: pa.DataType) -> Any:
    """Returns a hashable value that is equal for values that are equal in SQL."""
    if value is None:
        return None
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if pa.types.is_map(type_):
        pairs = [(canonical(k, type_.key_type), canonical(v, type_.item_type)) for k, v in value]
        return frozenset(pairs)
    if pa.types.is_struct(type_):
        return tuple(canonical(value[type_.field(i).name], type_.field(i).type) for i in range(type_.num_fields))
    if isinstance(value, list):
        return tuple(canonical(item, type_.value_type) for item in value)
    return value
