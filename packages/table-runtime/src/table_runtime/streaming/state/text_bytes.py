"""Hashes and comparison of texts in numpy, eight bytes at a time."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.state.hash_table import Hashes, mix

PADDING = 8
"""The number of bytes that are readable after the last text."""

_MOST_WORDS = 64
"""Longer texts are hashed and compared one by one."""

_Truths = np.ndarray[Any, np.dtype[np.bool_]]


class TextBytes(NamedTuple):
    """Texts, or values of bytes, in a block of bytes."""

    data: np.ndarray[Any, np.dtype[np.uint8]]
    starts: Integers
    lengths: Integers

    def hashes(self) -> Hashes:
        """Returns a hash of each text, which depends on the text alone."""
        result = mix(self.lengths.view(np.uint64))
        rows = np.flatnonzero((self.lengths > 0) & (self.lengths <= 8 * _MOST_WORDS))
        number = 0
        while len(rows):
            result[rows] = mix(result[rows] ^ ((self._word(number, rows) << self._behind(number, rows)) * np.uint64(0x9E3779B97F4A7C15)))
            number += 1
            rows = rows[self.lengths[rows] > 8 * number]
        for row in np.flatnonzero(self.lengths > 8 * _MOST_WORDS).tolist():
            result[row] = int.from_bytes(hashlib.blake2b(self._bytes(row), digest_size=8).digest(), "little")
        return result

    def equal(self, other: TextBytes) -> _Truths:
        """Returns which texts are equal to the texts of ``other`` in the same places."""
        result: _Truths = self.lengths == other.lengths
        rows = np.flatnonzero(result & (self.lengths > 0) & (self.lengths <= 8 * _MOST_WORDS))
        number = 0
        while len(rows):
            result[rows] = (self._word(number, rows) ^ other._word(number, rows)) << self._behind(number, rows) == 0
            number += 1
            rows = rows[result[rows] & (self.lengths[rows] > 8 * number)]
        for row in np.flatnonzero(result & (self.lengths > 8 * _MOST_WORDS)).tolist():
            result[row] = self._bytes(row) == other._bytes(row)
        return result

    def _word(self, number: int, rows: Integers) -> Hashes:
        """Returns bytes ``8 * number`` to ``8 * number + 7`` of some texts, the first byte lowest; anything may follow the end of a text."""
        at_each_byte = np.ndarray((len(self.data) - 7,), np.dtype("<u8"), self.data, 0, (1,))
        return at_each_byte[self.starts[rows] + 8 * number]

    def _behind(self, number: int, rows: Integers) -> Hashes:
        """Returns how many bits of a word are behind the end of each text."""
        return np.maximum(8 * (8 * (number + 1) - self.lengths[rows]), 0).view(np.uint64)

    def _bytes(self, row: int) -> bytes:
        start = int(self.starts[row])
        return self.data[start : start + int(self.lengths[row])].tobytes()


def texts_of(column: pa.Array) -> TextBytes:
    """Returns the texts of a column with 64-bit offsets and without NULLs."""
    if not len(column):
        return TextBytes(np.zeros(PADDING, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int64))
    _, offsets_buffer, data_buffer = column.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int64)[column.offset : column.offset + len(column) + 1]
    data = np.zeros(int(offsets[-1] - offsets[0]) + PADDING, np.uint8)
    if data_buffer is not None:
        data[:-PADDING] = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]
    return TextBytes(data, offsets[:-1] - offsets[0], np.diff(offsets))
