"""Numbers for texts: a hash table finds the number of a hash, and the text itself is compared."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from table_runtime.columns.batches import concat_arrays
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.hash_table import HashTable
from table_runtime.streaming.state.text_bytes import PADDING, TextBytes, texts_of

_SAMPLE = 512
"""Of this number of values half must be equal to others, so that the values of a column are compared before their numbers are looked for."""


class TextNumbers:
    """Strings or bytes by number. Equal values have equal numbers, and looking for a value adds it.

    The first value with a hash has the slot of the hash as number. Other values with this hash, of which there are hardly any, have
    negative numbers and are kept in a dictionary.
    """

    def __init__(self, type_: pa.DataType) -> None:
        self._type = type_
        is_text = pa.types.is_string(type_) or pa.types.is_large_string(type_)
        self._stored_type = pa.large_string() if is_text else pa.large_binary()
        self._table = HashTable(1)
        self._offsets: Integers = np.zeros(1024, np.int64)
        self._data = np.zeros(1024, np.uint8)
        self._others: dict[str | bytes, int] = {}

    def numbers(self, column: pa.Array) -> Integers:
        """Returns the number of each value; the column has no NULLs."""
        column = column.cast(self._stored_type)
        if not _repeats(column):
            return self._numbers(column)
        encoded = column.dictionary_encode()
        numbers: Integers = self._numbers(encoded.dictionary).take(encoded.indices.to_numpy())
        return numbers

    def _numbers(self, column: pa.Array) -> Integers:
        """Returns the number of each value of the type that is stored."""
        texts = texts_of(column)
        known = self._table.size
        numbers = self._table.find_or_insert(texts.hashes().view(np.int64)[np.newaxis])
        if self._table.size > known:
            last = np.maximum.accumulate(np.maximum(numbers, known - 1))
            self._append(column.take(pa.array(np.flatnonzero(np.diff(last, prepend=known - 1)))), known)
        for row in np.flatnonzero(~texts.equal(self._stored(numbers))).tolist():
            numbers[row] = self._others.setdefault(column[row].as_py(), -1 - len(self._others))
        return numbers

    def values(self, numbers: pa.Array) -> pa.Array:
        """Returns the values with some numbers, NULL for NULL."""
        size = self._table.size
        stored = pa.Array.from_buffers(self._stored_type, size, [None, pa.py_buffer(self._offsets), pa.py_buffer(self._data)])
        if self._others:
            stored = concat_arrays([stored, pa.array(list(self._others), self._stored_type)], self._stored_type)
            positions = numbers.fill_null(0).to_numpy()
            numbers = pa.array(
                np.where(positions < 0, size - 1 - positions, positions), mask=numbers.is_null().to_numpy(zero_copy_only=False)
            )
        return stored.take(numbers).cast(self._type)

    def hashes(self, numbers: Integers) -> Integers:
        """Returns for some numbers hashes that depend on the value alone."""
        result: Integers = self._table.keys(np.maximum(numbers, 0))[0] if self._table.size else np.zeros(len(numbers), np.int64)
        others = np.flatnonzero(numbers < 0)
        if len(others):
            values = self.values(pa.array(numbers[others])).cast(self._stored_type)
            result[others] = texts_of(values).hashes().view(np.int64)
        return result

    def _append(self, values: pa.Array, start: int) -> None:
        texts = texts_of(values)
        size = start + len(values)
        self._offsets = grown(self._offsets, size + 1)
        begin = int(self._offsets[start])
        np.cumsum(texts.lengths, out=self._offsets[start + 1 : size + 1])
        self._offsets[start + 1 : size + 1] += begin
        end = int(self._offsets[size])
        self._data = grown(self._data, end + PADDING)
        self._data[begin:end] = texts.data[: end - begin]

    def _stored(self, numbers: Integers) -> TextBytes:
        starts = self._offsets.take(numbers)
        return TextBytes(self._data, starts, self._offsets.take(numbers + 1) - starts)


def _repeats(column: pa.Array) -> bool:
    """Whether most of the values come again, as far as a sample shows."""
    step = len(column) // _SAMPLE
    return step > 1 and len(column.take(pa.array(np.arange(_SAMPLE) * step)).unique()) <= _SAMPLE // 2
