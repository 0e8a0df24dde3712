"""Where the quotes of JSON texts are, all texts of a column at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass

Positions = npt.NDArray[np.int32]
"""Positions of bytes or of rows."""

_BYTES_AT_ONCE = 1 << 16
_QUOTE, _BACKSLASH, _FIRST_PRINTABLE = 34, 92, 32


@dataclass(frozen=True, slots=True)
class Lines:
    """Where texts and their quotes are in a buffer; the quotes of text ``i`` begin at ``quotes[first_quote[i]]``."""

    buffer: pa.Buffer
    data: npt.NDArray[np.uint8]
    starts: Positions
    ends: Positions
    quotes: Positions
    first_quote: Positions
    counts: Positions
    """The number of quotes of each text."""
    plain: npt.NDArray[np.bool_]
    """Whether a text is neither NULL nor empty, and has neither backslashes nor control characters."""


def examined_lines(texts: Any) -> Lines:
    """Returns where the quotes of an array of strings or bytes are, whose offsets have 32 bits."""
    _, offsets_buffer, buffer = texts.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(buffer, np.uint8) if buffer is not None else np.zeros(0, np.uint8)
    low, high = int(offsets[0]), int(offsets[-1])
    quotes, wrong = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for start in range(low, high, _BYTES_AT_ONCE):
        text = data[start : min(start + _BYTES_AT_ONCE, high)]
        quotes.append(positions_of(text == _QUOTE, start))
        backslashes = text == _BACKSLASH
        if text.min() < _FIRST_PRINTABLE or backslashes.any():
            wrong.append(positions_of(backslashes | (text < _FIRST_PRINTABLE), start))
    all_quotes = np.concatenate(quotes)
    first_quote = np.searchsorted(all_quotes, offsets).astype(np.int32)
    plain = offsets[1:] > offsets[:-1]
    if texts.null_count:
        plain &= np.asarray(pc.is_valid(texts))
    plain[np.searchsorted(offsets, np.concatenate(wrong), "right") - 1] = False
    return Lines(buffer, data, offsets[:-1], offsets[1:], all_quotes, first_quote[:-1], np.diff(first_quote), plain)


def positions_of(mask: npt.NDArray[np.bool_], start: int = 0) -> Positions:
    """Returns the positions at which the mask is true, counted from ``start``."""
    return np.flatnonzero(mask).astype(np.int32) + np.int32(start)


def have(data: npt.NDArray[np.uint8], starts: Positions, literal: bytes) -> npt.NDArray[np.bool_]:
    """Returns whether the data has the literal, which has no zero bytes, at each position."""
    last = len(data) - len(literal)
    inside = None
    if last < 0:
        return np.zeros(len(starts), np.bool_)
    if starts.max() > last or starts.min() < 0:
        inside = (starts >= 0) & (starts <= last)
        starts = np.where(inside, starts, 0)
    windows: Any = np.ndarray((last + 1,), f"S{len(literal)}", buffer=data, strides=(1,))
    found = windows[starts]
    if inside is None and found.tobytes() == literal * len(starts):  # much faster than to compare one by one
        return np.ones(len(starts), np.bool_)
    equal: npt.NDArray[np.bool_] = found == literal
    return equal if inside is None else equal & inside


def texts_between(buffer: pa.Buffer, starts: Positions, ends: Positions) -> pa.StringArray:
    """Returns the texts from each start to its end; each start follows the end before it."""
    # The texts and what is between them alternate.
    offsets = np.empty(2 * len(starts), np.int32)
    offsets[0::2], offsets[1::2] = starts, ends
    pieces = pa.Array.from_buffers(pa.string(), 2 * len(starts) - 1, [None, pa.py_buffer(offsets), buffer])
    return pieces.take(pa.array(np.arange(0, 2 * len(starts), 2, dtype=np.int32)))
