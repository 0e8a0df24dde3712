"""A file that counts the bytes that are written to it: stores of objects tell the size of a file only when it is complete."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, cast


class MeasuredPath:
    """Has what writers use of a path: ``name``, ``open`` and ``str``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.written = 0
        """Bytes that were written, also those that are in a buffer."""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self._path.name

    def open(self, mode: str = "wb") -> IO[bytes]:
        """Opens the file.

        Raises:
            OSError: it cannot be written.
        """
        return cast("IO[bytes]", _Measured(self._path.open(mode), self))

    def __str__(self) -> str:
        return str(self._path)


class _Measured:
    def __init__(self, file: Any, path: MeasuredPath) -> None:
        self._file = file
        self._path = path

    def write(self, data: Any) -> int:
        self._path.written += memoryview(data).nbytes
        written: int = self._file.write(data)
        return written

    def writelines(self, lines: Iterable[Any]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
