"""Finds the documents of a column that have the same template, by vectorized comparisons of their bytes.

Every byte of a document that is found is either compared with the template, or belongs to a string without backslashes and control characters, or to a bare
value that is checked. All other documents are left to the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_common.frozen_dataclass import dataclass
from table_runtime.json_documents.lines import Lines, Positions, examined_lines, have, positions_of, texts_between
from table_runtime.json_documents.template import Template, template_of

FEWEST = 100
"""Documents with one template below which they are left to the caller."""
_MOST_FAILURES = 4
"""Examples with the same number of quotes that have no template or one of few documents."""
_MOST_TEMPLATES = 32
"""Templates with the same number of quotes."""
_ROWS_AT_ONCE = 8192
"""Rows whose positions fit into the processor's cache."""
_WORD = 8
_MOST_DIGITS = 3 * _WORD
_MOST_PLACES = 6
"""Digits after the point up to which a number below one is written without an exponent."""
_MINUS, _ZERO, _POINT = ord("-"), ord("0"), ord(".")
_ONES = np.uint64(0x0101010101010101)
_TOP = np.uint64(0x80) * _ONES
_CONSTANTS = (b"null", b"true", b"false")

_Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents with one template: their rows in ascending order, and where the value of each slot starts and ends in the buffer.

    Each bare value is ``true``, ``false``, ``null`` or a number whose text is the same after it is parsed: it has no exponent, is not ``-0``, and has few
    digits after the point if it is less than one.
    """

    template: Template
    rows: Positions
    starts: tuple[Positions, ...]
    ends: tuple[Positions, ...]
    buffer: pa.Buffer

    def texts(self, slot: int) -> pa.StringArray:
        """Returns the values of a slot, without quotes."""
        return texts_between(self.buffer, self.starts[slot], self.ends[slot])

    def nulls(self, slot: int) -> _Mask | None:
        """Returns in which documents the value of a slot is NULL; None: in none."""
        if self.template.quoted[slot]:
            return None
        mask: _Mask = np.frombuffer(self.buffer, np.uint8)[self.starts[slot]] == _CONSTANTS[0][0]
        return mask if mask.any() else None


def documents(texts: pa.StringArray) -> list[Documents]:
    """Returns the documents with templates that several of them have."""
    lines = examined_lines(texts)
    sizes = np.bincount(lines.counts[lines.plain])
    found: list[Documents] = []
    for count in np.flatnonzero(sizes >= FEWEST).tolist():
        found += _group(lines, positions_of(lines.plain & (lines.counts == count)))
    return found


def _group(lines: Lines, rows: Positions) -> Iterator[Documents]:
    """Yields the documents with templates among those at ``rows``, which have the same number of quotes."""
    failures = 0
    for _ in range(_MOST_TEMPLATES):
        if len(rows) < FEWEST or failures == _MOST_FAILURES:
            return
        template = template_of(lines.data[lines.starts[rows[0]] : lines.ends[rows[0]]].tobytes().decode())
        if template is None:
            rows = rows[1:]
            failures += 1
            continue
        matching, others = _matching(lines, rows, template)
        if len(rows) - len(others) < FEWEST:
            failures += 1
        else:
            yield matching
        # The example may have a value that is not taken.
        rows = others if len(others) < len(rows) else rows[1:]


def _matching(lines: Lines, rows: Positions, template: Template) -> tuple[Documents, Positions]:
    """Returns the documents with the template, and the rows of the others."""
    parts, others = [], []
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[start : start + _ROWS_AT_ONCE]
        kept, starts, ends = _compared(lines, some, template)
        if not kept.all():
            others.append(some[~kept])
        parts.append((some[kept], starts, ends))
    found = Documents(
        template,
        np.concatenate([part[0] for part in parts]),
        tuple(np.concatenate(slot) for slot in zip(*(part[1] for part in parts), strict=True)),
        tuple(np.concatenate(slot) for slot in zip(*(part[2] for part in parts), strict=True)),
        lines.buffer,
    )
    return found, np.concatenate(others) if others else rows[:0]


def _compared(lines: Lines, rows: Positions, template: Template) -> tuple[_Mask, list[Positions], list[Positions]]:
    """Returns which documents have the template, and where the slots of these start and end."""
    kept = np.ones(len(rows), np.bool_)
    starts: list[Positions] = []
    ends: list[Positions] = []
    at, quotes = lines.starts[rows], 0
    for number, literal in enumerate(template.literals):
        is_last = number == len(template.quoted)
        same = have(lines.data, at, literal) if len(at) else np.zeros(0, np.bool_)
        at = at + np.int32(len(literal))
        quotes += literal.count(b'"')
        if is_last:
            same &= at == lines.ends[rows]
            end = at
        elif template.quoted[number]:
            # A document that differs so far may have its quotes elsewhere, but it has as many.
            end = lines.quotes[lines.first_quote[rows] + quotes]
        else:
            end, is_value = _bare_ends(lines.data, at)
            same &= is_value
        if not is_last:
            starts.append(at)
            ends.append(end)
        at = end
        if not same.all():
            kept[kept] = same
            rows, at = rows[same], at[same]
            starts = [positions[same] for positions in starts]
            ends = [positions[same] for positions in ends]
    return kept, starts, ends


def _bare_ends(data: npt.NDArray[np.uint8], starts: Positions) -> tuple[Positions, _Mask]:
    """Returns where the bare values end that start at the positions, and which of them are values as in ``Documents``."""
    last = len(data) - _WORD
    if last < 0:
        return starts, np.zeros(len(starts), np.bool_)
    words: npt.NDArray[np.uint64] = np.ndarray((last + 1,), "<u8", buffer=data, strides=(1,))
    first = data[np.minimum(starts, len(data) - 1)]
    is_negative = first == _MINUS
    whole = starts + is_negative
    leading = data[np.minimum(whole, len(data) - 1)] if is_negative.any() else first
    points = whole + _digits(words, whole)
    digits = points - whole
    is_zero = leading == _ZERO
    good = (digits > 0) & (digits < _MOST_DIGITS) & ~(is_zero & (digits > 1))
    ends = points
    fractional = np.flatnonzero(data[np.minimum(points, len(data) - 1)] == _POINT)
    if len(fractional):
        fractions = points[fractional] + np.int32(1)
        places = _digits(words, fractions)
        ends = ends.copy()
        ends[fractional] = fractions + places
        good[fractional] &= (places > 0) & (places < _MOST_DIGITS) & ~(is_zero[fractional] & (places > _MOST_PLACES))
        is_negative[fractional] = False
    good &= ~(is_negative & is_zero)
    others = np.flatnonzero(digits == 0)
    if len(others):
        ends = ends.copy()
        for constant in _CONSTANTS:
            found = others[have(data, starts[others], constant)]
            ends[found] = starts[found] + np.int32(len(constant))
            good[found] = True
    return ends, good


def _digits(words: npt.NDArray[np.uint64], starts: Positions) -> Positions:
    """Returns the number of digits at each position, at most ``_MOST_DIGITS``; fewer at the end of the data."""
    result = np.zeros(len(starts), np.int32)
    rows: Any = slice(None)
    at = starts
    for _ in range(_MOST_DIGITS // _WORD):
        inside = at < len(words)
        if not inside.all():
            rows = np.flatnonzero(inside) if isinstance(rows, slice) else rows[inside]
            at = at[inside]
        count = _leading_digits(words[at])
        result[rows] += count
        full = np.flatnonzero(count == _WORD)
        if not len(full):
            break
        rows = full if isinstance(rows, slice) else rows[full]
        at = at[full] + np.int32(_WORD)
    return result


def _leading_digits(words: npt.NDArray[np.uint64]) -> Positions:
    """Returns how many of the bytes of each word, the lowest first, are digits before the first that is not."""
    shifted = words ^ (np.uint64(_ZERO) * _ONES)  # a digit is now 0 to 9
    low = ~_TOP
    # The top bit of each byte that is not a digit: it is more than 9, or had its top bit before.
    others = (((shifted & low) + np.uint64(0x80 - 10) * _ONES) | shifted) & _TOP
    lowest = others & (~others + np.uint64(1))
    # The exponent of a power of two is exact; zero means that all are digits.
    exponents = np.frexp(lowest.astype(np.float64))[1]
    return np.where(others == 0, np.int32(_WORD), (exponents - 1) >> 3).astype(np.int32)
