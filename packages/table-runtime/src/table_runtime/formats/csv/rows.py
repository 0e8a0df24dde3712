"""Converts CSV records to columns: with Arrow if a block is plain and all records are complete, else record by record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from heapq import merge
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType
from table_runtime.formats.csv import options as opt
from table_runtime.formats.csv.plain_lines import divided_block, plain_lines, split_fields
from table_runtime.formats.csv.records import CsvDialect, Record, read_records, sound_record
from table_runtime.formats.csv.values import parse_field
from table_runtime.formats.json.line_filter import are_texts
from table_runtime.formats.json.line_parser import shown
from table_runtime.formats.json.rows import join_messages, order_of
from table_runtime.formats.lines import BYTE_ORDER_MARK
from table_runtime.formats.skipped_rows import Ignored

_NO_UTF8 = re.compile("[\udc80-\udcff]")
_HINT = "Set the table's option 'csv.ignore-parse-errors' to skip what cannot be read (read_csv: ignore_parse_errors => TRUE)."
_HINT_OF_ENCODING = "'csv.encoding' says how the text is encoded, such as 'latin-1'; 'csv.ignore-parse-errors' skips such records."
_HINT_OF_WIDTH = (
    "The table must have all columns of the file, in their order, unless 'csv.header' = 'true' says that the first record has their names; "
    "'csv.field-delimiter' is the delimiter."
)
_HINT_OF_VALUE = "Set the table's option 'csv.ignore-parse-errors' to read such values as NULL, or 'csv.null-literal' if it means NULL."
_HINT_OF_FIRST_VALUE = f"If the first record has the names of the columns, set the table's option 'csv.header' = 'true'. {_HINT_OF_VALUE}"
_FIRST_LINE = re.compile("The CSV file '.*', line 1", re.DOTALL).fullmatch


_Fields = list[str | None]
"""The texts of a record's fields."""


class _Texts(NamedTuple):
    """The texts of columns, and the positions of the records with another number of fields, which have none."""

    texts: list[pa.Array]
    refused: list[int]


class CsvRows:
    """Converts records to columns; thread-safe. ``file_type`` is the row type of a record, ``wanted`` that of the result."""

    def __init__(self, file_type: RowType, wanted: RowType, config: ReadableConfig) -> None:
        self._width = len(file_type.fields)
        self._wanted = wanted
        positions = {name: position for position, name in enumerate(file_type.field_names)}
        self._positions = [positions[name] for name in wanted.field_names]
        self._config = config
        self.dialect = CsvDialect.of(config)
        comment = "#" if self.dialect.comments else None
        self._special = [character for character in ("\n", "\r", self.dialect.quote, self.dialect.escape, comment) if character]
        self._sound = sound_record(self.dialect)
        self._ignore = config.get(opt.IGNORE_PARSE_ERRORS)
        self._mends = False  # whether lines with fewer fields were seen

    def parse_block(self, data: bytes, *, plain: bool, where: Callable[[int], str], ignored: Ignored) -> tuple[list[pa.Array], int]:
        """Returns the columns, and the number of rows.

        Args:
            data: whole records.
            plain: whether Arrow reads them in the same way; see ``is_plain``.
            where: returns the name of a line, counted from 0, for messages.
            ignored: counts ignored rows and values.

        Raises:
            TableRuntimeException: a record cannot be read, and errors are not ignored.
        """
        lines = _Lines(data, self.dialect, self._is_row)
        # Arrow checks only the columns that are read, and cannot report a refused record that is not UTF-8.
        found = self._at_once(data) if plain and pc.all(are_texts(pa.array([data], pa.large_binary()))).as_py() else None
        if found is not None and not found.refused:
            count = len(found.texts[0])
            return self.converted(found.texts, ignored, lambda index: where(lines.line_of(index))), count
        divided = divided_block(data, self.dialect, self._width)
        if divided is not None:
            others = ((number, self._row(record, partial(where, number), ignored)) for number, record in divided.others)
            merged = self._merged(divided.lines, pa.repeat(True, len(divided.lines)), divided.numbers, others, where, ignored)
            if merged is not None:
                return merged[0], len(merged[1])
        rows, records = [], []
        for record in lines.records:
            row = self._row(record, lambda at=record.start: where(lines.line_at(at)), ignored)  # type: ignore[misc]  # mypy cannot infer a default
            if row is not None:
                rows.append(row)
                records.append(record)
        return self.converted(self._texts(rows), ignored, lambda index: where(lines.line_at(records[index].start))), len(rows)

    def parse_messages(self, messages: pa.Array, where: Callable[[int], str], ignored: Ignored) -> tuple[list[pa.Array], pa.Array | None]:
        """Returns the columns, and the position of each row's message (None: 0, 1, 2, …). No message is NULL or empty."""
        merged = self._merged(messages, plain_lines(messages, self.dialect), None, (), where, ignored)
        if merged is not None:
            columns, numbers = merged
            return columns, None if len(numbers) == len(messages) else numbers
        every = enumerate(messages.to_pylist())
        read = [(position, self._message(message, partial(where, position), ignored)) for position, message in every]
        kept = [(position, row) for position, row in read if row is not None]
        numbers = pa.array([position for position, _ in kept], pa.int64())
        return self._converted_rows(self._texts([row for _, row in kept]), numbers, where, ignored), numbers

    def _merged(
        self,
        lines: pa.Array,
        plain: pa.Array,
        numbers: pa.Array | None,
        others: Iterable[tuple[int, _Fields | None]],
        where: Callable[[int], str],
        ignored: Ignored,
    ) -> tuple[list[pa.Array], pa.Array] | None:
        """Returns the columns and the numbers of all rows, by their numbers; None if Arrow reads plain lines in another way.

        Args:
            lines: the lines.
            plain: a mask of those that Arrow reads; the others are read one by one.
            numbers: the number of each line (None: 0, 1, 2, …).
            others: further rows with their numbers; a row is None if it is ignored.
            where: returns the name of a number, for messages.
            ignored: counts ignored rows and values.
        """
        read, alone, found = self._of_lines(lines, plain)
        if found is None or len(found.texts[0]) + len(found.refused) != len(read):
            return None

        def each(positions: pa.Array) -> Iterable[tuple[int, _Fields | None]]:
            names = positions if numbers is None else numbers.take(positions)
            for number, line in zip(names.to_pylist(), lines.take(positions).to_pylist(), strict=True):
                yield number, self._message(line, partial(where, number), ignored)

        parts = [others, each(alone)]
        groups = [(found.texts, read)]
        if found.refused:
            self._mends = self._ignore
            refused = pa.array(found.refused, pa.int64())
            wrong = read.take(refused)
            texts, is_split = split_fields(lines.take(wrong), self.dialect, self._width, self._positions or [0], fewer=self._ignore)
            groups = [(found.texts, _without(read, refused)), (texts, wrong.filter(is_split))]
            parts.append(each(wrong.filter(pc.invert(is_split))))
        if numbers is not None:
            groups = [(texts, numbers.take(positions)) for texts, positions in groups]
        rows = [(number, row) for number, row in merge(*parts, key=itemgetter(0)) if row is not None]
        groups.append((self._texts([row for _, row in rows]), pa.array([number for number, _ in rows], pa.int64())))
        return self._in_order([group for group in groups if len(group[1])] or groups[:1], where, ignored)

    def _of_lines(self, lines: pa.Array, plain: pa.Array) -> tuple[pa.Array, pa.Array, _Texts | None]:
        """Returns the positions of the lines that are read together, those of the others, and what ``_at_once`` does for the former."""
        if self._mends:
            from table_runtime.formats.csv.short_lines import MendedLines  # only for lines with fewer fields

            mended = MendedLines.of(lines, plain, self.dialect, self._width)
            self._mends = mended is not None and len(mended.short) > 0
            if mended is not None and len(mended.read):
                found = self._at_once(mended.block)
                if found is not None:
                    found = _Texts(mended.with_nulls(found.texts, self._positions or [0], found.refused), found.refused)
                return mended.read, mended.others, found
        alone = pc.indices_nonzero(pc.invert(plain)).cast(pa.int64())
        read = _without(pa.arange(0, len(lines)), alone)
        together = _without(lines, alone)
        return read, alone, self._at_once(join_messages(together)) if len(read) else _Texts(self._texts([]), [])

    def _in_order(
        self, groups: Sequence[tuple[Sequence[pa.Array], pa.Array]], where: Callable[[int], str], ignored: Ignored
    ) -> tuple[list[pa.Array], pa.Array]:
        """Returns the columns and the numbers of rows, by their numbers; each group has texts and numbers."""
        if len(groups) == 1:
            texts, numbers = groups[0]
            return self._converted_rows(texts, numbers, where, ignored), numbers
        columns = [pa.concat_arrays(parts) for parts in zip(*(texts for texts, _ in groups), strict=True)]
        numbers = pa.concat_arrays([numbers for _, numbers in groups])
        order = order_of(numbers)
        sorted_numbers = numbers.take(order)
        if self._ignore:  # to put values in order is faster than to do so with texts
            return [column.take(order) for column in self._converted_rows(columns, numbers, where, ignored)], sorted_numbers
        # The first error is that of the first row.
        return self._converted_rows([column.take(order) for column in columns], sorted_numbers, where, ignored), sorted_numbers

    def _converted_rows(
        self, texts: Sequence[pa.Array], numbers: pa.Array, where: Callable[[int], str], ignored: Ignored
    ) -> list[pa.Array]:
        return self.converted(texts, ignored, lambda index: where(numbers[index].as_py()))

    def _message(self, message: bytes, where: Callable[[], str], ignored: Ignored) -> _Fields | None:
        if ignored.first is not None and self._sound is not None and self._sound.match(message) is None:
            ignored.row("")  # only the first problem is shown
            return None
        text = message.decode(errors="surrogateescape")
        if self._is_simple(text):
            return self._row(Record(0, len(text), text.split(self.dialect.delimiter)), where, ignored)
        records = [record for record in read_records(text, self.dialect, final=True) if self._is_row(text, record)]
        if len(records) > 1 and not records[0].problem:
            self._refused(f"{where()} has {len(records)} records, but a message must have one: {shown(text)!r}", ignored)
            return None
        return self._row(records[0], where, ignored) if records else None

    def _is_simple(self, text: str) -> bool:
        """Returns whether the text of a message is one record that ends at its delimiters only: most damaged ones are."""
        return not any(map(text.__contains__, self._special))

    def _is_row(self, text: str, record: Record) -> bool:
        """Returns whether a record is a row; an empty line is a row only if there is one column."""
        # Differs from Flink: empty lines between records are skipped; in Flink they are an error.
        return self._width == 1 or text[record.start] not in "\r\n"

    def _row(self, record: Record, where: Callable[[], str], ignored: Ignored) -> _Fields | None:
        if record.problem and ignored.first is not None:  # only the first problem is shown
            ignored.row("")
            return None
        fields: list[str | None] = list(record.fields)
        if len(fields) == self._width + 1 and fields[-1] == "":
            fields.pop()  # a delimiter at the end of the line
        problem, hint = record.problem, _HINT
        if not problem and not all(map(str.isascii, record.fields)) and any(map(_NO_UTF8.search, record.fields)):
            problem, hint = "it is not UTF-8", _HINT_OF_ENCODING
        is_wrong = len(fields) > self._width or (len(fields) < self._width and not self._ignore)
        if problem or is_wrong:
            if ignored.first is not None:
                ignored.row("")
                return None
            if not problem:
                line = shown(self.dialect.delimiter.join(record.fields))
                problem = f"it has {len(fields)} fields, but the table has {self._width} columns: {line!r}"
                hint = _HINT_OF_WIDTH if _FIRST_LINE(where()) else _HINT
            self._refused(f"{where()}: the record cannot be read: {problem}", ignored, hint)
            return None
        null = self.dialect.null
        if null is not None:
            fields = [None if field == null else field for field in fields]
        return fields + [None] * (self._width - len(fields))

    def _refused(self, problem: str, ignored: Ignored, hint: str = _HINT) -> None:
        if not self._ignore:
            raise TableRuntimeException(f"{problem}.", hint=hint)
        ignored.row(problem)

    def _texts(self, rows: Sequence[_Fields]) -> list[pa.Array]:
        """Returns the texts of the columns (of the first one if no columns are read)."""
        return [pa.array([row[i] for row in rows], type=pa.string()) for i in self._positions or [0]]

    def converted(self, texts: Sequence[pa.Array], ignored: Ignored, where: Callable[[int], str]) -> list[pa.Array]:
        """Converts the texts of the columns to values; ``where`` returns the name of a row for messages."""
        arrays = []
        for field, column in zip(self._wanted.fields, texts, strict=False):
            array, failure = parse_field(column, field.type, self._config, self._ignore)
            if self._ignore and array.null_count > column.null_count:
                _count_ignored(array, column, f"column '{field.name}'", where, ignored)
            if failure is not None:
                position, text, reason = failure
                place = where(position)
                raise TableRuntimeException(
                    f"{place}, column '{field.name}': {shown(text)!r} cannot be read as {field.type.summary()}: {reason}.",
                    hint=_HINT_OF_FIRST_VALUE if _FIRST_LINE(place) else _HINT_OF_VALUE,
                )
            arrays.append(array)
        return arrays

    def _at_once(self, data: bytes) -> _Texts | None:
        """Returns the texts of the columns (of the first one if no columns are read); None if Arrow cannot read them. The data is UTF-8."""
        from pyarrow._csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

        names = [f"f{index}" for index in range(self._width)]
        quote, null = self.dialect.quote, self.dialect.null
        quoted = quote is not None and quote.encode() in data
        refused: list[int] = []

        def refuse(row: Any) -> str:
            refused.append(row.number - 1)
            return "skip"

        try:
            table = read_csv(
                # Arrow removes one byte order mark. That of a file is removed before, so this one is text.
                pa.BufferReader(BYTE_ORDER_MARK + data if data.startswith(BYTE_ORDER_MARK) else data),
                ReadOptions(column_names=names, block_size=max(len(data), 1 << 16), use_threads=False),
                ParseOptions(
                    delimiter=self.dialect.delimiter,
                    quote_char=quote if quoted else False,
                    double_quote=quoted,
                    newlines_in_values=quoted,
                    ignore_empty_lines=self._width > 1,
                    invalid_row_handler=refuse,
                ),
                ConvertOptions(
                    check_utf8=False,
                    column_types=dict.fromkeys(names, pa.string()),
                    null_values=[] if null is None else [null],
                    strings_can_be_null=null is not None,
                    quoted_strings_can_be_null=True,
                    include_columns=[names[i] for i in self._positions] or [names[0]],
                ),
            ).combine_chunks()
        except pa.ArrowInvalid:
            return None
        return _Texts([column.chunk(0) if column.num_chunks else pa.array([], pa.string()) for column in table.columns], refused)


class _Lines:
    """The positions of a block's records, computed on demand."""

    def __init__(self, data: bytes, dialect: CsvDialect, is_row: Callable[[str, Record], bool]) -> None:
        self._data = data
        self._dialect = dialect
        self._is_row = is_row

    @cached_property
    def _text(self) -> str:
        return self._data.decode(errors="surrogateescape")

    @cached_property
    def records(self) -> list[Record]:
        text = self._text
        return [record for record in read_records(text, self._dialect, final=True) if self._is_row(text, record)]

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.end() for match in re.finditer("\r\n|\n|\r", self._text)]

    def line_at(self, position: int) -> int:
        """Returns the number of line ends before a position."""
        from bisect import bisect_right  # only messages name lines

        return bisect_right(self._line_ends, position)

    def line_of(self, index: int) -> int:
        return self.line_at(self.records[index].start)


def _without(array: pa.Array, positions: pa.Array) -> pa.Array:
    """Returns an array without the values at ascending positions. To copy the pieces between a few positions is faster than a filter."""
    if not len(positions):
        return array
    if len(positions) > len(array) // 64:
        return array.filter(pc.invert(pc.is_in(pa.arange(0, len(array)), value_set=positions.cast(pa.int64()))))
    start, pieces = 0, []
    for position in positions.to_pylist():
        if position > start:
            pieces.append(array.slice(start, position - start))
        start = position + 1
    pieces.append(array.slice(start))
    return pa.concat_arrays(pieces)


def _count_ignored(array: pa.Array, column: pa.Array, what: str, where: Callable[[int], str], ignored: Ignored) -> None:
    empty = pc.indices_nonzero(pc.is_null(array))
    texts = column.take(empty)
    lost = empty.filter(pc.fill_null(pc.not_equal(texts, ""), False))
    if len(lost):
        position = lost[0].as_py()
        known = ignored.first is not None  # only the first problem is kept
        ignored.value("" if known else f"{where(position)}, {what}: {column[position].as_py()!r}", len(lost))
