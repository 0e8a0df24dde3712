"""Writes rows as CSV."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
from table_common.exact_decimals import without_trailing_zeros
from table_common.exceptions import TableRuntimeException
from table_common.types import ArrayType, BinaryStringType, CharacterType, DecimalType, LogicalType, RowField, RowType
from table_runtime.formats import csv_options as opt
from table_runtime.formats.compression import compressed
from table_runtime.formats.csv_checks import refuse_changed
from table_runtime.formats.file_format import FileWriter
from table_runtime.formats.text_values import to_text

__all__ = ["CsvEncoder", "CsvWriter"]


class CsvEncoder:
    """Rows as lines. Quotes what needs it: text with delimiters, quotes, line breaks or spaces at its ends, and empty text beside NULL."""

    def __init__(self, row_type: RowType, config: ReadableConfig) -> None:
        self._fields = row_type.fields
        self._config = config
        self._delimiter = config.get(opt.FIELD_DELIMITER)
        self._quote = None if config.get(opt.DISABLE_QUOTE_CHARACTER) else config.get(opt.QUOTE_CHARACTER)
        self._escape = config.get(opt.ESCAPE_CHARACTER)
        self._null_literal: str | None = config.get(opt.NULL_LITERAL)
        self._null = self._null_literal or ""
        # Differs from Flink: decimals are written plainly unless the option is given, so that 100000 is not 1E+5.
        self._scientific = config.get_optional(opt.WRITE_BIGDECIMAL) is True

    def lines(self, batch: pa.RecordBatch) -> pa.Array:
        """Returns each row as text."""
        columns = [self._texts(column, field) for column, field in zip(batch.columns, self._fields, strict=True)]
        if len(columns) > 1:
            return pc.binary_join_element_wise(*columns, pa.scalar(self._delimiter))
        # An empty line is no row.
        empty = pc.equal(columns[0], "")
        if self._quote is None and pc.any(empty).as_py():
            field = self._fields[0]
            raise TableRuntimeException(
                f"The format 'csv' has no line for an empty value of the only column '{field.name}' of the type {field.type.summary()} "
                "without a quote character."
            )
        return pc.if_else(empty, pa.scalar((self._quote or "") * 2), columns[0])

    def _texts(self, column: pa.Array, field: RowField) -> pa.Array:
        type_ = field.type
        if isinstance(type_, ArrayType | RowType):
            texts = self._joined(column, type_)
        elif self._scientific and isinstance(type_, DecimalType):
            texts = pa.array(
                [None if value is None else str(without_trailing_zeros(value)) for value in column.to_pylist()], type=pa.string()
            )
        else:
            texts = to_text(column, type_)
        refuse_changed(column, texts, field, self._config)
        return pc.fill_null(self._quoted(texts, type_), self._null)

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

    def _quoted(self, texts: pa.Array, type_: LogicalType) -> pa.Array:
        if self._escape is not None:
            texts = pc.replace_substring(texts, self._escape, self._escape * 2)
        if self._quote is None:
            return texts
        marks = "".join(f"\\x{{{ord(character):x}}}" for character in (self._delimiter, self._quote))
        # Unless a literal stands for NULL, quotes tell an empty text from it, for those who read them.
        empty = "|^$" if self._null_literal is None and isinstance(type_, CharacterType | BinaryStringType) else ""
        needed = pc.match_substring_regex(texts, rf"[{marks}\r\n]|^#|^\s|\s${empty}")
        if not pc.any(needed).as_py():
            return texts
        doubled = pc.replace_substring(texts, self._quote, self._quote * 2)
        quoted = pc.binary_join_element_wise(pa.scalar(self._quote), doubled, pa.scalar(self._quote), pa.scalar(""))
        return pc.if_else(needed, quoted, texts)


class CsvWriter(FileWriter):
    """A file of lines."""

    def __init__(self, path: Path, row_type: RowType, config: ReadableConfig) -> None:
        self._encoder = CsvEncoder(row_type, config)
        self._file = compressed(path.open("wb"), path.name)

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        lines = self._encoder.lines(batch)
        self._file.write(("\n".join(lines.to_pylist()) + "\n").encode() if len(lines) else b"")

    @override
    def close(self) -> None:
        self._file.close()
