"""Messages of pgoutput as columns: numpy arrays over the buffer of an Arrow array, so that no message becomes a Python object."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_common.frozen_dataclass import dataclass

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

BEGIN, COMMIT, RELATION, INSERT, UPDATE, DELETE, TRUNCATE = b"BCRIUDT"
OLD, KEY, NEW = b"OKN"
_TEXT, _NULL, _UNCHANGED = b"tnu"
NULL_LENGTH, UNCHANGED_LENGTH = -1, -2
"""Stand for the lengths of a NULL, and of a value that an update did not change and the log does not repeat."""


class MessageBuffer:
    """The bytes of messages, and numbers at any position of them."""

    def __init__(self, data: pa.Array) -> None:
        """``data`` are messages as a binary array without NULLs."""
        _, offsets, values = data.buffers()
        self.starts: Ints = np.frombuffer(offsets, np.int32, len(data) + 1, 4 * data.offset).astype(np.int64)
        size = values.size if values is not None else 0
        plain = np.frombuffer(values, np.uint8, size) if size else np.zeros(0, np.uint8)
        # Numbers are read wherever a tuple may have one, also behind its last byte.
        self.bytes: Bytes = np.concatenate([plain, np.zeros(8, np.uint8)])
        self.kinds: Bytes = self.bytes[self.starts[:-1]]

    def numbers(self, positions: Ints, width: int) -> Ints:
        """Returns the big-endian numbers of 4 (without sign) or 8 bytes at positions."""
        view: Any = np.ndarray((len(self.bytes) - width + 1,), f">{'u4' if width == 4 else 'i8'}", self.bytes, strides=(1,))
        return view[positions].astype(np.int64)  # type: ignore[no-any-return]

    def message(self, index: int) -> bytes:
        """Returns one message."""
        return self.bytes[self.starts[index] : self.starts[index + 1]].tobytes()

    def gathered(self, starts: Ints, lengths: Ints) -> pa.Array:
        """Returns the values at positions as an array of texts; negative lengths are NULL."""
        is_null = lengths < 0
        sizes = np.where(is_null, 0, lengths)
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        is_large = total > 0x7FFF_FFFF
        offsets = np.zeros(len(sizes) + 1, np.int64 if is_large else np.int32)
        offsets[1:] = ends
        places = np.repeat(starts - (ends - sizes), sizes) + np.arange(total)
        nulls = int(is_null.sum())
        valid = pa.py_buffer(np.packbits(~is_null, bitorder="little")) if nulls else None
        type_ = pa.large_string() if is_large else pa.string()
        return pa.Array.from_buffers(type_, len(sizes), [valid, pa.py_buffer(offsets), pa.py_buffer(self.bytes[places])], nulls)


@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """The values of rows: where each column begins, and its length or one of the negative ones."""

    starts: tuple[Ints, ...]
    lengths: tuple[Ints, ...]
    ends: Ints
    """The positions after the rows."""


def read_tuples(buffer: MessageBuffer, positions: Ints, count: int) -> Tuples:
    """Returns rows of ``count`` columns that begin at positions: one step for each column, over all rows at once."""
    position = positions + 2
    starts, lengths = [], []
    for _ in range(count):
        kind = buffer.bytes[position]
        is_text = kind == _TEXT
        length = buffer.numbers(position + 1, 4)
        if not is_text.all():
            length = np.where(is_text, length, np.where(kind == _UNCHANGED, UNCHANGED_LENGTH, NULL_LENGTH))
        starts.append(position + 5)
        lengths.append(length)
        position = np.where(is_text, position + 5 + length, position + 1)
    return Tuples(tuple(starts), tuple(lengths), position)


@dataclass(frozen=True, slots=True, eq=False)
class Transactions:
    """Transactions of a batch of messages; the first is the one that the batch before did not end."""

    lsns: Ints
    """Where each commits."""
    times: Ints
    """When each committed, in microseconds since 1970."""
    xids: Ints

    @staticmethod
    def none() -> Transactions:
        """Returns what precedes the first batch."""
        return Transactions(np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))

    def followed_by(self, buffer: MessageBuffer) -> Transactions:
        """Returns the last of these, and those that begin in a batch."""
        begins = buffer.starts[:-1][buffer.kinds == BEGIN]
        return Transactions(
            np.concatenate([self.lsns[-1:], buffer.numbers(begins + 1, 8)]),
            np.concatenate([self.times[-1:], buffer.numbers(begins + 9, 8) + _SINCE_1970]),
            np.concatenate([self.xids[-1:], buffer.numbers(begins + 17, 4)]),
        )


_SINCE_1970 = 946_684_800_000_000
"""PostgreSQL's times begin with the year 2000."""


def commit_ends(buffer: MessageBuffer) -> Ints:
    """Returns the positions in the log after the transactions that end in a batch."""
    return buffer.numbers(buffer.starts[:-1][buffer.kinds == COMMIT] + 10, 8)
