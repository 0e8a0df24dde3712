"""JSON lines: one object per line; fields are matched to columns by name, as in Flink.

Arrow parses lines block by block on several threads. A block that Arrow would read differently (a number in a text column, a map, a missing
required field, an error) is parsed line by line in Python, which reports line, column and value of errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from json import dumps
from pathlib import Path

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.json_text import MOST_LEVELS_OF_TYPES, parse, require_levels
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.compression import compression_of
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask, is_local_file
from table_runtime.formats.inferred_types import inferred_row
from table_runtime.formats.json import options as opt
from table_runtime.formats.json.line_parser import LineParser
from table_runtime.formats.json.rows import JsonRows, rows_of
from table_runtime.formats.json.vectors import lines_that_look_like_objects
from table_runtime.formats.lines import BYTE_ORDER_MARK, FirstLine, line_blocks

_ISO_TIME = re.compile(rb'"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:')


class JsonFileFormat(FileFormat):
    """Reads and writes JSON lines."""

    extension = "json"
    infers_from_values = True

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        rows = rows_of(task.wanted, ReadableConfig(task.options))
        first, line = FirstLine(task.path, task.byte_range), 0
        for block in line_blocks(task.path, "JSON", task.byte_range):
            task.progress.fetched(len(block))
            yield partial(_parse, block, first, line, task, rows)
            line += block.count(b"\n")

    @override
    def can_split(self, path: Path, options: Mapping[str, str]) -> bool:
        return is_local_file(path) and compression_of(path.name) is None

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        from table_runtime.formats.json.writer import JsonWriter

        return JsonWriter(path, row_type, options)

    @override
    def detected_options(self, path: Path, options: Mapping[str, str]) -> Mapping[str, str]:
        """Returns the option by which times with a T are read, if the file has such times and none with a space."""
        if opt.TIMESTAMP_FORMAT.key in options:
            return {}
        block = next(line_blocks(path, "JSON"), b"")
        if _ISO_TIME.search(block) is None:
            return {}
        from table_runtime.formats.json.inference import has_timestamps

        chosen = {opt.TIMESTAMP_FORMAT.key: "ISO-8601"}
        sql, iso = self.infer_type(path, options), self.infer_type(path, {**options, **chosen})
        return chosen if iso is not None and has_timestamps(iso) and not has_timestamps(sql) else {}

    @override
    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        from pyarrow._json import ReadOptions, read_json

        from table_runtime.formats.json.inference import with_long_numbers, with_readable_times  # only statements that infer columns

        ignores_errors = ReadableConfig(options).get(opt.IGNORE_PARSE_ERRORS)
        blocks = line_blocks(path, "JSON")
        for block in blocks:
            if ignores_errors:
                block = _readable_lines(block)
            if not block.strip():
                continue
            if not ignores_errors:
                _require_objects(block.removeprefix(BYTE_ORDER_MARK), path)
            block = _without_arrays(block)
            try:
                table = read_json(pa.BufferReader(block), read_options=ReadOptions(use_threads=False, block_size=max(len(block), 1 << 16)))
                row_type = inferred_row(table.schema, f"the JSON file '{path}'")
                row_type = with_long_numbers(row_type, table, block, complete=next(blocks, None) is None)
                return with_readable_times(row_type, table.schema, block, opt.timestamp_forms(ReadableConfig(options)))
            except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
                raise TableRuntimeException(
                    f"The columns of the JSON file '{path}' cannot be inferred: {error}", hint="Name the columns in CREATE TABLE."
                ) from error
        return None


def _readable_lines(block: bytes) -> bytes:
    """Returns the lines that are objects of limited depth, whose columns the table has if errors are ignored."""

    def is_object(line: bytes) -> bool:
        try:
            text = line.decode()
            require_levels(text, MOST_LEVELS_OF_TYPES)
            value = parse(text)
            return all(isinstance(each, dict) for each in (value if isinstance(value, list) else [value]))
        except ValueError:
            return False

    return b"\n".join(line for line in block.removeprefix(BYTE_ORDER_MARK).split(b"\n") if is_object(line))


def _without_arrays(block: bytes) -> bytes:
    """Returns the block with the objects of an array, which is several rows, each on a line of its own."""
    lines = [line.strip() for line in block.removeprefix(BYTE_ORDER_MARK).split(b"\n")]
    if not any(line.startswith(b"[") for line in lines):
        return block
    values = (parse(line.decode()) for line in lines if line)
    return "\n".join(dumps(each) for value in values for each in (value if isinstance(value, list) else [value])).encode()


def _require_objects(block: bytes, path: Path) -> None:
    """Raises unless each line is an object of limited depth: Arrow's parser would crash the process otherwise."""
    lines = block.split(b"\n")
    if lines_that_look_like_objects(block) is None:
        whole = LineParser(RowType.of([]), "json")
        whole.parse(lines, lambda position: f"The JSON file '{path}', line {1 + position}")
    for number, line in enumerate(lines, 1):
        try:
            require_levels(line.decode(errors="replace"), MOST_LEVELS_OF_TYPES)
        except ValueError as error:
            raise TableRuntimeException(
                f"The columns of the JSON file '{path}' cannot be inferred: line {number}: {error}.",
                hint="Name the columns in CREATE TABLE.",
            ) from None


def _parse(block: bytes, first: FirstLine, line: int, task: ReadTask, rows: JsonRows) -> pa.RecordBatch:
    def where(position: int) -> str:
        return f"The JSON file '{task.path}', line {first.number + line + position}"

    if not line:
        block = block.removeprefix(BYTE_ORDER_MARK)
    columns, count = rows.parse_block(block, where, task.ignored)
    return make_batch(columns, task.schema, count)
