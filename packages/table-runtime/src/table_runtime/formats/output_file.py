"""An output file for writers of libraries, which is closed even if the writer fails."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path
from typing import Any

from table_common.annotation import override


class OutputFile(io.RawIOBase):
    """A file whose writes never raise; ``check`` and ``end`` raise the first error.

    Writers in C++ do not expect every write to fail: the ORC writer crashes the process if a write fails while it is closed. After a
    failure, and after ``discard``, further writes are ignored.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file: Any = path.open("wb")
        self._failure: BaseException | None = None
        self._position = 0

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, data: Any) -> int:
        size = len(data)
        self._position += size
        if self._failure is None and self._file is not None:
            try:
                self._file.write(data)
            except BaseException as error:  # an interrupt, too: no exception may pass through the writer
                self._failure = error
        return size

    @override
    def tell(self) -> int:
        return self._position

    @override
    def flush(self) -> None:
        """Does nothing: ``end`` flushes the file."""

    def check(self) -> None:
        """Raises the error of a previous write, if there is one."""
        failure, self._failure = self._failure, None
        if failure is not None:
            self.discard()
            raise failure

    def discard(self) -> None:
        """Closes a file that is discarded; never fails."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(Exception):
                file.close()

    def end(self) -> None:
        """Closes the file.

        Raises:
            OSError: a write failed.
        """
        self.check()
        file, self._file = self._file, None
        if file is not None:
            file.close()
