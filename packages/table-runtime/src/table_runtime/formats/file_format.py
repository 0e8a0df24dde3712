"""What a format is to the engine: a reader and a writer of files, found by the format's identifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from table_common.arrow import to_arrow_schema
from table_common.exceptions import TableException
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.types import RowType

__all__ = ["FILE_FORMATS", "FileFormat", "FileWriter", "Piece", "ReadTask", "file_format"]

Piece = Callable[[], pa.RecordBatch]
"""A part of a file that was fetched; calling it decodes it, on any thread."""


@dataclass(frozen=True, slots=True)
class ReadTask:
    """One file to read: the row it holds, the columns wanted of it by name, the format's options without prefix."""

    path: Path
    file_type: RowType
    columns: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    filters: tuple[ResolvedExpression, ...] = ()
    """Conjuncts over columns by name; the reader may use them to skip rows."""

    @property
    def wanted(self) -> RowType:
        """The row of the columns wanted."""
        by_name = {field.name: field for field in self.file_type.fields}
        return RowType(tuple(by_name[name] for name in self.columns), nullable=False)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the batches that come out."""
        return to_arrow_schema(self.wanted)


class FileWriter(ABC):
    """Writes one file."""

    @abstractmethod
    def write(self, batch: pa.RecordBatch) -> None:
        """Adds rows."""

    @abstractmethod
    def close(self) -> None:
        """Ends the file."""


class FileFormat(ABC):
    """Reads and writes files of one format."""

    extension: ClassVar[str]

    @abstractmethod
    def read(self, task: ReadTask) -> Iterator[Piece]:
        """Yields the file's rows in order, in pieces of moderate size.

        Raises:
            TableRuntimeException: the file cannot be read; messages name the file, and the row, column and value where they can.
        """

    @abstractmethod
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        """Begins a file."""


FILE_FORMATS: dict[str, str] = {
    "csv": "table_runtime.formats.csv:CsvFileFormat",
    "json": "table_runtime.formats.json:JsonFileFormat",
    "parquet": "table_runtime.formats.parquet:ParquetFileFormat",
}
"""Identifiers to classes, loaded when first used."""


def file_format(identifier: str) -> FileFormat:
    """Returns the reader and writer of a format.

    Raises:
        TableException: this engine cannot read files of the format.
    """
    if identifier not in FILE_FORMATS:
        known: Sequence[str] = sorted(FILE_FORMATS)
        raise TableException(f"The embedded engine cannot read files of the format '{identifier}'. It reads: {', '.join(known)}.")
    module, _, name = FILE_FORMATS[identifier].partition(":")
    made: Any = getattr(import_module(module), name)()
    assert isinstance(made, FileFormat)
    return made
