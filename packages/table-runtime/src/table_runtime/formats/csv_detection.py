"""Detects the options and column types of CSV files from their beginning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import CharacterType, RowField, RowType, VarCharType
from table_runtime.formats import csv_options as opt
from table_runtime.formats.csv_blocks import csv_blocks
from table_runtime.formats.csv_header import column_names
from table_runtime.formats.csv_records import CsvDialect, read_records
from table_runtime.formats.csv_values import parse_field
from table_runtime.formats.inferred_types import inferred_row

__all__ = ["detected_options", "inferred_type"]

_BLOCKS = 4
"""How many blocks, of some megabytes each, are read to infer types."""
_SAMPLED_ROWS = 1_000
_DELIMITERS = (",", ";", "\t", "|")
_NULLS = ("NA", "NULL", "null", "N/A", "\\N", "None", "NaN")


def detected_options(path: Path, options: Mapping[str, str]) -> dict[str, str]:
    """Returns the delimiter, the header and the text of NULL that a file has, as far as the options do not say.

    A first record is the header if its fields are different texts, none of them a value of its column, and a column has other values than text.

    Raises:
        TableRuntimeException: the file cannot be read.
    """
    detected: dict[str, str] = {}
    if opt.FIELD_DELIMITER.key not in options:
        delimiter = _delimiter(path, options)
        if delimiter != opt.FIELD_DELIMITER.default:
            detected[opt.FIELD_DELIMITER.key] = delimiter
    chosen = {**options, **detected}
    records = _records(path, chosen, 2)
    if not records:
        return detected
    if opt.HEADER.key not in options and len(records) > 1 and _may_be_header(records[0]):
        with_header = {**chosen, opt.HEADER.key: "true"}
        if any(not isinstance(field.type, CharacterType) for field in _columns(path, with_header).fields) or _nulls(path, with_header):
            without = _columns(path, {**chosen, opt.HEADER.key: "false"})
            if all(isinstance(field.type, CharacterType) for field in without.fields):
                detected[opt.HEADER.key] = "true"
                chosen = {**chosen, **detected}
    if opt.NULL_LITERAL.key not in options:
        literal = _nulls(path, chosen)
        if literal is not None:
            detected[opt.NULL_LITERAL.key] = literal
    return detected


def inferred_type(path: Path, options: Mapping[str, str]) -> RowType | None:
    """Returns the columns of a file: their names are those of the header, or f0, f1, …; None if the file is empty.

    Raises:
        TableRuntimeException: the file cannot be read.
    """
    return _columns(path, options) if _records(path, options, 1) else None


def _delimiter(path: Path, options: Mapping[str, str]) -> str:
    """Returns the delimiter that divides the first records into the most, and equally many, fields."""
    best, most = _DELIMITERS[0], 1
    for delimiter in _DELIMITERS:
        widths = {len(record) for record in _records(path, {**options, opt.FIELD_DELIMITER.key: delimiter}, 20)}
        if len(widths) == 1 and (width := widths.pop()) > most:
            best, most = delimiter, width
    return best


def _records(path: Path, options: Mapping[str, str], count: int) -> list[list[str]]:
    dialect = CsvDialect.of(ReadableConfig(options))
    for block in csv_blocks(path, dialect):
        text = block.data[: 1 << 20].decode(errors="surrogateescape")
        whole = len(block.data) <= 1 << 20
        records = (record.fields for record in read_records(text, dialect, final=whole) if record.problem or record.fields != [""])
        return list(islice(records, count))
    return []


def _may_be_header(fields: Sequence[str]) -> bool:
    names = [field.strip() for field in fields]
    return all(names) and len(set(names)) == len(names)


def _nulls(path: Path, options: Mapping[str, str]) -> str | None:
    """Returns the text that means NULL: without it a column of text has other values."""
    if opt.NULL_LITERAL.key in options:
        return None
    columns = _columns(path, options)
    if not any(isinstance(field.type, CharacterType) for field in columns.fields):
        return None
    texts = {text for record in _records(path, options, _SAMPLED_ROWS) for text in record}
    for literal in _NULLS:
        if literal in texts and _columns(path, {**options, opt.NULL_LITERAL.key: literal}) != columns:
            return literal
    return None


def _columns(path: Path, options: Mapping[str, str]) -> RowType:
    config = ReadableConfig(options)
    dialect = CsvDialect.of(config)
    data = b"".join(block.data for block in islice(csv_blocks(path, dialect), _BLOCKS))
    if dialect.comments:
        data = b"".join(line for line in data.splitlines(keepends=True) if not line.lstrip(b" \t").startswith(b"#"))
    header = config.get(opt.HEADER)
    names = None
    if header:
        first = _records(path, options, 1)
        names = column_names(first[0]) if first else []
    try:
        table = _read(data, dialect, config, names)
        row_type = inferred_row(table.schema, f"the CSV file '{path}'")
        texts = _read(data[: 1 << 18].rpartition(b"\n")[0] or data, dialect, config, names, as_text=True)
    except (pa.ArrowException, OSError) as error:
        raise TableRuntimeException(
            f"The columns of the CSV file '{path}' cannot be inferred: {error}",
            hint="Name the columns in CREATE TABLE; a file that is not UTF-8 needs 'csv.encoding', such as 'latin-1'.",
        ) from error
    fields = [
        field if _is_readable(texts.column(position), field, config) else RowField(field.name, VarCharType())
        for position, field in enumerate(row_type.fields)
    ]
    return RowType(tuple(fields), nullable=False)


def _is_readable(column: pa.ChunkedArray, field: RowField, config: ReadableConfig) -> bool:
    """Returns whether values are read by the format: Arrow infers times from more forms than the format has."""
    for chunk in column.chunks:
        _, failure = parse_field(pc.fill_null(chunk, ""), field.type, config, ignore=False)
        if failure is not None:
            return False
    return True


def _read(data: bytes, dialect: CsvDialect, config: ReadableConfig, names: list[str] | None, *, as_text: bool = False) -> pa.Table:
    from pyarrow._csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

    null = config.get(opt.NULL_LITERAL)
    convert = ConvertOptions(null_values=["", *filter(None, [null])], strings_can_be_null=as_text)
    if as_text:
        width = len(names) if names is not None else len(_read(data[: 1 << 16].rpartition(b"\n")[0] or data, dialect, config, None).schema)
        convert.column_types = dict.fromkeys(names if names is not None else [f"f{i}" for i in range(width)], pa.string())
    return read_csv(
        pa.BufferReader(data if data.endswith(b"\n") else data + b"\n"),
        ReadOptions(
            column_names=names,
            autogenerate_column_names=names is None,
            skip_rows_after_names=1 if names is not None else 0,
            block_size=max(len(data), 1 << 16),
            use_threads=False,
        ),
        ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=dialect.quote or False,
            double_quote=dialect.quote is not None,
            escape_char=dialect.escape or False,
            newlines_in_values=dialect.quote is not None,
        ),
        convert,
    )
