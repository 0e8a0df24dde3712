"""The engine's interface of a file format: a reader and a writer of files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from table_common.arrow import ROW_KIND_COLUMN, to_arrow_schema
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.types import RowType
from table_runtime.formats.ignored import Ignored

__all__ = ["ROW_KIND_FIELD", "FileFormat", "FileWriter", "Piece", "ReadTask", "is_local_file"]

ROW_KIND_FIELD = pa.field(ROW_KIND_COLUMN, pa.int8(), nullable=False)
"""The last column of the batches of a format of changes."""
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
    metadata: Mapping[str, str] = field(default_factory=dict)
    """The format's metadata wanted behind the columns: names of columns to keys."""
    ignored: Ignored = field(default_factory=Ignored, compare=False)
    """Counts what the format's options say to ignore."""
    nulls_for_missing_columns: bool = False
    """Whether a column that the file lacks is NULL; else it is an error, in formats that name their columns."""
    byte_range: tuple[int, int] | None = None
    """Where the rows to read begin, if not all: from the first byte, to before the second. Only of files that can be split."""

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
        """Ends the file; also when that fails, nothing of it stays open."""

    def abandon(self) -> None:
        """Closes a file that is thrown away; never fails."""
        with suppress(Exception):
            self.close()


def is_local_file(path: object) -> bool:
    """Returns whether a file is on this machine's file systems."""
    return isinstance(path, Path)


class FileFormat(ABC):
    """Reads and writes files of one format."""

    extension: str
    """What files are called that are written."""
    names_columns: bool = False
    """Whether files say the names of their columns, so that one can be missing."""

    @abstractmethod
    def read(self, task: ReadTask) -> Iterator[Piece]:
        """Yields the file's rows in order, in pieces of moderate size: the columns wanted, the metadata wanted, and, in a format of changes, the row kinds.

        Raises:
            TableRuntimeException: the file cannot be read; messages name the file, and the row, column and value where they can.
        """

    def can_split(self, path: Path, options: Mapping[str, str]) -> bool:
        """Returns whether the rows that begin in a range of the file's bytes can be read alone."""
        return False

    @abstractmethod
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        """Begins a file."""

    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        """Returns the row that a file seems to hold, or None if files of this format do not say.

        Raises:
            TableRuntimeException: the file cannot be read.
        """
        return None
