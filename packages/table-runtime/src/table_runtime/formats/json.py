"""JSON lines: one object a line, fields by name, as Flink reads and writes them.

Lines are parsed by Arrow, block by block on threads. A block that Arrow does not read as we do (a number where text is declared, a map, a
missing field that must be there, an error) is parsed line by line in Python, which also knows which line, column and value is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.factories import FormatFactory
from table_common.types import RowType
from table_runtime.batches import make_batch
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask
from table_runtime.formats.json_lines import LineParser
from table_runtime.formats.json_vectors import VectorParser

__all__ = ["JsonFileFormat", "JsonFormatFactory"]

BLOCK_BYTES = 8 << 20

FAIL_ON_MISSING_FIELD = (
    ConfigOptions.key("fail-on-missing-field")
    .boolean_type()
    .default_value(False)
    .with_description("A field that is not there is an error.")
)
IGNORE_PARSE_ERRORS = (
    ConfigOptions.key("ignore-parse-errors")
    .boolean_type()
    .default_value(False)
    .with_description("Fields that cannot be read are NULL, lines that are no objects are skipped.")
)
TIMESTAMP_FORMAT = (
    ConfigOptions.key("timestamp-format.standard")
    .enum_type("SQL", "ISO-8601")
    .default_value("SQL")
    .with_description("How timestamps are written: with a space or with a T in the middle.")
)
MAP_NULL_KEY_MODE = (
    ConfigOptions.key("map-null-key.mode")
    .enum_type("FAIL", "DROP", "LITERAL")
    .default_value("FAIL")
    .with_description("What happens to a map entry whose key is NULL when it is written.")
)
MAP_NULL_KEY_LITERAL = (
    ConfigOptions.key("map-null-key.literal").string_type().default_value("null").with_description("The key that is written for NULL.")
)
DECIMAL_AS_PLAIN_NUMBER = (
    ConfigOptions.key("encode.decimal-as-plain-number")
    .boolean_type()
    .default_value(False)
    .with_description("Decimals are written without an exponent.")
)
IGNORE_NULL_FIELDS = (
    ConfigOptions.key("encode.ignore-null-fields")
    .boolean_type()
    .default_value(False)
    .with_description("Fields that are NULL are not written.")
)


class JsonFormatFactory(FormatFactory):
    """The format ``json``: one object a line."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "json"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (
            FAIL_ON_MISSING_FIELD,
            IGNORE_PARSE_ERRORS,
            TIMESTAMP_FORMAT,
            MAP_NULL_KEY_MODE,
            MAP_NULL_KEY_LITERAL,
            DECIMAL_AS_PLAIN_NUMBER,
            IGNORE_NULL_FIELDS,
        )


class JsonFileFormat(FileFormat):
    """Reads and writes JSON lines."""

    extension = "json"

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        config = ReadableConfig(task.options)
        missing_fails = config.get(FAIL_ON_MISSING_FIELD)
        lines = LineParser(
            task.wanted,
            f"The JSON file '{task.path}'",
            ignore_errors=config.get(IGNORE_PARSE_ERRORS),
            fail_on_missing=missing_fails,
        )
        vectors = None if missing_fails else VectorParser.of(task.wanted)
        first_line = 1
        for block in _blocks(task.path):
            yield partial(_parse, block, first_line, task, vectors, lines)
            first_line += block.count(b"\n")

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        from table_runtime.formats.json_writer import JsonWriter

        config = ReadableConfig(options)
        return JsonWriter(
            path,
            row_type,
            standard=config.get(TIMESTAMP_FORMAT),
            null_key_mode=config.get(MAP_NULL_KEY_MODE),
            null_key=config.get(MAP_NULL_KEY_LITERAL),
            ignore_null_fields=config.get(IGNORE_NULL_FIELDS),
        )


def _parse(block: bytes, first_line: int, task: ReadTask, vectors: VectorParser | None, lines: LineParser) -> pa.RecordBatch:
    if vectors is not None:
        columns = vectors.parse(block)
        if columns is not None:
            return make_batch(columns, task.schema, len(columns[0]))
    arrays, rows = lines.parse(block, first_line)
    return make_batch(arrays, task.schema, rows)


def _blocks(path: Path) -> Iterator[bytes]:
    """Yields pieces of the file that end with a line."""
    try:
        with path.open("rb") as file:
            rest = b""
            while block := file.read(BLOCK_BYTES):
                block = rest + block
                end = block.rfind(b"\n") + 1
                rest = block[end:]
                if end:
                    yield block[:end]
            if rest.strip():
                yield rest
    except OSError as error:
        raise TableRuntimeException(f"The JSON file '{path}' cannot be read: {error}") from error
