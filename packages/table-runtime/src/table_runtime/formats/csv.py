"""CSV files without a header: fields are matched to columns by position, as in Flink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType
from table_runtime.batches import make_batch
from table_runtime.formats import csv_options as opt
from table_runtime.formats.compression import compression_of
from table_runtime.formats.csv_blocks import BLOCK_BYTES, CsvBlock, csv_blocks
from table_runtime.formats.csv_records import CsvDialect
from table_runtime.formats.csv_rows import CsvRows
from table_runtime.formats.csv_values import refuse_types
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask, is_local_file
from table_runtime.formats.inferred_types import inferred_row
from table_runtime.formats.lines import FirstLine

__all__ = ["CsvFileFormat"]


class CsvFileFormat(FileFormat):
    """Reads and writes records of CSV."""

    extension = "csv"

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        refuse_types(task.wanted)
        rows = CsvRows(task.file_type, task.wanted, ReadableConfig(task.options))
        first = FirstLine(task.path, task.byte_range)
        for block in csv_blocks(task.path, rows.dialect, task.byte_range):
            yield partial(_parse, block, first, task, rows)

    @override
    def can_split(self, path: Path, options: Mapping[str, str]) -> bool:
        if not is_local_file(path) or compression_of(path.name) is not None:
            return False
        dialect = CsvDialect.of(ReadableConfig(options))
        # A record can contain a line break only in quotes or after an escape character.
        special = [character.encode() for character in (dialect.quote, dialect.escape) if character is not None]
        with path.open("rb") as file:
            while block := file.read(BLOCK_BYTES):
                if block.count(b"\r") != block.count(b"\r\n") or any(character in block for character in special):
                    return False
        return True

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        refuse_types(row_type)
        from table_runtime.formats.csv_writer import CsvWriter

        return CsvWriter(path, row_type, ReadableConfig(options))

    @override
    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        from pyarrow._csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

        config = ReadableConfig(options)
        dialect = CsvDialect.of(config)
        try:
            for block in csv_blocks(path, dialect):
                data = block.data
                if dialect.comments:
                    data = b"".join(line for line in data.splitlines(keepends=True) if not line.lstrip(b" \t").startswith(b"#"))
                table = read_csv(
                    pa.BufferReader(data),
                    ReadOptions(autogenerate_column_names=True, block_size=max(len(data), 1 << 16)),
                    ParseOptions(
                        delimiter=dialect.delimiter,
                        quote_char=dialect.quote or False,
                        double_quote=dialect.quote is not None,
                        escape_char=dialect.escape or False,
                        newlines_in_values=dialect.quote is not None,
                    ),
                    ConvertOptions(null_values=["", *filter(None, [config.get(opt.NULL_LITERAL)])]),
                )
                # There is no header: columns are f0, f1, …; their types are inferred from the first block.
                return inferred_row(table.schema, f"the CSV file '{path}'")
        except (pa.ArrowException, OSError) as error:
            raise TableRuntimeException(
                f"The columns of the CSV file '{path}' cannot be inferred: {error}", hint="Name the columns in CREATE TABLE."
            ) from error
        return None


def _parse(block: CsvBlock, first: FirstLine, task: ReadTask, rows: CsvRows) -> pa.RecordBatch:
    def where(line: int) -> str:
        return f"The CSV file '{task.path}', line {first.number + block.lines_before + line}"

    columns, count = rows.parse_block(block.data, plain=block.plain, where=where, ignored=task.ignored)
    return make_batch(columns, task.schema, count)
