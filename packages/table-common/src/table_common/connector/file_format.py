"""What a format of whole files is: bytes of a file to record batches, and record batches to the bytes of a file.

The engines find the files, choose columns, convert values to their declared types and publish what was written; a format reads and writes one open
file. It runs where the files are, in the process or in Spark's workers. Arrow data is typed by structure, so this module needs no pyarrow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import BinaryIO

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType

__all__ = ["FileFormat", "FileFormatWriter", "FileReadContext"]


@dataclass(frozen=True, slots=True)
class FileReadContext:
    """What is read: the row in the files, the names of the columns that are wanted of it, and the file's name for messages."""

    row_type: RowType
    columns: tuple[str, ...]
    file_name: str


class FileFormatWriter(ABC):
    """Writes one file."""

    @abstractmethod
    def write(self, batch: SupportsArrowArray) -> None:
        """Adds rows of the type that the writer was made for.

        Raises:
            TableRuntimeException: A value has no form in this format, or would be read as another one.
        """

    def finish(self) -> None:  # noqa: B027  # a format without an end has nothing to do
        """Writes what ends the file, which the caller closes; not called if something failed before."""


class FileFormat(ABC):
    """A configured format of whole files."""

    @property
    @abstractmethod
    def extension(self) -> str:
        """What files are called that are written, without a dot."""

    @abstractmethod
    def read(self, file: BinaryIO, context: FileReadContext) -> Iterator[SupportsArrowArray]:
        """Yields the rows in order, as record batches with at least the columns wanted, by name; what is more is left out.

        Values may have any Arrow type that holds values of the declared one. A column that a batch lacks is an error, or NULL if the table
        says ``'missing-columns' = 'null'``. ``file`` can be sought in.

        Raises:
            TableRuntimeException: The file is damaged; any other exception is reported as that, too.
        """

    def create_writer(self, file: BinaryIO, row_type: RowType) -> FileFormatWriter:
        """Returns the writer of a new file.

        Raises:
            TableException: The format has no form for a column's type, or cannot be written, which is the default.
        """
        from table_common.exceptions import TableException

        raise TableException(f"Files with the extension '{self.extension}' can only be read.")

    def infer_type(self, file: BinaryIO) -> RowType | None:
        """Returns the row that a file holds, for tables without declared columns; None if files of this format do not say."""
        return None
