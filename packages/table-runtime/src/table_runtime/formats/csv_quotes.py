"""Checks the quotes of many CSV lines at once; needs numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_runtime.formats.csv_records import CsvDialect

__all__ = ["lines_with_quotes_at_ends"]

_Positions = npt.NDArray[np.int64]
_RETURN, _LINE_FEED, _COMMENT = ord("\r"), ord("\n"), ord("#")


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
    for code in (_LINE_FEED, _COMMENT if dialect.comments else None, ord(dialect.escape) if dialect.escape else None):
        if code is not None:
            plain[_line_of(np.flatnonzero(data == code), offsets)] = False
    returns = np.flatnonzero(data == _RETURN)
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
    bounds = np.searchsorted(quotes, offsets)
    counts = np.diff(bounds)
    plain[counts % 2 == 1] = False
    lines = np.repeat(np.arange(len(counts)), counts)
    is_opening = (np.arange(len(quotes)) - bounds[lines]) % 2 == 0
    opening, closing = quotes[is_opening], quotes[~is_opening]
    before = data[opening - 1]
    wrong = (before != delimiter) & (before != quote) & (opening != offsets[lines[is_opening]])
    plain[lines[is_opening][wrong]] = False
    after = data[np.minimum(closing + 1, len(data) - 1)]
    wrong = (after != delimiter) & (after != quote) & (after != _RETURN) & (closing + 1 != offsets[lines[~is_opening] + 1])
    plain[lines[~is_opening][wrong]] = False
