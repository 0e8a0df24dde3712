"""Gives CSV lines with too few fields the fields that they lack, so that Arrow reads them with the others."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_runtime.formats.csv.records import CsvDialect
from table_runtime.formats.json.rows import joined_buffer
from table_runtime.formats.text.matching import without

_Numbers = npt.NDArray[np.int64]
_MOST_WRONG = 1 / 32
"""The share of lines that are worth handling one by one."""
_PART = 1 << 18
"""Bytes that are compared at a time, so that the result stays in the processor's cache; a multiple of 8."""
_ONE = np.uint64(1)


class MendedLines(NamedTuple):
    """Lines that Arrow reads, and lines that are read one by one."""

    block: bytes
    """The lines that Arrow reads."""
    read: pa.Array
    """Their positions."""
    others: pa.Array
    """The positions of the other lines."""
    short: _Numbers
    """The indexes of the lines that had fewer fields."""
    sizes: _Numbers
    """The numbers of fields that these lines had."""

    @classmethod
    def of(cls, lines: pa.Array, plain: pa.Array, dialect: CsvDialect, width: int) -> Self | None:
        """Returns the lines with ``width`` fields each; None if that is not worthwhile.

        Args:
            lines: the lines, as bytes; none is NULL.
            plain: a mask of those that Arrow can read; see ``plain_lines``.
            dialect: the special characters.
            width: the number of fields.
        """
        counts = _delimiters(lines, ord(dialect.delimiter))
        is_read = np.asarray(plain) & (counts == width - 1)
        changed = np.flatnonzero(~is_read)
        if len(changed) > len(lines) * _MOST_WRONG:
            return None
        quote, delimiter = dialect.quote.encode() if dialect.quote else None, dialect.delimiter.encode()
        positions = pa.array(changed)
        mended: dict[int, bytes] = {}
        for position, count, line, is_plain in zip(
            changed.tolist(), counts[changed].tolist(), lines.take(positions).to_pylist(), plain.take(positions).to_pylist(), strict=True
        ):
            if is_plain and count < width - 1 and (quote is None or quote not in line):
                mended[position] = line.removesuffix(b"\r") + delimiter * (width - 1 - count)
        short = np.fromiter(mended, np.int64, len(mended))
        is_read[short] = True
        read, others = np.flatnonzero(is_read), changed[~is_read[changed]]
        block = _joined(lines, changed, mended)
        return cls(block, pa.array(read), pa.array(others), np.searchsorted(read, short), counts[short] + 1)

    def with_nulls(self, texts: list[pa.Array], positions: list[int], refused: list[int]) -> list[pa.Array]:
        """Returns the texts of the fields at the positions, with NULL where lines had none; ``refused`` are the indexes of lines without texts."""
        rows = self.short - np.searchsorted(np.array(refused, np.int64), self.short)
        found = []
        for column, position in zip(texts, positions, strict=True):
            mask = np.zeros(len(column), np.bool_)
            mask[rows[self.sizes <= position]] = True
            found.append(without(column, pa.array(mask)) if mask.any() else column)
        return found


def _joined(lines: pa.Array, changed: _Numbers, replacements: dict[int, bytes]) -> bytes:
    """Returns the lines as a block, without those at the positions that have no replacement."""
    block = memoryview(joined_buffer(lines))
    offsets = _offsets(lines)
    offsets -= offsets[0]
    starts, ends = offsets[changed] + changed, offsets[changed + 1] + changed  # after each line is a line end
    start = 0
    pieces: list[bytes | memoryview] = []
    for position, until, end in zip(changed.tolist(), starts.tolist(), ends.tolist(), strict=True):
        pieces.append(block[start:until])
        if (line := replacements.get(position)) is not None:
            pieces += (line, b"\n")
        start = end + 1
    pieces.append(block[start:])
    return b"".join(pieces)


def _offsets(lines: pa.BinaryArray) -> _Numbers:
    offsets = np.frombuffer(lines.buffers()[1], np.int32)
    return offsets[lines.offset : lines.offset + len(lines) + 1].astype(np.int64)


def _delimiters(lines: pa.BinaryArray, delimiter: int) -> _Numbers:
    """Returns how often the delimiter is in each line: its bits before the ends of the line are counted, 64 bytes at a time."""
    buffer, offsets = lines.buffers()[2], _offsets(lines)
    if buffer is None or offsets[0] == offsets[-1]:
        return np.zeros(len(lines), np.int64)
    data = np.frombuffer(buffer, np.uint8)[offsets[0] : offsets[-1]]
    offsets -= offsets[0]
    parts = [np.packbits(data[start : start + _PART] == delimiter, bitorder="little") for start in range(0, len(data), _PART)]
    bits = np.concatenate(parts)
    words = np.concatenate([bits, np.zeros(-len(bits) % 8 + 8, np.uint8)]).view("<u8")
    before = np.concatenate([[0], np.cumsum(np.bitwise_count(words).astype(np.int64))])
    at, rest = offsets >> 6, (offsets & 63).astype(np.uint64)
    counts: _Numbers = np.diff(before[at] + np.bitwise_count(words[at] & ((_ONE << rest) - _ONE)))
    return counts
