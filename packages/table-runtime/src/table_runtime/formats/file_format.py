"""The engine's interface of a file format: reading and writing files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from table_common.arrow import ROW_KIND_COLUMN, to_arrow_schema, to_arrow_type
from table_common.exceptions import TableRuntimeException
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.types import RowType
from table_runtime.formats.read_progress import ReadProgress
from table_runtime.formats.skipped_rows import Ignored

ROW_KIND_FIELD = pa.field(ROW_KIND_COLUMN, pa.int8(), nullable=False)
"""The last column of the batches of a changelog format."""
Piece = Callable[[], pa.RecordBatch]
"""A fetched part of a file; calling it decodes the part, on any thread."""


class WantedKeys(Protocol):
    """The values of a column that a query needs."""

    def has_between(self, low: Any, high: Any) -> bool:
        """Returns whether one of them may lie between the bounds, Python values."""

    def count_groups(self, total: int, skipped: int) -> None:
        """Counts parts of a file that were tested, and those that were skipped."""


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A file to read: its row type, the names of the columns to read, and the format's options without prefix."""

    path: Path
    file_type: RowType
    columns: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    filters: tuple[ResolvedExpression, ...] = ()
    """Conjuncts over columns by name; the reader may use them to skip rows."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Metadata columns, which follow the columns: names of columns to metadata keys of the format."""
    ignored: Ignored = field(default_factory=Ignored, compare=False)
    """Counts rows and values that are ignored according to the format's options."""
    progress: ReadProgress = field(default_factory=ReadProgress, compare=False)
    """How far the reader is; formats whose files have many blocks report it."""
    nulls_for_missing_columns: bool = False
    """Whether missing columns are NULL; otherwise they are an error in formats with named columns."""
    byte_range: tuple[int, int] | None = None
    """Reads only the rows that start in this range of bytes (end exclusive); only for files that can be split."""
    nested: tuple[tuple[str, ...], ...] = ()
    """Fields inside rows, which follow the columns, as names from the column inwards; only for Parquet."""
    keys: tuple[tuple[str, WantedKeys], ...] = field(default=(), compare=False)
    """Columns and their wanted values; the reader may skip other rows."""
    dictionaries: frozenset[str] = frozenset()
    """STRING columns that the reader may return as dictionary arrays, with distinct values."""

    @property
    def wanted(self) -> RowType:
        """The row type of the columns to read."""
        by_name = {field.name: field for field in self.file_type.fields}
        return RowType(tuple(by_name[name] for name in self.columns), nullable=False)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the resulting batches."""
        schema = to_arrow_schema(self.wanted)
        for path in self.nested:
            from table_runtime.formats.nested_fields import type_at  # few columns are nested

            schema = schema.append(pa.field(".".join(path), to_arrow_type(type_at(path, self.file_type))))
        return schema


class FileWriter(ABC):
    """Writes one file."""

    @abstractmethod
    def write(self, batch: pa.RecordBatch) -> None:
        """Adds rows."""

    @abstractmethod
    def close(self) -> None:
        """Completes and closes the file; closes it also on failure."""

    def abandon(self) -> None:
        """Closes a file that is discarded; never fails."""
        with suppress(Exception):
            self.close()


def is_local_file(path: object) -> bool:
    """Returns whether a file is local."""
    return isinstance(path, Path)


class FileFormat(ABC):
    """Reads and writes files of one format."""

    extension: str
    """The extension of written files."""
    names_columns: bool = False
    """Whether files have named columns, so that a column can be missing."""
    needs_all_columns: bool = False
    """Whether each file must have all columns of a table."""
    infers_from_values: bool = False
    """Whether ``infer_type`` looks at values, so that other files can have values of other types."""

    @abstractmethod
    def read(self, task: ReadTask) -> Iterator[Piece]:
        """Yields the file's rows in order, in pieces of moderate size.

        A piece has the columns, the metadata columns and, in a changelog format, the row kinds.


        Raises:
            TableRuntimeException: the file cannot be read; the message has the file and, if known, row, column and value.
        """

    def read_rows(self, task: ReadTask, rows: Sequence[int]) -> Iterator[Piece]:
        """Yields the rows at some positions of the file, which are in ascending order; none for positions after its end.

        The task has no filters, nested fields, keys or byte range.

        Raises:
            TableRuntimeException: the file cannot be read, or the format cannot find single rows.
        """
        raise TableRuntimeException(f"Single rows of the file '{task.path}' cannot be read.")

    def can_split(self, path: Path, options: Mapping[str, str]) -> bool:
        """Returns whether the rows that start in a range of the file's bytes can be read separately."""
        return False

    def bounds(self, path: Path, size: int, parts: int) -> Sequence[int]:
        """Returns where to divide a file of ``size`` bytes that can be split into about so many parts of equal size: the first bound is 0, the last one ``size``."""
        return [size * part // parts for part in range(parts + 1)]

    @abstractmethod
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        """Creates a file and returns its writer."""

    def detected_options(self, path: Path, options: Mapping[str, str]) -> Mapping[str, str]:
        """Returns options, without prefix, that a file needs besides those given, for a table whose columns are inferred.

        Raises:
            TableRuntimeException: the file cannot be read.
        """
        return {}

    def finds_columns_by_name(self, options: Mapping[str, str]) -> bool:
        """Returns whether the columns of a file are found by their names."""
        return True

    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        """Infers the row type of a file; None if files of this format have no schema.

        Raises:
            TableRuntimeException: the file cannot be read.
        """
        return None
