"""Rows of this process for workers: few travel with the task, many in a file of the job's folder, which all workers reach."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.gate import AllowedPath, AllowedUrl
from table_runtime.streaming import Reads, RowSender, SplitRows, open_store

_BYTES_OF_TASK = 1 << 18
"""The number of bytes that are sent as part of a task."""


@dataclass(frozen=True, slots=True)
class _Carried:
    content: bytes

    def __call__(self) -> SplitRows:
        return SplitRows(iter(pa.ipc.open_stream(self.content)))


@dataclass(frozen=True, slots=True)
class _InFile:
    location: AllowedPath | AllowedUrl
    path: str

    def __call__(self) -> SplitRows:
        content = open_store(self.location).read(self.path)
        if content is None:
            raise TableRuntimeException(f"The file '{self.path}' with rows of the program is missing in '{self.location}'.")
        return SplitRows(iter(pa.ipc.open_stream(content)))


class RowTransfer(RowSender):
    """Sends rows; ``name`` is that of their files in the folder of the job."""

    def __init__(self, location: AllowedPath | AllowedUrl, name: str) -> None:
        self.location = location
        self._name = name
        self._number = 0
        self._files: list[str] = []

    @override
    def send(self, batches: Sequence[pa.RecordBatch]) -> Reads:
        """Returns what reads the rows in a worker; there is at least one batch."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batches[0].schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        content = sink.getvalue()
        if content.size <= _BYTES_OF_TASK:
            return _Carried(content.to_pybytes())
        path = f"inputs/{self._name}-{self._number}.arrow"
        self._number += 1
        open_store(self.location).write(path, [content])
        self._files.append(path)
        return _InFile(self.location, path)

    @override
    def clear(self) -> None:
        """Deletes the rows, which have been read."""
        files, self._files = self._files, []
        if files:
            store = open_store(self.location)
            for path in files:
                store.delete(path)
