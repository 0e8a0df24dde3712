"""The format ``geo-document``: a file is one JSON object with the names of its columns and its rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

from typing_extensions import override

from table_common.arrow import from_python_rows, import_batch, to_python_rows
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import FileFormat, FileFormatWriter, FileReadContext, SupportsArrowArray
from table_common.exceptions import TableException, TableRuntimeException
from table_common.factories import FileFormatFactory
from table_common.types import BooleanType, DoubleType, IntType, RowType, VarCharType, parse_logical_type

__all__ = ["DocumentFormatFactory"]

INDENT = ConfigOptions.key("indent").int_type().default_value(0).with_description("Blanks before each line of a file that is written.")
_TYPES = (BooleanType, DoubleType, IntType, VarCharType)


class DocumentFormatFactory(FileFormatFactory):
    """Makes the format."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "geo-document"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (INDENT,)

    @override
    def create_file_format(self, options: ReadableConfig) -> FileFormat:
        return _DocumentFormat(options.get(INDENT))


class _DocumentFormat(FileFormat):
    def __init__(self, indent: int) -> None:
        self._indent = indent

    @property
    @override
    def extension(self) -> str:
        return "geo"

    @override
    def read(self, file: BinaryIO, context: FileReadContext) -> Iterator[SupportsArrowArray]:
        document = json.load(file)
        if not isinstance(document, dict) or not isinstance(document.get("columns"), list):
            raise TableRuntimeException(f"The file '{context.file_name}' is no geo-document: it has no columns.")
        row_type = _row_type(document["columns"])
        yield from_python_rows([tuple(row) for row in document["rows"]], row_type)

    @override
    def create_writer(self, file: BinaryIO, row_type: RowType) -> FileFormatWriter:
        for field in row_type.fields:
            if not isinstance(field.type, _TYPES):
                raise TableException(f"The format 'geo-document' has no form for column '{field.name}' of the type {field.type.summary()}.")
        return _Writer(file, row_type, self._indent)

    @override
    def infer_type(self, file: BinaryIO) -> RowType | None:
        return _row_type(json.load(file)["columns"])


def _row_type(columns: list[list[str]]) -> RowType:
    return RowType.of([(name, parse_logical_type(text)) for name, text in columns], nullable=False)


class _Writer(FileFormatWriter):
    def __init__(self, file: BinaryIO, row_type: RowType, indent: int) -> None:
        self._file = file
        self._row_type = row_type
        self._indent = indent
        self._rows: list[list[Any]] = []

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        self._rows += [list(row) for row in to_python_rows([import_batch(batch)], self._row_type)]

    @override
    def finish(self) -> None:
        columns = [[field.name, str(field.type)] for field in self._row_type.fields]
        self._file.write(json.dumps({"columns": columns, "rows": self._rows}, indent=self._indent or None).encode())
