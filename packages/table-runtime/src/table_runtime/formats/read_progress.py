"""How far the reader of a file is."""

from __future__ import annotations


class ReadProgress:
    """The share of a file that its reader has fetched, from 0 to 1; one thread fetches a file."""

    __slots__ = ("_bytes", "_size", "share")

    def __init__(self, size: int = 0) -> None:
        """``size`` is the number of bytes that the reader will fetch; 0 if it is not known, as for a compressed file."""
        self._size = size
        self._bytes = 0
        self.share = 0.0

    def fetched(self, count: int) -> None:
        """Adds bytes."""
        self._bytes += count
        if self._size:
            self.share = min(1.0, self._bytes / self._size)

    def fetched_rows(self, count: int, total: int) -> None:
        """Adds rows of a file with ``total`` rows."""
        if total:
            self.share = min(1.0, self.share + count / total)
