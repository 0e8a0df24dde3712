"""Finds the few texts of a column that cannot be values, by their bytes.

Kernels refuse a column as a whole. Without these texts they usually take it, so that patterns need not be matched with all texts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_common.arrow import compute as pc

_Bytes = npt.NDArray[np.uint8]
_ZERO = ord("0")
_DIGITS = (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18)
_SIGNS = ((4, "-"), (7, "-"), (13, ":"), (16, ":"))
_PARTS = ((5, 1, 12), (8, 1, 31), (11, 0, 23), (14, 0, 59), (17, 0, 59))
"""The positions of month, day, hour, minute and second, and their bounds."""


def texts_with_other_characters(texts: pa.StringArray, characters: str) -> pa.Array | None:
    """Returns a mask of the texts with a character that is neither a digit nor one of the (ASCII) ``characters``; None if there are none."""
    offsets, data = _parts_of(texts)
    first = int(offsets[0])
    content = data[first : offsets[-1]]
    other = content - np.uint8(_ZERO) > np.uint8(9)
    for character in characters:
        other &= content != ord(character)
    if not other.any():
        return None
    mask = np.zeros(len(texts), np.bool_)
    mask[np.searchsorted(offsets, np.flatnonzero(other) + first, "right") - 1] = True
    return pa.array(mask & _present(texts) if texts.null_count else mask)


def wrong_moments(texts: pa.StringArray, size: int) -> pa.Array:
    """Returns a mask of the texts that do not begin as ``yyyy-MM-dd HH:mm:ss`` or have a part out of its bounds; false for NULL.

    Only the first ``size`` characters are checked, without the one between date and time; a shorter text is wrong. Each month may have 31 days.
    """
    offsets, data = _parts_of(texts)
    wrong = np.diff(offsets) < size
    if texts.null_count:
        wrong &= _present(texts)
        long = np.flatnonzero(_present(texts) & ~wrong)
    else:
        long = np.flatnonzero(~wrong)
    wrong[long] = _wrong(data, offsets[long], size)
    return pa.array(wrong)


def _wrong(data: _Bytes, starts: npt.NDArray[np.int32], size: int) -> npt.NDArray[np.bool_]:
    wrong = np.zeros(len(starts), np.bool_)
    digits = {at: data[starts + at] - np.uint8(_ZERO) for at in _DIGITS if at < size}
    for digit in digits.values():
        wrong |= digit > np.uint8(9)
    for at, sign in _SIGNS:
        if at < size:
            wrong |= data[starts + at] != ord(sign)
    for at, least, most in _PARTS:
        if at < size:
            number = digits[at] * np.uint8(10) + digits[at + 1]
            wrong |= (number < np.uint8(least)) | (number > np.uint8(most))
    wrong |= (digits[0] | digits[1] | digits[2] | digits[3]) == 0  # the year
    return wrong


def _parts_of(texts: pa.StringArray) -> tuple[npt.NDArray[np.int32], _Bytes]:
    _, offsets_buffer, buffer = texts.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return offsets, np.frombuffer(buffer, np.uint8) if buffer is not None else np.zeros(0, np.uint8)


def _present(texts: pa.StringArray) -> npt.NDArray[np.bool_]:
    present: npt.NDArray[np.bool_] = np.asarray(pc.is_valid(texts))
    return present
