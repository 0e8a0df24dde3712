"""Decodes JSON lines that have the same template together, by vectorised comparisons of their bytes; needs numpy.

The quotes of all lines are found at once. Lines with as many quotes as the template are compared with its literals, each literal for all lines together. So
every byte of a decoded line is either compared or part of a value that is checked. Lines of other forms, and lines with backslashes, control characters or
values that cannot be read, are left to the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType
from table_runtime.formats.json_screen import are_texts
from table_runtime.formats.json_shape_values import Spans, check_unread, row_columns
from table_runtime.formats.json_template import Template, template_of
from table_runtime.formats.text_forms import TextForms

__all__ = ["DecodedLines", "ShapeParser", "remaining_lines"]

_MOST_TEMPLATES = 32
"""Remembered templates per number of quotes."""
_MOST_ATTEMPTS = 4
"""New templates among the lines with the same number of quotes, per call."""
_PAUSE = 8
"""Calls without comparison after one that decoded less than half of its lines."""
_ROWS_AT_ONCE = 8192
"""Rows whose positions fit into the processor's cache."""
_BYTES_AT_ONCE = 1 << 16
_QUOTE, _BACKSLASH, _FIRST_PRINTABLE = 34, 92, 32

_Positions = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Lines:
    """Where lines and their quotes are in a buffer; the quotes of line ``i`` begin at ``quotes[first_quote[i]]``."""

    buffer: pa.Buffer
    data: npt.NDArray[np.uint8]
    starts: _Positions
    ends: _Positions
    quotes: _Positions
    first_quote: _Positions


@dataclass(frozen=True, slots=True)
class DecodedLines:
    """The columns of lines that are one object each."""

    columns: list[pa.Array]
    positions: _Positions
    """The position of each row's line; -1 if the row must not be used, because a value of its line cannot be read."""
    lost: _Positions
    """The position of the line of each value that cannot be read and is NULL, because errors are ignored."""


class ShapeParser:
    """Decodes lines by the templates that it finds; thread-safe. It remembers the templates of earlier calls.

    With ``ignore_errors``, texts in quotes that cannot be read are NULL. ``fewest`` is the number of lines with one template below which they are left to the caller.
    """

    def __init__(self, row_type: RowType, forms: TextForms, *, find_missing: bool, fewest: int, ignore_errors: bool = False) -> None:
        self._row_type = row_type
        self._arrow_type = to_arrow_type(row_type)
        self._forms = forms
        self._find_missing = find_missing
        self._ignore_errors = ignore_errors
        self._fewest = fewest
        self._templates: dict[int, tuple[Template, ...]] = {}
        """By the number of quotes."""
        self._pause = 0

    def parse(self, lines: pa.BinaryArray) -> list[DecodedLines]:
        """Returns the decoded lines."""
        if len(lines) < self._fewest:
            return []
        if self._pause:
            self._pause -= 1
            return []
        found, eligible, counts = _examined(lines)
        sizes = np.bincount(counts[eligible])
        groups = np.flatnonzero(sizes >= self._fewest)
        parts: list[DecodedLines] = []
        for count in groups.tolist():
            rows = _where(eligible & (counts == count), 0)
            parts += self._group(found, rows, count)
        if 2 * sum(np.count_nonzero(part.positions >= 0) for part in parts) < len(lines):
            self._pause = _PAUSE
        return parts

    def _group(self, lines: _Lines, rows: _Positions, count: int) -> Iterator[DecodedLines]:
        """Yields the decoded lines among those at ``rows``, which have the same number of quotes, for one template after the other."""
        for template in self._templates.get(count, ()):
            if len(rows) < self._fewest:
                return
            parts, rows = self._matching(lines, rows, template)
            yield from parts
        for _ in range(_MOST_ATTEMPTS):
            if len(rows) < self._fewest:
                return
            example = lines.data[lines.starts[rows[0]] : lines.ends[rows[0]]].tobytes()
            new = template_of(example, self._row_type, find_missing=self._find_missing)
            if new is None:
                rows = rows[1:]
                continue
            parts, rest = self._matching(lines, rows, new)
            if len(rows) - len(rest) < self._fewest:
                rows = rest
                continue
            rows = rest
            known = self._templates.get(count, ())
            if new not in known:
                self._templates[count] = (*known, new)[-_MOST_TEMPLATES:]
            yield from parts

    def _matching(self, lines: _Lines, rows: _Positions, template: Template) -> tuple[list[DecodedLines], _Positions]:
        """Returns the decoded lines with the template, and the rows of the other lines."""
        parts, others = [], []
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[start : start + _ROWS_AT_ONCE]
            same, bounds = _compared(lines, some, template)
            if not same.all():
                others.append(some[~same])
                some = some[same]
            if len(some):
                parts.append(self._decoded(lines, some, bounds, template))
        return parts, np.concatenate(others) if others else rows[:0]

    def _decoded(self, lines: _Lines, rows: _Positions, bounds: list[_Positions], template: Template) -> DecodedLines:
        starts = [at + len(literal) for at, literal in zip(bounds[:-1], template.literals[:-1], strict=True)]
        spans = Spans(lines.buffer, lines.data, starts, bounds[1:], self._forms, len(rows), ignores=self._ignore_errors)
        columns = row_columns(template.root, self._row_type, self._arrow_type, spans)
        check_unread(template.slots, spans)
        return DecodedLines(columns, np.where(spans.unsure, np.int32(-1), rows) if spans.unsure.any() else rows, rows[spans.lost])


def remaining_lines(lines: pa.BinaryArray, parts: list[DecodedLines]) -> pa.Array:
    """Returns the positions (int64) of the lines that no part has; empty lines and NULL have no row."""
    remaining = np.ones(len(lines), np.bool_)
    for part in parts:
        remaining[part.positions[part.positions >= 0]] = False
    found = np.flatnonzero(remaining)
    present = pc.fill_null(pc.greater(pc.binary_length(lines.take(pa.array(found))), 0), False)
    return pa.array(found, pa.int64()).filter(present)


def _examined(lines: pa.BinaryArray) -> tuple[_Lines, npt.NDArray[np.bool_], _Positions]:
    """Returns where the lines and their quotes are, which lines may have a template, and the number of quotes of each line."""
    _, offsets_buffer, buffer = lines.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32)[lines.offset : lines.offset + len(lines) + 1]
    data = np.frombuffer(buffer, np.uint8) if buffer is not None else np.zeros(0, np.uint8)
    low, high = int(offsets[0]), int(offsets[-1])
    quotes, wrong = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for start in range(low, high, _BYTES_AT_ONCE):
        text = data[start : min(start + _BYTES_AT_ONCE, high)]
        quotes.append(_where(text == _QUOTE, start))
        backslashes = text == _BACKSLASH
        if text.min() < _FIRST_PRINTABLE or backslashes.any():
            wrong.append(_where(backslashes | (text < _FIRST_PRINTABLE), start))
    all_quotes = np.concatenate(quotes)
    first_quote = np.searchsorted(all_quotes, offsets).astype(np.int32)
    eligible = offsets[1:] > offsets[:-1]
    if lines.null_count:
        eligible &= np.asarray(pc.is_valid(lines))
    eligible[np.searchsorted(offsets, np.concatenate(wrong), "right") - 1] = False
    texts = are_texts(lines)
    if isinstance(texts, pa.Array):
        eligible &= np.asarray(pc.fill_null(texts, False))
    return (
        _Lines(buffer, data, offsets[:-1], offsets[1:], all_quotes, first_quote[:-1]),
        eligible,
        np.diff(first_quote),
    )


def _where(mask: npt.NDArray[np.bool_], start: int) -> _Positions:
    return np.flatnonzero(mask).astype(np.int32) + np.int32(start)


def _compared(lines: _Lines, rows: _Positions, template: Template) -> tuple[npt.NDArray[np.bool_], list[_Positions]]:
    """Returns which lines have the template, and where its literals begin in these lines."""
    kept = np.ones(len(rows), np.bool_)
    bounds: list[_Positions] = []
    quotes = 0
    for number, literal in enumerate(template.literals):
        starts = _literal_starts(lines, rows, literal, quotes) if number else lines.starts[rows]
        same = _have(lines.data, starts, literal)
        if number:
            # A string may be empty, a bare value may not.
            least = len(template.literals[number - 1]) + (0 if template.slots[number - 1].quoted else 1)
            same &= starts - bounds[-1] >= least
        if number == len(template.literals) - 1:
            same &= starts + len(literal) == lines.ends[rows]
        bounds.append(starts)
        quotes += literal.count(b'"')
        if not same.all():
            kept[kept] = same
            rows, bounds = rows[same], [positions[same] for positions in bounds]
            if not len(rows):
                break
    return kept, bounds


def _literal_starts(lines: _Lines, rows: _Positions, literal: bytes, quotes: int) -> _Positions:
    """Returns where a literal begins, by its first quote, which comes after so many quotes, or else by the end of the line."""
    offset = literal.find(b'"')
    return lines.ends[rows] - len(literal) if offset < 0 else lines.quotes[lines.first_quote[rows] + quotes] - offset


def _have(data: npt.NDArray[np.uint8], starts: _Positions, literal: bytes) -> npt.NDArray[np.bool_]:
    """Returns whether the data has the literal at each position."""
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
