"""Writes rows as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
from table_common.exact_decimals import without_trailing_zeros
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import replace
from table_common.types import (
    EXACT_INTEGERS,
    ArrayType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    LocalZonedTimestampType,
    LogicalType,
    RowField,
    RowType,
    TimestampType,
    TimeType,
    VarCharType,
)
from table_runtime.columns.ascii_text import TextBytes
from table_runtime.formats.compressed_files import compressed
from table_runtime.formats.csv import options as opt
from table_runtime.formats.csv.checks import refuse_changed
from table_runtime.formats.csv.records import ESCAPED_LETTERS, CsvDialect
from table_runtime.formats.file_format import FileWriter
from table_runtime.formats.text.repeated_values import FEWEST_ROWS, ColumnTexts, repeated_values
from table_runtime.formats.text.values import to_text

_PLAIN = "+-:."
_BLANKS = (b"\t", b"\n", b"\f", b"\r", b" ")
_PLAIN_TYPES = (*EXACT_INTEGERS, BooleanType, DateType, DecimalType, TimeType)
"""Types whose texts consist of letters, digits and ``_PLAIN``, and need no quotes."""


class CsvEncoder:
    """Encodes rows as lines.

    Quotes text with delimiters, quotes, line breaks or spaces at its ends, and empty text, which would otherwise be read as NULL; timestamps, as Flink does.
    """

    def __init__(self, row_type: RowType, config: ReadableConfig) -> None:
        self._fields = row_type.fields
        self._config = config
        dialect = CsvDialect.of(config)
        self._delimiter = dialect.delimiter
        self._quote = dialect.quote
        self._escape = dialect.escape
        self._null_literal = dialect.null
        self._null = self._null_literal or ""
        self._comments = dialect.comments
        # Differs from Flink: decimals are written without an exponent unless the option is set, so that 100000 is not 1E+5.
        self._scientific = config.get_optional(opt.WRITE_BIGDECIMAL) is True
        marks = (self._delimiter, self._quote, self._escape)
        self._plain_types = () if any(mark and (mark.isalnum() or mark in _PLAIN) for mark in marks) else _PLAIN_TYPES

    def lines(self, batch: pa.RecordBatch) -> pa.Array:
        """Returns each row as text."""
        columns = [texts.of_rows() for texts in self._columns(batch)]
        return pc.binary_join_element_wise(*columns, pa.scalar(self._delimiter)) if len(columns) > 1 else columns[0]

    def blocks(self, batch: pa.RecordBatch) -> Iterator[pa.Buffer]:
        """Yields the rows as text, many in a block. Each row is preceded by a line break."""
        if batch.num_rows < FEWEST_ROWS:
            if batch.num_rows:
                texts = pa.concat_arrays([pa.array([""]), self.lines(batch)])
                whole = pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts)
                yield TextBytes(pc.binary_join(whole, "\n")).buffer
            return
        from table_runtime.formats.text.line_blocks import line_blocks

        yield from line_blocks(self._columns(batch), batch.num_rows, self._delimiter)

    def _columns(self, batch: pa.RecordBatch) -> list[ColumnTexts]:
        """Returns the texts of the columns as they are in a line; they are not NULL."""
        columns = [self._texts(column, field) for column, field in zip(batch.columns, self._fields, strict=True)]
        return columns if len(columns) > 1 else [self._only(columns[0])]

    def _only(self, column: ColumnTexts) -> ColumnTexts:
        # An empty line is not a row.
        empty = pc.equal(column.values, "")
        if self._quote is None and pc.any(empty).as_py():
            field = self._fields[0]
            raise TableRuntimeException(
                f"The format 'csv' cannot write an empty value of the only column '{field.name}' of the type {field.type.summary()} "
                "without a quote character."
            )
        return replace(column, values=pc.if_else(empty, pa.scalar((self._quote or "") * 2), column.values))

    def _texts(self, column: pa.Array, field: RowField) -> ColumnTexts:
        # The texts of values that repeat are made once. Other values may be among them, so none may be refused.
        repeated = repeated_values(column, field.type) if self._plain_types else None
        values, positions = repeated or (column, None)
        texts = self._unquoted(values, field.type)
        refused = texts if positions is None or self._null_literal is None else pc.take(texts, positions)
        refuse_changed(column, refused, field, self._config)
        null = self._quoted(pa.array([self._null_literal]), field)[0] if self._null_literal else self._null
        if not isinstance(field.type, self._plain_types):
            texts = self._quoted(texts, field)
        if positions is None:
            return ColumnTexts(pc.fill_null(texts, null))
        if positions.null_count:
            positions = pc.fill_null(positions, len(texts))
            texts = pa.concat_arrays([texts, pa.repeat(null, 1)])
        return ColumnTexts(texts, positions)

    def _unquoted(self, column: pa.Array, type_: LogicalType) -> pa.Array:
        if isinstance(type_, ArrayType | RowType):
            return self._joined(column, type_)
        if self._scientific and isinstance(type_, DecimalType):
            return pa.array(
                [None if value is None else str(without_trailing_zeros(value)) for value in column.to_pylist()], type=pa.string()
            )
        return to_text(column, type_)

    def _joined(self, column: pa.Array, type_: ArrayType | RowType) -> pa.Array:
        delimiter = self._config.get(opt.ARRAY_ELEMENT_DELIMITER)
        if isinstance(type_, ArrayType):
            flat = pc.fill_null(to_text(column.flatten(), type_.element_type), self._null)
            lengths = pc.fill_null(pc.list_value_length(column), 0)
            offsets = pa.concat_arrays([pa.array([0], type=pa.int32()), pc.cumulative_sum(lengths)])
            joined = pc.binary_join(pa.ListArray.from_arrays(offsets, flat), delimiter)
        else:
            parts = [pc.fill_null(to_text(part, t), self._null) for part, t in zip(column.flatten(), type_.field_types, strict=True)]
            joined = pc.binary_join_element_wise(*parts, pa.scalar(delimiter)) if len(parts) > 1 else parts[0]
        return pc.if_else(pc.is_valid(column), joined, pa.scalar(None, pa.string()))

    def _quoted(self, texts: pa.Array, field: RowField) -> pa.Array:
        if self._escape is not None:
            texts = pc.replace_substring(texts, self._escape, self._escape * 2)
        if self._quote is None:
            return self._without_quotes(texts, field)
        content = TextBytes(texts)
        needed = self._need_quotes(texts, content, field)
        if needed is None or not pc.any(needed).as_py():
            return texts
        doubled = pc.replace_substring(texts, self._quote, self._quote * 2) if content.has(self._quote.encode()) else texts
        quoted = pc.binary_join_element_wise(pa.scalar(self._quote), doubled, pa.scalar(self._quote), pa.scalar(""))
        return quoted if pc.all(needed).as_py() else pc.if_else(needed, quoted, texts)

    def _need_quotes(self, texts: pa.Array, content: TextBytes, field: RowField) -> pa.Array | None:
        """Returns which texts need quotes; None if none does. ``content`` are all texts: what is not in them is not looked for in each."""
        assert self._quote is not None
        if isinstance(field.type, TimestampType | LocalZonedTimestampType):
            return pc.is_valid(texts)  # each has a space
        tests = [pc.match_substring(texts, mark) for mark in (self._delimiter, self._quote, "\r", "\n") if content.has(mark.encode())]
        # Spaces at the ends would be cut off, and a byte order mark at the beginning of a file is not read as text.
        if any(content.has(blank) for blank in _BLANKS):
            tests.append(pc.not_equal(pc.ascii_trim(texts, characters="\t\n\f\r "), texts))
        tests += [pc.starts_with(texts, start) for start in ("#", "\ufeff") if content.has(start.encode())]
        if self._null_literal is None and isinstance(field.type, CharacterType | BinaryStringType):
            # Without a literal for NULL, quotes distinguish an empty text from NULL for readers that support it.
            tests.append(pc.equal(texts, ""))
        return reduce(pc.or_, tests) if tests else None

    def _without_quotes(self, texts: pa.Array, field: RowField) -> pa.Array:
        """Returns the texts with the escape character before each character that would end a field or a record.

        Raises:
            TableRuntimeException: a text has such a character, and there is no escape character.
        """
        special = rf"[{_code(self._delimiter)}\r\n]|^\x{{feff}}" + (r"|^[ \t]*#" if self._comments else "")
        needed = pc.match_substring_regex(texts, special)
        if not pc.any(needed).as_py():
            return texts
        if self._escape is not None and self._delimiter not in ESCAPED_LETTERS:
            return pc.replace_substring_regex(texts, f"({special})", self._escape.replace("\\", "\\\\") + r"\1")
        # Differs from Flink: a text that would be read as several fields or rows is an error, without a quote character.
        value = texts.filter(needed)[0].as_py()
        raise TableRuntimeException(
            f"The format 'csv' cannot write {value!r} in column '{field.name}' of the type {field.type.summary()} without a quote character: "
            "it would be read as several fields or rows.",
            hint="Leave out the option 'csv.disable-quote-character', or set 'csv.escape-character'.",
        )


def _code(character: str) -> str:
    """Returns a character as regular expressions name it."""
    return f"\\x{{{ord(character):x}}}"


def _header(row_type: RowType, config: ReadableConfig) -> str:
    names = RowType(tuple(RowField(field.name, VarCharType()) for field in row_type.fields))
    batch = pa.record_batch([pa.array([field.name]) for field in row_type.fields], names=list(row_type.field_names))
    return f"{CsvEncoder(names, config).lines(batch)[0].as_py()}\n"


class CsvWriter(FileWriter):
    """Writes a file of lines."""

    def __init__(self, path: Path, row_type: RowType, config: ReadableConfig) -> None:
        self._encoder = CsvEncoder(row_type, config)
        self._file = compressed(path.open("wb"), path.name)
        if config.get(opt.HEADER):
            self._file.write(_header(row_type, config).encode())

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        for block in self._encoder.blocks(batch):
            self._file.write(block[1:])
            self._file.write(b"\n")

    @override
    def close(self) -> None:
        self._file.close()
