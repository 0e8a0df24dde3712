"""CSV files: fields are matched to columns by position, as in Flink, or by the names of a header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.compression import compression_of
from table_runtime.formats.csv import options as opt
from table_runtime.formats.csv.blocks import BLOCK_BYTES, CsvBlock, count_lines, csv_blocks
from table_runtime.formats.csv.header import read_header, type_by_header
from table_runtime.formats.csv.records import CsvDialect
from table_runtime.formats.csv.rows import CsvRows
from table_runtime.formats.csv.values import refuse_types
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask, is_local_file
from table_runtime.formats.lines import FirstLine


class CsvFileFormat(FileFormat):
    """Reads and writes records of CSV."""

    extension = "csv"
    needs_all_columns = True
    infers_from_values = True

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        refuse_types(task.wanted)
        config = ReadableConfig(task.options)
        dialect = CsvDialect.of(config)
        file_type, skipped = task.file_type, 0
        if config.get(opt.HEADER):
            fields, skipped = read_header(task.path, dialect)
            if not fields:
                return
            file_type = type_by_header(task.path, fields, task.file_type, task.wanted)
        rows = CsvRows(file_type, task.wanted, config)
        first = FirstLine(task.path, task.byte_range)
        if task.byte_range is not None and task.byte_range[0]:
            skipped = 0  # another range begins with the header
        for block in csv_blocks(task.path, dialect, task.byte_range):
            task.progress.fetched(len(block.data))
            if skipped:  # the first record ends in the first block
                block = CsvBlock(block.data[skipped:], block.lines_before + count_lines(block.data[:skipped]), block.plain)
                skipped = 0
                if not block.data:
                    continue
            yield partial(_parse, block, first, task, rows)

    @override
    def can_split(self, path: Path, options: Mapping[str, str]) -> bool:
        if not is_local_file(path) or compression_of(path.name) is not None or CsvDialect.of(ReadableConfig(options)).encoding != "utf-8":
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
        from table_runtime.formats.csv.writer import CsvWriter

        return CsvWriter(path, row_type, ReadableConfig(options))

    @override
    def detected_options(self, path: Path, options: Mapping[str, str]) -> Mapping[str, str]:
        from table_runtime.formats.csv.detection import detected_options

        return detected_options(path, options)

    @override
    def finds_columns_by_name(self, options: Mapping[str, str]) -> bool:
        return ReadableConfig(options).get(opt.HEADER)

    @override
    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        from table_runtime.formats.csv.detection import inferred_type

        return inferred_type(path, options)


def _parse(block: CsvBlock, first: FirstLine, task: ReadTask, rows: CsvRows) -> pa.RecordBatch:
    def where(line: int) -> str:
        return f"The CSV file '{task.path}', line {first.number + block.lines_before + line}"

    columns, count = rows.parse_block(block.data, plain=block.plain, where=where, ignored=task.ignored)
    return make_batch(columns, task.schema, count)
