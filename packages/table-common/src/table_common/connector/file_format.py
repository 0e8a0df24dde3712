"""Formats of whole files: from the bytes of a file to record batches, and back.

The engines list the files, select columns, cast values to their declared types and publish written files; a format reads or writes one open
file. It runs in the tasks of the engine: in the process, or in Spark's workers. Arrow data has a structural type, so this module needs no pyarrow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import BinaryIO

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType


@dataclass(frozen=True, slots=True)
class FileReadContext:
    """The row type of the file, the names of the columns to read, and the file's name for messages.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> FileReadContext(parse_logical_type("ROW<id INT, name STRING> NOT NULL"), ("name",), "orders.lines").columns
        ('name',)
    """

    row_type: RowType
    columns: tuple[str, ...]
    file_name: str


class FileFormatWriter(ABC):
    """Writes one file.

    Example:
        >>> import io
        >>> from table_common.arrow import from_python_rows, import_batch
        >>> from table_common.types import parse_logical_type
        >>> class Words(FileFormatWriter):
        ...     def __init__(self, file):
        ...         self.file = file
        ...     def write(self, batch):
        ...         for text in import_batch(batch).column(0).to_pylist():
        ...             self.file.write(text.encode() + b" ")
        >>> file = io.BytesIO()
        >>> Words(file).write(from_python_rows([("a",), ("b",)], parse_logical_type("ROW<word STRING> NOT NULL")))
        >>> file.getvalue()
        b'a b '

    Source: Flink's ``org.apache.flink.api.common.serialization.BulkWriter``.
    """

    @abstractmethod
    def write(self, batch: SupportsArrowArray) -> None:
        """Adds rows of the writer's row type.

        Raises:
            TableRuntimeException: The format cannot represent a value, or would read it back as another value.
        """

    def finish(self) -> None:  # noqa: B027  # a format without an end has nothing to do
        """Writes the end of the file; the caller closes it. Not called after a failure."""


class FileFormat(ABC):
    """A configured format of whole files.

    Example:
        >>> import io
        >>> from table_common.arrow import from_python_rows
        >>> from table_common.types import parse_logical_type
        >>> class Words(FileFormat):
        ...     extension = "txt"
        ...     def read(self, file, context):
        ...         yield from_python_rows([(word.decode(),) for word in file.read().split()], context.row_type)
        >>> context = FileReadContext(parse_logical_type("ROW<word STRING> NOT NULL"), ("word",), "a.txt")
        >>> [batch.num_rows for batch in Words().read(io.BytesIO(b"a b"), context)]
        [2]

    Source: Flink's ``org.apache.flink.connector.file.table.format.BulkDecodingFormat``.
    """

    @property
    @abstractmethod
    def extension(self) -> str:
        """The extension of written files, without a dot."""

    @abstractmethod
    def read(self, file: BinaryIO, context: FileReadContext) -> Iterator[SupportsArrowArray]:
        """Yields the rows in order, as record batches that contain the requested columns by name; other columns are ignored.

        Values may have any Arrow type that holds values of the declared one. A column that is missing in a batch is an error, or NULL if the table
        has ``'missing-columns' = 'null'``. ``file`` is seekable.

        Raises:
            TableRuntimeException: The file is damaged; the engine reports any other exception as this one, too.
        """

    def create_writer(self, file: BinaryIO, row_type: RowType) -> FileFormatWriter:
        """Returns the writer of a new file.

        Raises:
            TableException: The format cannot represent a column's type, or is read-only, which is the default.
        """
        from table_common.exceptions import TableException

        raise TableException(f"Files with the extension '{self.extension}' can only be read.")

    def infer_type(self, file: BinaryIO) -> RowType | None:
        """Returns the row type of a file, for tables without declared columns; None if files of this format do not contain it."""
        return None
