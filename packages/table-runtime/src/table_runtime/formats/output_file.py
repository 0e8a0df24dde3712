"""The file that a library's writer writes into, which is closed whatever the writer does."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path
from typing import Any

from table_common.annotation import override

__all__ = ["OutputFile"]


class OutputFile(io.RawIOBase):
    """Takes what it is given without ever failing; ``check`` and ``end`` raise what went wrong.

    Writers in C++ do not expect a write to fail everywhere: that of ORC ends the process when one fails while it is closed. After a
    failure, and after ``discard``, nothing is written any more.
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
            except BaseException as error:  # an interrupt, too: nothing may pass through the writer
                self._failure = error
        return size

    @override
    def tell(self) -> int:
        return self._position

    @override
    def flush(self) -> None:
        """Does nothing: ``end`` writes what waits."""

    def check(self) -> None:
        """Raises what went wrong since the last time."""
        failure, self._failure = self._failure, None
        if failure is not None:
            self.discard()
            raise failure

    def discard(self) -> None:
        """Closes a file that is thrown away."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(Exception):
                file.close()

    def end(self) -> None:
        """Closes the file.

        Raises:
            OSError: not all could be written.
        """
        self.check()
        file, self._file = self._file, None
        if file is not None:
            file.close()
