"""Decodes JSON lines that have the same template together, by vectorized comparisons of their bytes.

The quotes of all lines are found at once. Lines with as many quotes as the template are compared with its literals, each literal for all lines together. So
every byte of a decoded line is either compared or part of a value that is checked. Lines of other forms, and lines with backslashes, control characters or
values that cannot be read, are left to the caller.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType
from table_runtime.formats.json.line_filter import are_texts
from table_runtime.formats.json.shape_values import Spans, check_unread, row_columns
from table_runtime.formats.json.template import Template, template_of
from table_runtime.formats.text.forms import TextForms
from table_runtime.json_documents.lines import Lines, Positions, examined_lines, have, positions_of

_MOST_TEMPLATES = 32
"""Remembered templates per number of quotes."""
_MOST_ATTEMPTS = 4
"""New templates among the lines with the same number of quotes, per call."""
_PAUSE = 8
"""Calls without comparison after one that decoded less than half of its lines."""
_ROWS_AT_ONCE = 8192
"""Rows whose positions fit into the processor's cache."""


@dataclass(frozen=True, slots=True)
class DecodedLines:
    """The columns of lines that are one object each."""

    columns: list[pa.Array]
    positions: Positions
    """The position of each row's line; -1 if the row must not be used, because a value of its line cannot be read."""
    lost: Positions
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
        found = examined_lines(lines)
        eligible, counts = _eligible(lines, found), found.counts
        sizes = np.bincount(counts[eligible])
        groups = np.flatnonzero(sizes >= self._fewest)
        parts: list[DecodedLines] = []
        for count in groups.tolist():
            rows = positions_of(eligible & (counts == count))
            parts += self._group(found, rows, count)
        if 2 * sum(np.count_nonzero(part.positions >= 0) for part in parts) < len(lines):
            self._pause = _PAUSE
        return parts

    def _group(self, lines: Lines, rows: Positions, count: int) -> Iterator[DecodedLines]:
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

    def _matching(self, lines: Lines, rows: Positions, template: Template) -> tuple[list[DecodedLines], Positions]:
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

    def _decoded(self, lines: Lines, rows: Positions, bounds: list[Positions], template: Template) -> DecodedLines:
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


def _eligible(lines: pa.BinaryArray, found: Lines) -> npt.NDArray[np.bool_]:
    """Returns which lines may have a template."""
    texts = are_texts(lines)
    return found.plain & np.asarray(pc.fill_null(texts, False)) if isinstance(texts, pa.Array) else found.plain


def _compared(lines: Lines, rows: Positions, template: Template) -> tuple[npt.NDArray[np.bool_], list[Positions]]:
    """Returns which lines have the template, and where its literals begin in these lines."""
    kept = np.ones(len(rows), np.bool_)
    bounds: list[Positions] = []
    quotes = 0
    for number, literal in enumerate(template.literals):
        starts = _literal_starts(lines, rows, literal, quotes) if number else lines.starts[rows]
        same = have(lines.data, starts, literal)
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


def _literal_starts(lines: Lines, rows: Positions, literal: bytes, quotes: int) -> Positions:
    """Returns where a literal begins, by its first quote, which comes after ``quotes`` quotes, or else by the end of the line."""
    offset = literal.find(b'"')
    return lines.ends[rows] - len(literal) if offset < 0 else lines.quotes[lines.first_quote[rows] + quotes] - offset
