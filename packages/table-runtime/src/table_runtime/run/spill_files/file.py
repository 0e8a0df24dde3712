"""A temporary file of record batches in Arrow's IPC format. It has no name in the file system, so the system removes it with the process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_runtime.columns.batches import cast_array
from table_runtime.run.memory.budget import size_text

if TYPE_CHECKING:
    from table_runtime.run.job_metrics import LossText

_PREFIX = "table-spill-"
_CODEC = "lz4"


class StoredBatch(NamedTuple):
    """A batch in the file: its place, its length there and before compression, its rows, and its bytes in memory."""

    offset: int
    length: int
    raw_length: int
    rows: int
    nbytes: int


class SpillUsage:
    """The bytes that one operator has written to its files; a metric of the job."""

    def __init__(self) -> None:
        self.spilled = 0
        self._lock = threading.Lock()

    def add(self, size: int) -> None:
        """Counts bytes written."""
        with self._lock:
            self.spilled += size

    def values(self) -> Iterator[tuple[str, int]]:
        """Yields name and value of the metric."""
        yield "spilledBytes", self.spilled

    def losses(self) -> Iterator[tuple[LossText, int]]:
        """Yields nothing: spilling loses no rows."""
        return iter(())


class SpillFile:
    """Batches of one or more lists of rows; ``close`` frees the space on the disk.

    Batches are written by one thread at a time, and can be read from several.
    """

    def __init__(self, folder: str, owner: str, usage: SpillUsage, *, compress: bool) -> None:
        import tempfile  # few runs spill

        self._folder = folder
        self._owner = owner
        self._usage = usage
        self._codec = pa.Codec(_CODEC) if compress and pa.Codec.is_available(_CODEC) else None
        self._end = 0
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            # Readable by this user only. On Linux it never has a name, elsewhere its name is removed before the first byte is written.
            self._file = cast("BinaryIO", tempfile.TemporaryFile(dir=folder, prefix=_PREFIX, buffering=0))  # noqa: SIM115
        except OSError as error:
            raise self._failure("create a file", error) from error

    def append(self, batch: pa.RecordBatch) -> StoredBatch:
        """Writes a batch.

        Raises:
            TableRuntimeException: the disk is full, or the file cannot be written.
        """
        buffer = _plain(batch).serialize()
        raw_length = buffer.size
        if self._codec is not None:
            buffer = self._codec.compress(buffer)
        stored = StoredBatch(self._end, buffer.size, raw_length, batch.num_rows, batch.nbytes)
        view = memoryview(buffer)
        written = 0
        try:
            while written < len(view):
                written += os.pwrite(self.fileno(), view[written:], self._end + written)
        except OSError as error:
            raise self._failure("write rows", error) from error
        self._end += written
        self._usage.add(written)
        return stored

    def read(self, stored: StoredBatch, schema: pa.Schema) -> pa.RecordBatch:
        """Returns a batch.

        Raises:
            TableRuntimeException: the file cannot be read.
        """
        pieces: list[bytes] = []
        got = 0
        try:
            while got < stored.length:
                piece = os.pread(self.fileno(), stored.length - got, stored.offset + got)
                if not piece:
                    raise OSError("the file is shorter than what was written")
                pieces.append(piece)
                got += len(piece)
        except OSError as error:
            raise self._failure("read rows", error) from error
        buffer = pa.py_buffer(pieces[0] if len(pieces) == 1 else b"".join(pieces))
        if self._codec is not None:
            buffer = self._codec.decompress(buffer, stored.raw_length)
        return pa.ipc.read_record_batch(buffer, schema)

    def write(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> StoredRows:
        """Writes all batches and returns them as a list of rows."""
        return StoredRows(self, schema, [self.append(batch) for batch in batches if batch.num_rows])

    def fileno(self) -> int:
        """Returns the descriptor of the file."""
        return self._file.fileno()

    @property
    def is_closed(self) -> bool:
        """Whether the file is closed."""
        return self._file.closed

    def __enter__(self) -> SpillFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file, which removes it; idempotent."""
        with suppress(OSError):
            self._file.close()

    def _failure(self, activity: str, error: OSError) -> TableRuntimeException:
        return TableRuntimeException(
            f"{self._owner} needs more memory than its share of the budget, and cannot {activity} in '{self._folder}': "
            f"{error.strerror or error}; it has spilled {size_text(self._usage.spilled)}.",
            hint="Free space there, set 'table.exec.spill.dir' to a folder on another disk, or increase 'table.exec.memory'.",
        )


class StoredRows:
    """Rows in a file, in order."""

    def __init__(self, file: SpillFile, schema: pa.Schema, batches: list[StoredBatch]) -> None:
        self._file = file
        self.schema = schema
        self.stored = batches

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(batch.rows for batch in self.stored)

    @property
    def nbytes(self) -> int:
        """Bytes that the rows need in memory."""
        return sum(batch.nbytes for batch in self.stored)

    def read(self) -> Iterator[pa.RecordBatch]:
        """Yields the batches, read one by one."""
        for stored in self.stored:
            yield self._file.read(stored, self.schema)


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns the batch without dictionaries, which are not part of a message."""
    if not any(pa.types.is_dictionary(field.type) for field in batch.schema):
        return batch
    fields = [field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in batch.schema]
    arrays = [cast_array(column, field.type) for column, field in zip(batch.columns, fields, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
