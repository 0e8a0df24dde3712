"""Finds the reader and writer of a format by its identifier."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from table_common.factories import FormatFactory
from table_runtime.formats.file_format import FileFormat

__all__ = ["FILE_FORMATS", "file_format"]

FILE_FORMATS: dict[str, str] = {
    "csv": "table_runtime.formats.csv:CsvFileFormat",
    "json": "table_runtime.formats.json:JsonFileFormat",
    "parquet": "table_runtime.formats.parquet:ParquetFileFormat",
}
"""Identifiers to classes, loaded when first used."""


def file_format(identifier: str) -> FileFormat:
    """Returns the reader and writer of a format; one that is known for its messages only reads and writes them line by line.

    Raises:
        ValidationException: there is no such format.
    """
    if identifier not in FILE_FORMATS:
        from table_runtime.formats.lines import LineFileFormat

        return LineFileFormat(FormatFactory.discover(identifier))
    module, _, name = FILE_FORMATS[identifier].partition(":")
    made: Any = getattr(import_module(module), name)()
    assert isinstance(made, FileFormat)
    return made
