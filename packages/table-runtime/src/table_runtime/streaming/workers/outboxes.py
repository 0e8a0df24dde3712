"""Anonymous files through which processes of one job give each other bytes: each process writes to its own, and all read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import pyarrow as pa

_MOST_CALL = 1 << 30
"""Bytes of one call: the system writes at most 2 GB at a time."""


class Place(NamedTuple):
    """Where bytes are: the owner of the outbox, the number of its file, and the range in it."""

    owner: int
    file: int
    start: int
    size: int


class Outboxes:
    """The outboxes of all processes. What a stage of an epoch has written is overwritten two stages later: by then it has been read.

    The files have no names, so they end with the last process, and no limit but the memory of the machine; what is read is a copy.
    """

    def __init__(self, files: Sequence[Sequence[int]], own: int | None = None) -> None:
        """``files`` are the descriptors of two files per owner; ``own`` is this process, None: it only reads."""
        self.files = files
        self._own = own
        self._end = [0, 0]

    @classmethod
    def create(cls, owners: int) -> Outboxes:
        """Returns new outboxes.

        Raises:
            OSError: the system gives no file.
        """
        return cls([(_anonymous_file(), _anonymous_file()) for _ in range(owners)])

    def begin(self, stage: int) -> None:
        """Begins a stage: what this process wrote two stages before is gone."""
        self._end[stage % 2] = 0

    def write(self, stage: int, content: pa.Buffer) -> Place:
        """Writes bytes of a stage; returns where they are.

        Raises:
            OSError: there is no memory left.
        """
        assert self._own is not None
        file, start = stage % 2, self._end[stage % 2]
        descriptor, view, written = self.files[self._own][file], memoryview(content), 0
        while written < len(view):
            written += os.pwrite(descriptor, view[written : written + _MOST_CALL], start + written)
        self._end[file] = start + -(-written // 64) * 64
        return Place(self._own, file, start, written)

    def read(self, place: Place) -> pa.Buffer:
        """Returns a copy of the bytes at a place.

        Raises:
            OSError: they are not there.
        """
        result = pa.allocate_buffer(place.size)
        view, done = memoryview(result), 0
        while done < place.size:
            count = os.preadv(self.files[place.owner][place.file], [view[done : done + _MOST_CALL]], place.start + done)
            if not count:
                raise OSError(f"{place} is not in the file")
            done += count
        return result

    def clear(self) -> None:
        """Gives the memory back."""
        for file in (file for files in self.files for file in files):
            with suppress(OSError):
                os.ftruncate(file, 0)

    def close(self) -> None:
        """Closes the files of this process."""
        for file in (file for files in self.files for file in files):
            with suppress(OSError):
                os.close(file)


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("table-stream", os.MFD_CLOEXEC)
    descriptor, path = tempfile.mkstemp(prefix="table-stream-")
    os.unlink(path)
    return descriptor
