"""Finds the lines that are CSV records which Arrow reads as ``csv.records`` does, so that few damaged lines do not slow down the others.

The other lines are read by ``csv.records``. A record of several lines, such as one whose quote is closed later, takes the lines up to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.formats.csv.records import CsvDialect, Record, read_records
from table_runtime.formats.json.line_filter import are_texts
from table_runtime.formats.lines import split_lines


class DividedBlock(NamedTuple):
    """The records of a block: plain lines with their numbers (int64), and other records with the numbers of their first lines."""

    lines: pa.Array
    numbers: pa.Array
    others: list[tuple[int, Record]]


def divided_block(data: bytes, dialect: CsvDialect, width: int) -> DividedBlock | None:
    """Returns the records of a block of whole records with ``width`` fields; None if its lines cannot be told apart.

    Without the empty lines, which are records only if there is one column.
    """
    lines = _lines_of(data, dialect)
    if lines is None:
        return None
    mask = plain_lines(lines, dialect)
    empty = pc.is_in(lines, value_set=pa.array([b"", b"\r"] if width > 1 else [], lines.type))
    others, covered, _ = _other_records(data, lines, pc.or_(mask, empty), dialect, final=True)
    numbers = pc.indices_nonzero(pc.and_(mask, pc.invert(empty))).cast(pa.int64())
    if covered:
        numbers = numbers.filter(pc.invert(pc.is_in(numbers, value_set=pa.array(covered, pa.int64()))))
    return DividedBlock(lines.take(numbers), numbers, others)


def complete_lines(data: bytes, dialect: CsvDialect) -> int | None:
    """Returns the end of the last complete record of text that continues, in bytes; None if its lines cannot be told apart."""
    lines = _lines_of(data[: data.rfind(b"\n") + 1], dialect)
    if lines is None:
        return None
    _, _, end = _other_records(data, lines, plain_lines(lines, dialect), dialect, final=False)
    return int(_offsets(lines)[end].as_py())


def plain_lines(lines: pa.Array, dialect: CsvDialect) -> pa.Array:
    """Returns a mask of the lines (of bytes, none is NULL) that are one record each, which Arrow reads as ``read_records`` does."""
    special = "".join(filter(None, (dialect.delimiter, dialect.quote, dialect.escape)))
    if not special.isascii():
        return pa.repeat(pa.scalar(False), len(lines))
    from table_runtime.formats.csv.quote_check import lines_with_quotes_at_ends

    mask = lines_with_quotes_at_ends(lines, dialect)
    texts = are_texts(lines)
    return pc.and_(mask, texts) if isinstance(texts, pa.Array) else mask


def split_fields(
    lines: pa.Array, dialect: CsvDialect, width: int, positions: Sequence[int], *, fewer: bool
) -> tuple[list[pa.Array], pa.Array]:
    """Returns the texts of the fields at the positions, and a mask of the lines that have ``width`` fields and no quotes; the others are left out.

    Args:
        lines: lines that are plain; see ``plain_lines``.
        dialect: the special characters.
        width: the number of fields; a delimiter may follow them.
        positions: the positions of the fields that are wanted.
        fewer: whether lines may have fewer fields. Those that are not there are NULL.
    """
    texts = pc.utf8_rtrim(lines.cast(pa.string()), "\r")
    lists = pc.split_pattern(texts, pattern=dialect.delimiter)
    elements, lengths = lists.flatten(), pc.list_value_length(lists)
    ends = pc.cumulative_sum(lengths)
    ended = pc.and_(pc.equal(lengths, width + 1), pc.equal(elements.take(pc.subtract(ends, 1)), ""))
    fits = pc.or_(pc.less_equal(lengths, width) if fewer else pc.equal(lengths, width), ended)
    if dialect.quote:
        fits = pc.and_(fits, pc.invert(pc.match_substring(texts, dialect.quote)))
    starts, lengths = pc.subtract(ends, lengths).filter(fits), lengths.filter(fits)
    columns = []
    for position in positions:
        index = pc.if_else(pc.greater(lengths, position), pc.add(starts, position), pa.scalar(None, pa.int32()))
        column = elements.take(index)
        if dialect.null is not None:
            column = pc.if_else(pc.equal(column, dialect.null), pa.scalar(None, pa.string()), column)
        columns.append(column)
    return columns, fits


def _lines_of(data: bytes, dialect: CsvDialect) -> pa.Array | None:
    if not data or (dialect.comments and b"#" in data) or data.count(b"\r") != data.count(b"\r\n"):
        return None
    return split_lines(data)


def _offsets(lines: pa.Array) -> pa.Array:
    """Returns where each line begins in its block, and the end of the last one."""
    ends = pc.cumulative_sum(pc.add(pc.cast(pc.binary_length(lines), pa.int64()), 1))
    return pa.concat_arrays([pa.array([0], pa.int64()), ends])


def _other_records(
    data: bytes, lines: pa.Array, mask: pa.Array, dialect: CsvDialect, *, final: bool
) -> tuple[list[tuple[int, Record]], list[int], int]:
    """Returns the records that begin at lines without the mask, the further lines that they take, and the first line that is not complete."""
    records: list[tuple[int, Record]] = []
    covered: list[int] = []
    offsets, cursor = _offsets(lines), 0
    for number in pc.indices_nonzero(pc.invert(mask)).to_pylist():
        if number < cursor:
            continue
        found = _record_at(data, offsets, number, dialect, final=final)
        if found is None:
            return records, covered, number
        record, size = found
        records.append((number, record))
        cursor = number + size
        covered += range(number + 1, cursor)
    return records, covered, len(lines)


def _record_at(data: bytes, offsets: pa.Array, number: int, dialect: CsvDialect, *, final: bool) -> tuple[Record, int] | None:
    """Returns the record that begins at a line, and the number of its lines; None if it may continue after the data."""
    size, count = 1, len(offsets) - 1
    start = offsets[number].as_py()
    while True:
        is_last = number + size >= count
        text = data[start : offsets[min(number + size, count)].as_py()].decode(errors="surrogateescape")
        record = next(read_records(text, dialect, final=is_last and final), None)
        if record is not None:
            taken = text[: record.end]
            return record, taken.count("\n") + (0 if taken.endswith("\n") else 1)
        if is_last:
            return None
        size *= 2
