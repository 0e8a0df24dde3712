"""Converts JSON objects to columns: by templates, with Arrow's parser if it gives the same values, else object by object.

Many lines that differ only in their values are decoded by their template (``json.shapes``). Arrow's parser gets the other lines.
Arrow refuses a block as a whole. Then the lines that it probably refuses are found (``json.line_filter``) and parsed one by one, the other
lines are parsed
together, and the rows are put in order.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType
from table_runtime.formats.json import options as opt
from table_runtime.formats.json.line_filter import likely_lines, object_pattern, plain_lines, wrong_pattern
from table_runtime.formats.json.line_parser import LineParser
from table_runtime.formats.json.vectors import ParsedBlock, VectorParser, may_be_parsed
from table_runtime.formats.lines import split_lines
from table_runtime.formats.skipped_rows import Ignored
from table_runtime.formats.text.forms import JSON_SQL, TextForms

if TYPE_CHECKING:
    from table_runtime.formats.json.shapes import ShapeParser

_FEWEST_LINES = 64
"""Lines that are not divided further to find the one that Arrow refuses."""
FEWEST_BY_TEMPLATE = 200
"""Lines of one template for which it is worthwhile to decode them together."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Columns of some lines, and the position of each row's line; -1 if the row is not used."""

    columns: list[pa.Array]
    positions: pa.Array


class JsonRows:
    """Converts objects to columns; thread-safe. ``format_name`` is the format's name in messages."""

    def __init__(
        self,
        row_type: RowType,
        format_name: str,
        *,
        ignore_errors: bool = False,
        fail_on_missing: bool = False,
        forms: TextForms = JSON_SQL,
        fewest_by_template: int = FEWEST_BY_TEMPLATE,
    ) -> None:
        self._row_type = row_type
        self._format = format_name
        self._ignore_errors = ignore_errors
        self._fail_on_missing = fail_on_missing
        self._forms = forms
        self._vectors = VectorParser.of(row_type, forms, find_missing=fail_on_missing)
        self._fewest = fewest_by_template
        self._shapes: ShapeParser | None = None
        self._by_templates = bool(row_type.fields)
        self._screens_first = False
        self._parser(None)  # rejects unsupported types early

    def parse_block(self, block: bytes, where: Callable[[int], str], ignored: Ignored) -> tuple[list[pa.Array], int]:
        """Returns the columns and the number of rows.

        Args:
            block: all objects as lines.
            where: returns the name of a line for messages.
            ignored: counts ignored rows and values, if errors are ignored.

        Raises:
            TableRuntimeException: an object cannot be read, and errors are not ignored.
        """
        lines = None
        if self._by_templates and block.count(b"\n") + 1 >= self._fewest:
            lines = split_lines(block.replace(b"\r\n", b"\n") if b"\r\n" in block else block)
            part = self._by_template(lines, where, ignored)
            if part is not None:
                return part.columns, len(part.positions)
        if self._vectors is not None and not self._screens_first:
            parsed = self._vectors.parse(block)
            if parsed is not None and not parsed.unsure:
                return parsed.columns, len(parsed.columns[0])
        part = self._of_lines(lines if lines is not None else split_lines(block), where, ignored)
        return part.columns, len(part.positions)

    def parse_messages(self, messages: pa.Array, where: Callable[[int], str], ignored: Ignored) -> tuple[list[pa.Array], pa.Array]:
        """Returns the columns, and for each row the position of its message; see ``parse_block``."""
        part = self._by_template(messages, where, ignored)
        if part is not None:
            return part.columns, part.positions
        if self._vectors is not None and not self._screens_first:
            present = _present(messages)
            positions = pc.indices_nonzero(present)
            texts = messages if len(positions) == len(messages) else messages.filter(present)
            parsed = _at_once(texts, self._vectors) if len(texts) else None
            if parsed is not None and not parsed.unsure:
                return parsed.columns, positions.cast(pa.int64())
        part = self._of_lines(messages, where, ignored)
        return part.columns, part.positions

    def _by_template(self, lines: pa.Array, where: Callable[[int], str], ignored: Ignored) -> _Part | None:
        """Returns the rows of the lines, most of them decoded by templates; None if few of the lines have one."""
        if not self._by_templates or len(lines) < self._fewest:
            return None
        if self._shapes is None:
            self._shapes = self._shape_parser()
        from table_runtime.formats.json.shapes import remaining_lines

        parts = self._shapes.parse(lines)
        if not parts:
            return None
        found = [_Part(part.columns, pa.array(part.positions, pa.int64())) for part in parts]
        decoded = sum(len(part.positions) for part in found)
        lost = pa.concat_arrays([pa.array(part.lost, pa.int64()) for part in parts])
        has_unused = pc.min(pa.chunked_array([part.positions for part in found])).as_py() < 0
        if has_unused or len(lost) or decoded < len(lines):
            others = remaining_lines(lines, parts)
            rest = self._rest(lines, others, lost, where, ignored)
            if rest is not None:
                found.append(rest)
        return found[0] if len(found) == 1 and not has_unused else _in_order(found)

    def _rest(self, lines: pa.Array, others: pa.Array, lost: pa.Array, where: Callable[[int], str], ignored: Ignored) -> _Part | None:
        """Returns the rows of the lines that were not decoded; counts the values of the others that are lost.

        Args:
            lines: all lines.
            others: the positions of the lines that were not decoded.
            lost: the position of the line of each value that was decoded as NULL because it cannot be read.
            where: returns the name of a line for messages.
            ignored: counts ignored rows and values.
        """
        first = pc.min(lost).as_py() if ignored.first is None else None
        if first is not None:
            # Its line is parsed in its place among the others, for the message.
            others = pa.concat_arrays([others, pa.array([first], pa.int64())])
            others = others.take(pc.array_sort_indices(others))
            lost = lost.filter(pc.not_equal(lost, first))
        part = None
        if len(others):
            rest = self._of_lines(lines.take(others), lambda index: where(others[index].as_py()), ignored)
            part = _Part(rest.columns, others.take(rest.positions))
            if first is not None:
                is_other = pc.not_equal(part.positions, first)
                part = _Part([column.filter(is_other) for column in part.columns], part.positions.filter(is_other))
        if len(lost):
            ignored.value("", len(lost))
        return part

    def _of_lines(self, lines: pa.Array, where: Callable[[int], str], ignored: Ignored) -> _Part:
        parts = [] if self._vectors is None else self._together(lines, self._vectors)
        if not parts:
            return self._one_by_one(lines, pa.arange(0, len(lines)), where, ignored)
        done = parts[0].positions if len(parts) == 1 else pa.concat_arrays([part.positions for part in parts])
        if len(done) == len(lines):
            return parts[0] if len(parts) == 1 else _in_order(parts)
        all_positions = pa.arange(0, len(lines))
        others = all_positions.filter(pc.invert(pc.is_in(all_positions, value_set=done)))
        return _in_order([*parts, self._one_by_one(lines.take(others), others, where, ignored)])

    def _one_by_one(self, lines: pa.Array, positions: pa.Array, where: Callable[[int], str], ignored: Ignored) -> _Part:
        parser = self._parser(ignored if self._ignore_errors else None)
        columns, indices = parser.parse(lines.to_pylist(), lambda index: where(positions[index].as_py()))
        return _Part(columns, positions.take(pa.array(indices, pa.int64())))

    def _together(self, lines: pa.Array, vectors: VectorParser) -> list[_Part]:
        """Returns the rows of the lines that Arrow reads, each line with one row."""
        likely = likely_lines(lines, wrong_pattern(self._row_type, vectors.quoted))
        positions = pc.indices_nonzero(likely).cast(pa.int64())
        self._screens_first = len(positions) < len(lines)
        part = _parsed(lines, positions, vectors)
        if part is None and len(positions):
            plain = pc.and_(likely, plain_lines(lines, object_pattern(self._row_type, vectors.quoted)))
            return list(_divided(lines, pc.indices_nonzero(plain).cast(pa.int64()), vectors))
        return [] if part is None else [part]

    def _shape_parser(self) -> ShapeParser:
        """Returns the parser of lines by their templates."""
        from table_runtime.formats.json.shapes import ShapeParser

        return ShapeParser(
            self._row_type, self._forms, find_missing=self._fail_on_missing, ignore_errors=self._ignore_errors, fewest=self._fewest
        )

    def _parser(self, ignored: Ignored | None) -> LineParser:
        return LineParser(self._row_type, self._format, ignored=ignored, fail_on_missing=self._fail_on_missing, forms=self._forms)


def _present(lines: pa.Array) -> pa.Array:
    """Returns which lines are not NULL and not empty."""
    return pc.fill_null(pc.greater(pc.binary_length(lines), 0), False)


def _parsed(lines: pa.Array, positions: pa.Array, vectors: VectorParser) -> _Part | None:
    """Returns the rows of the lines at the positions, without those that must be parsed one by one; None if Arrow refuses a line."""
    if not len(positions):
        return None
    chosen = lines if len(positions) == len(lines) else lines.take(positions)
    block = join_messages(chosen)
    if block.count(b"\n") != len(chosen) - 1:
        return None
    parsed = vectors.parse_objects(block, len(chosen))
    return None if parsed is None else _without_unsure(parsed, positions)


def _without_unsure(parsed: ParsedBlock, positions: pa.Array) -> _Part:
    if not parsed.unsure:
        return _Part(parsed.columns, positions)
    rows = pa.arange(0, len(positions))
    sure = rows.filter(pc.invert(pc.is_in(rows, value_set=pa.array(parsed.unsure, pa.int64()))))
    return _Part([column.take(sure) for column in parsed.columns], positions.take(sure))


def _divided(lines: pa.Array, positions: pa.Array, vectors: VectorParser) -> list[_Part]:
    """Returns the rows of the lines at the positions; divides them to leave out few lines with one that Arrow refuses."""
    part = _parsed(lines, positions, vectors)
    if part is not None:
        return [part]
    if len(positions) <= _FEWEST_LINES:
        return []
    middle = len(positions) // 2
    return [*_divided(lines, positions[:middle], vectors), *_divided(lines, positions[middle:], vectors)]


def _in_order(parts: list[_Part]) -> _Part:
    """Returns the rows of all parts in the order of their lines."""
    parts = [part for part in parts if len(part.positions)] or parts[:1]
    positions = pa.concat_arrays([part.positions for part in parts])
    columns = [pa.concat_arrays(columns) for columns in zip(*(part.columns for part in parts), strict=True)]
    unused = pc.sum(pc.less(positions, 0)).as_py() or 0
    if not unused and all(before.positions[-1].as_py() < after.positions[0].as_py() for before, after in pairwise(parts)):
        return _Part(columns, positions)
    order = order_of(positions)[unused:]
    return _Part([column.take(order) for column in columns], positions.take(order))


def order_of(positions: pa.Array) -> pa.Array:
    """Returns the order of the positions; equal ones keep theirs."""
    import numpy as np  # its sort takes advantage of positions that are mostly in order

    return pa.array(np.argsort(np.asarray(positions), kind="stable"))


def _at_once(messages: pa.Array, vectors: VectorParser) -> ParsedBlock | None:
    """Returns the columns of messages that each have one object; None if they must be parsed in another way."""
    block = join_messages(messages)
    if block.count(b"\n") == len(messages) - 1:
        look_like_objects = pc.and_(pc.starts_with(messages, b"{"), pc.ends_with(messages, b"}"))
        if pc.all(look_like_objects).as_py():
            return vectors.parse_objects(block, len(messages)) if may_be_parsed(block) else None
    parsed = vectors.parse(block)
    # None of them is blank, so none of them has two objects.
    return (
        parsed if parsed is not None and len(parsed.columns[0]) == len(messages) and all(map(bytes.strip, messages.to_pylist())) else None
    )


def join_messages(messages: pa.Array) -> bytes:
    """Joins messages, which must not be NULL, to lines."""
    joined: bytes = joined_buffer(messages).to_pybytes()
    return joined


def joined_buffer(messages: pa.Array) -> pa.Buffer:
    """Does the same as ``join_messages``, without copying the lines to an object of Python."""
    offsets = pa.array([0, len(messages)], type=pa.int64())
    lists = pa.LargeListArray.from_arrays(offsets, messages.cast(pa.large_binary()))
    # The value of the scalar would be copied byte by byte.
    return pc.binary_join(lists, pa.scalar(b"\n", pa.large_binary()))[0].as_buffer()


def rows_of(row_type: RowType, config: ReadableConfig) -> JsonRows:
    """Returns the converter that the options of the format ``json`` describe."""
    return JsonRows(
        row_type,
        "json",
        ignore_errors=config.get(opt.IGNORE_PARSE_ERRORS),
        fail_on_missing=config.get(opt.FAIL_ON_MISSING_FIELD),
        forms=opt.timestamp_forms(config),
    )
