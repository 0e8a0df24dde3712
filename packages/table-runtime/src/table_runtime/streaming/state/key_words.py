"""Keys as 64-bit integers: each column becomes one or two words per row, equal exactly where SQL groups the values together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.columns.keys import KeyCodec, is_nested
from table_runtime.streaming.state.hash_table import Words
from table_runtime.streaming.state.text_numbers import TextNumbers

_Truths = np.ndarray[Any, np.dtype[np.bool_]]

_NULL_BITS = 62


class KeyWords:
    """Turns key columns into words and back. NULL is a value; 0.0 is -0.0, and all NaN are one.

    The first ``width`` words are the values. Words of bits that mark NULLs follow, unless no value of a batch is NULL.
    With ``tells_zeros_apart``, -0.0 is another value than 0.0: such words identify rows that are given back as they came.
    """

    def __init__(self, types: Sequence[pa.DataType], *, tells_zeros_apart: bool = False) -> None:
        self._codec = KeyCodec(types)
        self._tells_zeros_apart = tells_zeros_apart
        encoded = self._codec.encode([pa.array([], type_) for type_ in types])
        self._columns = [
            _Nested(self._codec, number, column.type) if is_nested(type_) else _column_words(column.type)
            for number, (type_, column) in enumerate(zip(types, encoded, strict=True))
        ]
        self.width = sum(column.width for column in self._columns) if types else 1

    def encode(self, columns: Sequence[pa.Array], rows: int) -> Words:
        """Returns the words of some rows."""
        encoded = self._codec.encode(columns)
        if self._tells_zeros_apart:
            encoded = [c if pa.types.is_floating(c.type) else e for c, e in zip(columns, encoded, strict=True)]
        null_words = -(-len(encoded) // _NULL_BITS) if any(column.null_count for column in encoded) else 0
        words = np.zeros((self.width + null_words, rows), np.int64)
        position = 0
        for number, (column, encoder) in enumerate(zip(encoded, self._columns, strict=True)):
            if column.null_count:
                is_null = pc.is_null(column).to_numpy(zero_copy_only=False)
                words[self.width + number // _NULL_BITS] |= is_null.astype(np.int64) << (number % _NULL_BITS)
            encoder.write(column, words[position : position + encoder.width])
            position += encoder.width
        return words

    def decode(self, words: Words) -> list[pa.Array]:
        """Returns the columns of some keys."""
        position = 0
        result = []
        for number, encoder in enumerate(self._columns):
            result.append(encoder.read(words[position : position + encoder.width], self._is_null(words, number)))
            position += encoder.width
        return self._codec.decode(result)

    def stable(self, words: Words) -> Words:
        """Returns words that depend on the values of some keys alone, not on the keys before them; different keys may have equal ones."""
        result = words.copy()
        position = 0
        for number, encoder in enumerate(self._columns):
            own = result[position : position + encoder.width]
            encoder.make_stable(own)
            own[:, self._is_null(words, number)] = 0
            position += encoder.width
        return result

    def words_of(self, columns: Sequence[int]) -> list[int]:
        """Returns which words have the values of some of the columns."""
        starts = [0]
        for each in self._columns:
            starts.append(starts[-1] + each.width)
        return [word for column in columns for word in range(starts[column], starts[column + 1])]

    def _is_null(self, words: Words, column: int) -> _Truths:
        if len(words) == self.width:
            return np.zeros(words.shape[1], np.bool_)
        return np.asarray((words[self.width + column // _NULL_BITS] >> (column % _NULL_BITS)) & 1 == 1)


class _ColumnWords(ABC):
    """The words of one encoded column; those of NULL are 0."""

    width = 1

    def __init__(self, type_: pa.DataType) -> None:
        self.type = type_

    @abstractmethod
    def write(self, column: pa.Array, words: Words) -> None:
        """Writes the words of each row."""

    @abstractmethod
    def read(self, words: Words, is_null: _Truths) -> pa.Array:
        """Returns the values."""

    def make_stable(self, words: Words) -> None:
        """Replaces words that depend on other keys; most words are the values."""
        return


def _column_words(type_: pa.DataType) -> _ColumnWords:
    if pa.types.is_decimal(type_):
        return _Decimals(type_)
    if pa.types.is_floating(type_):
        return _Floats(type_)
    if any(test(type_) for test in (pa.types.is_string, pa.types.is_binary, pa.types.is_large_string, pa.types.is_large_binary)):
        return _Texts(type_)
    if pa.types.is_fixed_size_binary(type_):
        return _Texts(type_)
    return _Integers(type_)


class _Integers(_ColumnWords):
    """Integers, booleans, dates, times, timestamps, intervals."""

    @override
    def write(self, column: pa.Array, words: Words) -> None:
        if pa.types.is_boolean(self.type):
            column = column.cast(pa.int8())
        elif not pa.types.is_integer(self.type):
            column = column.view(pa.int32() if self.type.bit_width == 32 else pa.int64())
        filled = column.fill_null(0) if column.null_count else column
        words[0] = filled.to_numpy(zero_copy_only=False)

    @override
    def read(self, words: Words, is_null: _Truths) -> pa.Array:
        if pa.types.is_boolean(self.type):
            return pa.array(words[0] != 0, pa.bool_(), mask=is_null)
        if pa.types.is_integer(self.type):
            return pa.array(words[0], pa.int64(), mask=is_null).cast(self.type)
        storage = pa.int32() if self.type.bit_width == 32 else pa.int64()
        return pa.array(words[0], pa.int64(), mask=is_null).cast(storage).view(self.type)


class _Nested(_Integers):
    """Arrays, rows and maps: the code of the value."""

    def __init__(self, codec: KeyCodec, number: int, type_: pa.DataType) -> None:
        super().__init__(type_)
        self._codec = codec
        self._number = number

    @override
    def make_stable(self, words: Words) -> None:
        words[0] = self._codec.stable_hashes(self._number, words[0])


class _Floats(_ColumnWords):
    @override
    def write(self, column: pa.Array, words: Words) -> None:
        filled = column.fill_null(0.0) if column.null_count else column
        words[0] = filled.cast(pa.float64()).to_numpy(zero_copy_only=False).view(np.int64)

    @override
    def read(self, words: Words, is_null: _Truths) -> pa.Array:
        return pa.array(words[0].view(np.float64), pa.float64(), mask=is_null).cast(self.type)


class _Decimals(_ColumnWords):
    width = 2

    @override
    def write(self, column: pa.Array, words: Words) -> None:
        filled = column.fill_null(0) if column.null_count else column
        data = np.frombuffer(filled.buffers()[1], np.int64).reshape(-1, 2)[filled.offset : filled.offset + len(filled)]
        words[0], words[1] = data[:, 0], data[:, 1]

    @override
    def read(self, words: Words, is_null: _Truths) -> pa.Array:
        data = np.ascontiguousarray(np.stack([words[0], words[1]], axis=1))
        values = pa.Array.from_buffers(self.type, len(is_null), [None, pa.py_buffer(data.tobytes())])
        return pc.if_else(pa.array(is_null), pa.scalar(None, self.type), values)


class _Texts(_ColumnWords):
    """Strings and bytes: the number of the value."""

    def __init__(self, type_: pa.DataType) -> None:
        super().__init__(type_)
        self._numbers = TextNumbers(type_)

    @override
    def write(self, column: pa.Array, words: Words) -> None:
        if not column.null_count:
            words[0] = self._numbers.numbers(column)
            return
        words[0, pc.is_valid(column).to_numpy(zero_copy_only=False)] = self._numbers.numbers(column.drop_null())

    @override
    def read(self, words: Words, is_null: _Truths) -> pa.Array:
        return self._numbers.values(pa.array(words[0], mask=is_null))

    @override
    def make_stable(self, words: Words) -> None:
        words[0] = self._numbers.hashes(words[0])
