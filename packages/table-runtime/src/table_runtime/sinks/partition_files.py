"""Writes the files of partitions: one per partition, unless the rows exceed the buffer."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pyarrow as pa

from table_common.connector import FileSinkProvider, RollingPolicy
from table_common.types import RowType
from table_runtime.formats import FileWriter, MeasuredPath, compressed_extension, file_format
from table_runtime.sinks.partition_buffer import PartitionBuffer

BUFFERED_BYTES = 128 << 20
"""Maximum bytes of buffered rows; beyond that the rows of the largest partitions are written."""
MOST_OPEN_FILES = 128
"""Maximum open files. Beyond that the least recently used one is closed; further rows of its partition go to another file."""


class PartitionFiles:
    """Writes rows to the files of their partitions.

    ``path_of`` resolves a name relative to the table, ``prefix`` starts every file name. With ``rolling``, a file is closed when it is large or old enough.
    """

    def __init__(
        self, provider: FileSinkProvider, path_of: Callable[[str], Path], prefix: str, rolling: RollingPolicy | None = None
    ) -> None:
        self._rolling = rolling
        self._began: dict[str, tuple[MeasuredPath, float]] = {}
        self._provider = provider
        self._path_of = path_of
        self._prefix = prefix
        self._format = file_format(provider.format)
        fields = tuple(field for field in provider.consumed_type.fields if field.name not in provider.partition_keys)
        self._row_type = RowType(fields, nullable=False)
        self._buffer = PartitionBuffer(provider) if provider.partition_keys else None
        self._open: OrderedDict[str, FileWriter] = OrderedDict()
        self._count = 0
        self.folders: set[str] = set()
        """The partitions that were written, as folders relative to the table."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Adds rows."""
        if self._buffer is None:
            self._add("", batch)
            return
        for folder, rows in self._buffer.add(batch):
            self._add(folder, rows)
        if self._buffer.nbytes >= BUFFERED_BYTES:
            for folder, rows in self._buffer.take(0.5):
                self._add(folder, rows)

    def _add(self, folder: str, rows: pa.RecordBatch) -> None:
        self._writer(folder).write(rows)
        if self._rolling is not None:
            path, began = self._began[folder]
            if path.written >= self._rolling.file_size or time.monotonic() - began >= self._rolling.rollover_seconds:
                self._close(folder)

    def _writer(self, folder: str) -> FileWriter:
        writer = self._open.get(folder)
        if writer is None:
            if len(self._open) >= MOST_OPEN_FILES:
                self._close(next(iter(self._open)))
            extension = self._format.extension + compressed_extension(self._provider)
            name = f"{self._prefix}-{self._count}.{extension}"
            self._count += 1
            self.folders.add(folder)
            path = self._path_of(f"{folder}/{name}" if folder else name)
            if self._rolling is not None:  # an object store has no size of a file that is still written, so it is counted
                measured = MeasuredPath(path)
                self._began[folder] = (measured, time.monotonic())
                path = cast("Path", measured)
            writer = self._open[folder] = self._format.open_writer(path, self._row_type, self._provider.format_options)
        self._open.move_to_end(folder)
        return writer

    def _close(self, folder: str) -> None:
        # The writer is removed after its close succeeds: after a failure ``abandon`` closes it.
        self._open[folder].close()
        del self._open[folder]

    def close(self) -> None:
        """Writes the buffered rows and closes all files."""
        if self._buffer is not None:
            for folder, rows in self._buffer.take():
                self._writer(folder).write(rows)
                self._close(folder)
        while self._open:
            self._close(next(iter(self._open)))

    def abandon(self) -> None:
        """Abandons the files that are still open after a failure."""
        while self._open:
            self._open.popitem()[1].abandon()
