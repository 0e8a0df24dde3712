"""Finds the reader and writer of a format by its identifier."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from table_common.exceptions import TableException
from table_common.factories import DeserializationFormatFactory, FileFormatFactory, FormatFactory, SerializationFormatFactory
from table_runtime.formats.file_format import FileFormat

FILE_FORMATS: dict[str, str] = {
    "avro": "table_runtime.formats.avro.files:AvroFileFormat",
    "csv": "table_runtime.formats.csv.files:CsvFileFormat",
    "json": "table_runtime.formats.json.files:JsonFileFormat",
    "orc": "table_runtime.formats.orc.files:OrcFileFormat",
    "parquet": "table_runtime.formats.parquet.files:ParquetFileFormat",
}
"""Identifiers to classes, loaded when first used."""


def file_format(identifier: str) -> FileFormat:
    """Returns the file format; message formats are read and written line by line.

    Raises:
        ValidationException: the format does not exist.
        TableException: it is a message format whose messages cannot be lines.
    """
    if identifier not in FILE_FORMATS:
        from table_runtime.formats.lines import LineFileFormat

        factory = FormatFactory.discover(identifier)
        if isinstance(factory, FileFormatFactory):
            from table_runtime.formats.plugin_format import PluggedFileFormat

            return PluggedFileFormat(factory)
        lines = isinstance(factory, DeserializationFormatFactory | SerializationFormatFactory) and factory.has_lines
        if not lines:
            raise TableException(
                f"Files cannot have the format '{identifier}', because its messages are not delimited.",
                hint=f"File formats are {', '.join(sorted(FILE_FORMATS))}, raw and the changelog formats.",
            )
        return LineFileFormat(factory)
    module, _, name = FILE_FORMATS[identifier].partition(":")
    format_: Any = getattr(import_module(module), name)()
    assert isinstance(format_, FileFormat)
    return format_
