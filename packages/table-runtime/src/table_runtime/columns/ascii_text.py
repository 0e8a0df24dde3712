"""The bytes of all texts of a column as one: whether all are ASCII, so that Arrow's faster functions apply, and whether a mark occurs at all."""

from __future__ import annotations

from functools import cached_property

import pyarrow as pa

from table_common.arrow import compute as pc


class TextBytes:
    """The bytes of all texts of a column after each other; bytes after a NULL count too."""

    def __init__(self, texts: pa.Array) -> None:
        self.buffer = _buffer(texts)

    def has(self, mark: bytes) -> bool:
        """Returns whether a mark that is not empty occurs, within a text or across the ends of texts."""
        low, high = self.bounds
        return low <= min(mark) and max(mark) <= high and mark in self._copied

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest byte; (1, 0) without any."""
        if not self.buffer.size:
            return 1, 0
        bounds = pc.min_max(pa.Array.from_buffers(pa.uint8(), self.buffer.size, [None, self.buffer]))
        return bounds["min"].as_py(), bounds["max"].as_py()

    @cached_property
    def _copied(self) -> bytes:
        """The bytes in an object that is searched fast."""
        copied: bytes = self.buffer.to_pybytes()
        return copied


def is_ascii(array: pa.Array) -> bool:
    """Returns whether all texts are ASCII; they are checked as one text, which is much faster than one by one.

    Bytes after a NULL count too.
    """
    return TextBytes(array).bounds[1] < 128


def _buffer(texts: pa.Array) -> pa.Buffer:
    offsets, data = texts.buffers()[1:]
    if data is None or offsets is None or not len(texts):
        return pa.py_buffer(b"")
    raw = memoryview(offsets).cast("B")
    positions = raw.cast("q") if pa.types.is_large_string(texts.type) or pa.types.is_large_binary(texts.type) else raw.cast("i")
    first, last = positions[texts.offset], positions[texts.offset + len(texts)]
    return data.slice(first, last - first)
