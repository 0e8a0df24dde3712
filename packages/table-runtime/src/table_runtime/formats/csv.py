"""CSV without a header: fields by position, as Flink reads and writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType
from table_runtime.batches import make_batch
from table_runtime.formats import csv_options as opt
from table_runtime.formats.compression import compression_of, decompressed
from table_runtime.formats.csv_values import parse_field, refuse_types
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask
from table_runtime.formats.inferred_types import inferred_row

__all__ = ["CsvFileFormat", "listed"]

BLOCK_BYTES = 4 << 20


class CsvFileFormat(FileFormat):
    """Fields are read as text by Arrow and converted to their declared types here."""

    extension = "csv"

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        from pyarrow._csv import ConvertOptions, ParseOptions, ReadOptions, open_csv

        config = ReadableConfig(task.options)
        refuse_types(task.wanted)
        names = [f"f{index}" for index in range(len(task.file_type.fields))]
        broken = _BrokenRows(task, len(names), config)
        quote = None if config.get(opt.DISABLE_QUOTE_CHARACTER) else config.get(opt.QUOTE_CHARACTER)
        null: str | None = config.get(opt.NULL_LITERAL)
        try:
            source = _source(task.path, comments=config.get(opt.ALLOW_COMMENTS))
            if source is None:
                return
            reader = open_csv(
                source,
                ReadOptions(column_names=names, block_size=BLOCK_BYTES, use_threads=True),
                ParseOptions(
                    delimiter=config.get(opt.FIELD_DELIMITER),
                    quote_char=quote or False,
                    double_quote=quote is not None,
                    escape_char=config.get(opt.ESCAPE_CHARACTER) or False,
                    newlines_in_values=quote is not None and _has_quotes(task.path, quote),
                    ignore_empty_lines=True,
                    invalid_row_handler=broken.handle,
                ),
                ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    null_values=listed(null),
                    strings_can_be_null=bool(listed(null)),
                    quoted_strings_can_be_null=True,
                    include_columns=[names[i] for i in _positions(task)] or [names[0]],
                ),
            )
            row = 0
            for batch in reader:
                yield partial(_convert, batch.columns, batch.num_rows, row, task, config)
                row += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            if broken.failure is not None:
                raise broken.failure from None
            raise TableRuntimeException(f"The CSV file '{task.path}' cannot be read: {error}") from error
        short = broken.columns()
        if short is not None:
            yield partial(_convert, short, len(short[0]), row, task, config)

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        refuse_types(row_type)
        from table_runtime.formats.csv_writer import CsvWriter

        return CsvWriter(path, row_type, ReadableConfig(options))

    @override
    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        from pyarrow._csv import ConvertOptions, ParseOptions, ReadOptions, open_csv

        config = ReadableConfig(options)
        quote = None if config.get(opt.DISABLE_QUOTE_CHARACTER) else config.get(opt.QUOTE_CHARACTER)
        try:
            source = _source(path, comments=config.get(opt.ALLOW_COMMENTS))
            if source is None:
                return None
            reader = open_csv(
                source,
                ReadOptions(autogenerate_column_names=True, block_size=BLOCK_BYTES),
                ParseOptions(
                    delimiter=config.get(opt.FIELD_DELIMITER),
                    quote_char=quote or False,
                    double_quote=quote is not None,
                    escape_char=config.get(opt.ESCAPE_CHARACTER) or False,
                    newlines_in_values=quote is not None,
                ),
                ConvertOptions(null_values=["", *listed(config.get(opt.NULL_LITERAL))]),
            )
            # There is no header: columns are f0, f1, …, typed by what the first block has.
            return inferred_row(reader.schema, f"the CSV file '{path}'")
        except (pa.ArrowException, OSError) as error:
            raise TableRuntimeException(
                f"The columns of the CSV file '{path}' cannot be inferred: {error}", hint="Name the columns in CREATE TABLE."
            ) from error


def _positions(task: ReadTask) -> list[int]:
    names = task.file_type.field_names
    return [names.index(name) for name in task.columns]


def listed(text: str | None) -> list[str]:
    """Returns a text that may be missing as a list."""
    return [] if text is None else [text]


def _has_quotes(path: Path, quote: str) -> bool:
    """Returns whether the file has a quote at all: only then can a value have a line break, which costs threads to look for."""
    wanted = quote.encode()
    with decompressed(path.open("rb"), path.name) as file:
        while block := file.read(BLOCK_BYTES):
            if wanted in block:
                return True
    return False


def _source(path: Path, *, comments: bool) -> Any:
    """Returns what Arrow reads, or None if there is nothing in it."""
    if compression_of(path.name) is None and not comments and isinstance(path, Path):
        return pa.OSFile(str(path), "rb") if path.stat().st_size else None
    with decompressed(path.open("rb"), path.name) as file:
        content = file.read()
    if comments:
        content = b"".join(line for line in content.splitlines(keepends=True) if not line.startswith(b"#"))
    return pa.BufferReader(content) if content else None


class _BrokenRows:
    """Rows with too few or too many fields."""

    def __init__(self, task: ReadTask, width: int, config: ReadableConfig) -> None:
        self._task = task
        self._width = width
        self._config = config
        self._short: list[list[str | None]] = []
        self.failure: TableRuntimeException | None = None

    def handle(self, row: Any) -> str:
        if not self._config.get(opt.IGNORE_PARSE_ERRORS):
            where = f" (row {row.number})" if row.number is not None else ""
            self.failure = TableRuntimeException(
                f"The CSV file '{self._task.path}' has a row of {row.actual_columns} fields{where}, but the table has {self._width} columns: "
                f"{row.text[:200]!r}.",
                hint="SET the table's option 'csv.ignore-parse-errors' to read such rows as far as possible.",
            )
            return "error"
        if row.actual_columns < self._width:
            self._short.append(self._fields(row.text))
        else:
            self._task.ignored.row(f"The CSV file '{self._task.path}' has a row of {row.actual_columns} fields: {row.text[:200]!r}")
        return "skip"

    def _fields(self, text: str) -> list[str | None]:
        import csv

        quote = None if self._config.get(opt.DISABLE_QUOTE_CHARACTER) else self._config.get(opt.QUOTE_CHARACTER)
        escape = self._config.get(opt.ESCAPE_CHARACTER)
        fields: list[str | None] = []
        for parsed in csv.reader(
            [text],
            delimiter=self._config.get(opt.FIELD_DELIMITER),
            quotechar=quote,
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
            escapechar=escape,
        ):
            fields += parsed
        null = self._config.get(opt.NULL_LITERAL)
        return [None if field == null else field for field in fields] + [None] * (self._width - len(fields))

    def columns(self) -> list[pa.Array] | None:
        """Returns the wanted columns of the rows with too few fields, as text; None if there are none."""
        if not self._short:
            return None
        return [pa.array([row[i] for row in self._short], type=pa.string()) for i in _positions(self._task) or [0]]


def _convert(texts: Sequence[pa.Array], rows: int, first_row: int, task: ReadTask, config: ReadableConfig) -> pa.RecordBatch:
    ignore = config.get(opt.IGNORE_PARSE_ERRORS)
    arrays = []
    for field, column in zip(task.wanted.fields, texts, strict=False):
        array, failure = parse_field(column, field.type, config, ignore)
        if ignore and array.null_count > column.null_count:
            _count_ignored(array, column, field.name, task)
        if failure is not None:
            position, text, reason = failure
            raise TableRuntimeException(
                f"The CSV file '{task.path}', row {first_row + position + 1}, column '{field.name}': "
                f"{text!r} cannot be read as {field.type.summary()}: {reason}.",
                hint="SET the table's option 'csv.ignore-parse-errors' to read such values as NULL, or 'csv.null-literal' if it stands for NULL.",
            )
        arrays.append(array)
    return make_batch(arrays, task.schema, rows)


def _count_ignored(array: pa.Array, column: pa.Array, name: str, task: ReadTask) -> None:
    lost = pc.and_(pc.is_null(array), pc.and_(pc.is_valid(column), pc.not_equal(column, "")))
    count = pc.sum(pc.fill_null(lost, False)).as_py() or 0
    if count:
        text = column[pc.index(lost, pa.scalar(True)).as_py()].as_py()
        task.ignored.value(f"The CSV file '{task.path}', column '{name}': {text!r}", count)
