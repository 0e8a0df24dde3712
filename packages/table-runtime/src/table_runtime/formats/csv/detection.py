"""Detects the options and column types of CSV files from their beginning."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import (
    BigIntType,
    CharacterType,
    DecimalType,
    DoubleType,
    LogicalType,
    RowField,
    RowType,
    VarCharType,
)
from table_runtime.formats.csv import options as opt
from table_runtime.formats.csv.blocks import csv_blocks, whole_records
from table_runtime.formats.csv.header import column_names
from table_runtime.formats.csv.records import CsvDialect, read_records
from table_runtime.formats.csv.values import parse_field
from table_runtime.formats.inferred_types import inferred_row

_BLOCKS = 4
"""How many blocks, of some megabytes each, are read to infer types."""
_SAMPLED_ROWS = 1_000
_SAMPLED_BYTES = 1 << 18
"""How much of the file is read as text, to check that the format reads the inferred types."""
_DELIMITERS = (",", ";", "\t", "|")
_NULLS = ("NA", "NULL", "null", "N/A", "\\N", "None", "NaN")
_NO_UTF8 = re.compile("[\udc80-\udcff]")
_LEADING_ZERO = r"^\s*[+-]?0[0-9]"
_LEADING_PLUS = r"^\s*\+"
_MAY_BE_LEADING_ZERO = re.compile(rb"0(?<![0-9.:/]0)(?<![0-9][- T]0)[0-9]")
"""Matches where a code may begin, not within dates and times. It begins with a constant, for which Python searches faster."""
_WHOLE_NUMBER = r"^\s*[+-]?[0-9]+\s*$"
_BEYOND_BIGINT = 2.0**63
_MOST_DIGITS = 38
_LONGEST_NAME = 64
"""Longer texts above columns of text are not taken for names."""
_VALUE = re.compile(r"[-+]?[\d.,:/ TZ-]*\d[\d.,:/ TZ-]*(?:[eE][-+]?\d+)?")
"""The form of numbers, dates and times, written in whatever way."""
_HINT = "Name the columns in CREATE TABLE; a file that is not UTF-8 needs 'csv.encoding', such as 'latin-1' or 'utf-16'."


_WIDTH = re.compile(r"Expected \d+ columns, got \d+")
_HINT_OF_WIDTHS = (
    "'csv.ignore-parse-errors' skips records with too many fields, and missing fields are NULL (read_csv: ignore_parse_errors => TRUE); "
    "'csv.allow-comments' skips lines that begin with #; "
    "'csv.field-delimiter' is another delimiter."
)


def detected_options(path: Path, options: Mapping[str, str]) -> dict[str, str]:
    """Returns the delimiter, the header and the text of NULL that a file has, as far as the options do not say.

    A first record is the header if its fields are texts, none of them a value of its column, and a column has other values than text. Up to half of
    the fields may be empty, and none of them means NULL. If all columns are of text, or there is no other record, nothing tells names from
    values: a first record of different names, each on one line and none of them again in its column, is the header.

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
    if opt.HEADER.key not in options and _is_header(path, chosen, records[0]):
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
    return _columns(path, options, exact=True) if _records(path, options, 1) else None


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


def _is_header(path: Path, options: Mapping[str, str], fields: Sequence[str]) -> bool:
    names = [field.strip() for field in fields]
    named = [position for position, name in enumerate(names) if name]
    # An index column, as pandas writes it, has no name, and neither has what follows a delimiter at the end of the line.
    if not named or 2 * len(named) < len(names):
        return False
    if any(name in _NULLS for name in names):  # a NULL of the first row
        return False
    if any(_VALUE.fullmatch(names[position]) for position in named):
        return False
    with_header = {**options, opt.HEADER.key: "true"}
    rows = _records(path, with_header, _SAMPLED_ROWS)[1:]
    if not rows or (_are_texts(_columns(path, with_header), named) and _nulls(path, with_header) is None):
        return len(named) == len(names) and _may_be_names(names, rows)
    return _are_texts(_columns(path, {**options, opt.HEADER.key: "false"}), named)


def _may_be_names(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Returns whether different texts above columns of text may be their names."""
    if len(set(names)) < len(names) or any("\n" in name or len(name) > _LONGEST_NAME for name in names):
        return False
    return not any(field.strip() == name for row in rows for field, name in zip(row, names, strict=False))


def _are_texts(columns: RowType, positions: Sequence[int]) -> bool:
    return all(isinstance(columns.fields[position].type, CharacterType) for position in positions)


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


def _columns(path: Path, options: Mapping[str, str], *, exact: bool = False) -> RowType:
    """Returns the columns; with ``exact``, numbers that would lose digits have another type, which header and NULL are not detected by."""
    config = ReadableConfig(options)
    dialect = CsvDialect.of(config)
    blocks = csv_blocks(path, dialect)
    data = b"".join(block.data for block in islice(blocks, _BLOCKS))
    if dialect.comments:
        data = b"".join(line for line in data.splitlines(keepends=True) if not line.lstrip(b" \t").startswith(b"#"))
    names = None
    if config.get(opt.HEADER):
        first = _records(path, options, 1)
        names = column_names(first[0]) if first else []
        data = data.lstrip(b"\r\n")  # the header is the first record that is not empty
        if any(_NO_UTF8.search(name) for name in names):
            raise TableRuntimeException(f"The header of the CSV file '{path}' is not UTF-8.", hint=_HINT)
    try:
        table = _read(data, dialect, config, names)
        row_type = inferred_row(table.schema, f"the CSV file '{path}'")
        end, _ = whole_records(data[:_SAMPLED_BYTES], dialect, final=len(data) <= _SAMPLED_BYTES)
        texts = _read(data[: end or None], dialect, config, names, as_text=table.column_names)
        types = [
            field.type if _is_readable(texts.column(position), field, config) else VarCharType()
            for position, field in enumerate(row_type.fields)
        ]
        if exact:
            has_numbers = any(isinstance(type_, BigIntType | DoubleType) for type_ in types)
            codes = has_numbers and _may_have_codes(data, dialect)
            inexact = {
                position for position, type_ in enumerate(types) if _may_lose_digits(table.column(position), type_, may_have_codes=codes)
            }
            if inexact:
                texts = _read(data, dialect, config, names, as_text=table.column_names)
                complete = next(blocks, None) is None
                types = [_exact_type(texts.column(i), type_, complete=complete) if i in inexact else type_ for i, type_ in enumerate(types)]
    except (pa.ArrowException, OSError) as error:
        hint = _HINT_OF_WIDTHS if _WIDTH.search(str(error)) else _HINT
        raise TableRuntimeException(f"The columns of the CSV file '{path}' cannot be inferred: {error}", hint=hint) from error
    return RowType(tuple(RowField(field.name, type_) for field, type_ in zip(row_type.fields, types, strict=True)), nullable=False)


def _may_have_codes(data: bytes, dialect: CsvDialect) -> bool:
    return dialect.delimiter not in _DELIMITERS or b"+" in data or _MAY_BE_LEADING_ZERO.search(data) is not None


def _may_lose_digits(column: pa.ChunkedArray, type_: LogicalType, *, may_have_codes: bool) -> bool:
    """Returns whether texts of the column may have digits that its values do not have."""
    match type_:
        case BigIntType():
            return may_have_codes
        case DoubleType() if may_have_codes:
            return True
        case DoubleType():
            is_whole = pc.and_(pc.equal(pc.floor(column), column), pc.is_finite(column))
            return pc.all(is_whole).as_py() is True and (pc.max(pc.abs(column)).as_py() or 0) >= _BEYOND_BIGINT
        case _:
            return False


def _exact_type(texts: pa.ChunkedArray, type_: LogicalType, *, complete: bool) -> LogicalType:
    """Returns the type that keeps all digits: STRING for codes, DECIMAL for long whole numbers.

    Codes are numbers that begin with zeros, such as 01234, and whole numbers that begin with a plus, such as those of telephones. If the texts are
    not the complete column, long whole numbers are STRING: a later one may have a fraction, which DECIMAL(38, 0) would round.
    """
    if pc.any(pc.match_substring_regex(texts, _LEADING_ZERO)).as_py():
        return VarCharType()
    if isinstance(type_, BigIntType) or not pc.all(pc.match_substring_regex(texts, _WHOLE_NUMBER)).as_py():
        return type_
    if pc.any(pc.match_substring_regex(texts, _LEADING_PLUS)).as_py():
        return VarCharType()
    fits = complete and pc.max(pc.utf8_length(pc.utf8_ltrim(pc.utf8_trim_whitespace(texts), "+-"))).as_py() <= _MOST_DIGITS
    return DecimalType(_MOST_DIGITS, 0) if fits else VarCharType()


def _is_readable(column: pa.ChunkedArray, field: RowField, config: ReadableConfig) -> bool:
    """Returns whether values are read by the format: Arrow infers times from more forms than the format has."""
    for chunk in column.chunks:
        _, failure = parse_field(pc.fill_null(chunk, ""), field.type, config, ignore=False)
        if failure is not None:
            return False
    return True


def _read(
    data: bytes, dialect: CsvDialect, config: ReadableConfig, names: list[str] | None, *, as_text: list[str] | None = None
) -> pa.Table:
    """Returns the values of records; ``as_text`` are the names of the columns, if all are to be read as text."""
    from pyarrow._csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

    null = config.get(opt.NULL_LITERAL)
    convert = ConvertOptions(null_values=["", *filter(None, [null])], strings_can_be_null=as_text is not None)
    if as_text is not None:
        convert.column_types = dict.fromkeys(as_text, pa.string())
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
            invalid_row_handler=_skip if config.get(opt.IGNORE_PARSE_ERRORS) else None,
            delimiter=dialect.delimiter,
            quote_char=dialect.quote or False,
            double_quote=dialect.quote is not None,
            escape_char=dialect.escape or False,
            newlines_in_values=dialect.quote is not None,
        ),
        convert,
    )


def _skip(_: object) -> str:
    """What Arrow asks about a record with too few or too many fields."""
    return "skip"
