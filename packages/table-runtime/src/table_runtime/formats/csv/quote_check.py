"""Checks the quotes of many CSV lines at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_runtime.formats.csv.records import CsvDialect

_Positions = npt.NDArray[np.int64]
_RETURN = ord("\r")


def lines_with_quotes_at_ends(lines: pa.BinaryArray, dialect: CsvDialect) -> pa.Array:
    """Returns a mask of the lines whose quotes are at both ends of fields or doubled inside of them.

    They have no line breaks except a carriage return at the end, no escape characters, and no signs of comments. No line is NULL.
    """
    _, offsets_buffer, buffer = lines.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32)[lines.offset : lines.offset + len(lines) + 1].astype(np.int64)
    low, high = int(offsets[0]), int(offsets[-1])
    if low == high:
        return pa.repeat(pa.scalar(True), len(lines))
    data = np.frombuffer(buffer, np.uint8)[low:high]
    offsets -= low
    plain = np.ones(len(lines), np.bool_)
    text = data.tobytes()  # to search a byte in it is faster than to compare an array
    for character in (b"\n", b"#" if dialect.comments else None, dialect.escape.encode() if dialect.escape else None):
        if character is not None and character in text:
            plain[_line_of(np.flatnonzero(data == ord(character)), offsets)] = False
    returns = np.flatnonzero(data == _RETURN) if b"\r" in text else offsets[:0]
    if len(returns):
        at = _line_of(returns, offsets)
        plain[at[(returns != offsets[at + 1] - 1) | (returns == offsets[at])]] = False
    if dialect.quote:
        _check_quotes(data, offsets, ord(dialect.quote), ord(dialect.delimiter), plain)
    return pa.array(plain)


def _line_of(positions: _Positions, offsets: _Positions) -> _Positions:
    return np.searchsorted(offsets, positions, "right") - 1


def _check_quotes(data: npt.NDArray[np.uint8], offsets: _Positions, quote: int, delimiter: int, plain: npt.NDArray[np.bool_]) -> None:
    """Clears the mask of lines with a quote that is open at the end, or at another place than an end of a field or a quote."""
    quotes = np.flatnonzero(data == quote)
    if not len(quotes):
        return
    counts = np.diff(np.searchsorted(quotes, offsets))
    odd = counts % 2 == 1
    if odd.any():
        plain[odd] = False
        quotes = quotes[np.repeat(~odd, counts)]
    # Each line has an even number of them, so they alternate.
    opening, closing = quotes[::2], quotes[1::2]
    before = data[opening - 1]
    inside = opening[(before != delimiter) & (before != quote)]
    plain[_line_of(_not_among(inside, offsets), offsets)] = False
    after = data[np.minimum(closing + 1, len(data) - 1)]
    inside = closing[(after != delimiter) & (after != quote) & (after != _RETURN)]
    plain[_line_of(_not_among(inside + 1, offsets) - 1, offsets)] = False


def _not_among(positions: _Positions, offsets: _Positions) -> _Positions:
    """Returns the positions at which no line begins or ends."""
    is_inside: npt.NDArray[np.bool_] = offsets[np.searchsorted(offsets, positions)] != positions
    return positions[is_inside]
