"""Locks on the folder of a table: one writer publishes at a time, and readers pin the state that they read.

Both are advisory locks of the operating system on the folder itself: nothing is created, readers need no permission to write, and the locks
of a process that dies go with it. Where the system has none (macOS has no locks on ranges, NFS none on folders) pins are not set: a reader
may then find that a file was deleted which it was about to read.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from table_common.exceptions import TableRuntimeException

__all__ = ["LISTING", "READING", "PinnedFolder", "is_owned", "own", "try_write_lock", "write_lock"]

LISTING = 0
"""The kind of pin that keeps changes from being forgotten while a folder is listed."""
READING = 1 << 40
"""The kind of pin that keeps files from being deleted while they are read."""
_LOCK = "hhqqi"
"""``struct flock``: type, whence, start, length, process."""
_WAIT_SECONDS = 60.0
_LONGEST_PAUSE = 0.02
_BUSY = (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK)


class PinnedFolder:
    """An open folder with the pins of one reader; closing it, or the end of the process, takes them away.

    A pin is a read lock on one byte, whose position is a number: no reader waits for anybody.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def pin(self, kind: int, number: int) -> None:
        """Adds a pin."""
        self._set("F_RDLCK", kind + number)

    def unpin(self, kind: int, number: int) -> None:
        """Takes a pin away."""
        self._set("F_UNLCK", kind + number)

    def is_pinned(self, kind: int, below: int) -> bool:
        """Returns whether another reader, in this process or elsewhere, has a pin of this kind with a lower number."""
        return below > 0 and self._next_pin(kind, below) is not None

    def highest_pin(self) -> int:
        """Returns the highest number that somebody else has pinned, or 0."""
        highest = 0
        for kind, length in ((LISTING, READING), (READING, 0)):
            start = kind
            while (found := self._next_pin(start, length - (start - kind) if length else 0)) is not None:
                highest = max(highest, found - kind)
                start = found + 1
        return highest

    def close(self) -> None:
        """Takes all pins away; does nothing when called again."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _set(self, kind: str, position: int) -> None:
        if hasattr(fcntl, "F_OFD_SETLK"):
            with suppress(OSError):  # a file system without such locks
                fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, struct.pack(_LOCK, getattr(fcntl, kind), os.SEEK_SET, position, 1, 0))

    def _next_pin(self, start: int, length: int) -> int | None:
        """Returns where a lock of somebody else is that a writer of this range would wait for; length 0 means all that follows."""
        if not hasattr(fcntl, "F_OFD_GETLK"):
            return None
        asked = struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
        try:
            kind, _, found, _, _ = struct.unpack(_LOCK, fcntl.fcntl(self._descriptor, fcntl.F_OFD_GETLK, asked))
        except OSError:
            return None
        return None if kind == fcntl.F_UNLCK else found


@contextmanager
def write_lock(table: Path) -> Iterator[None]:
    """Holds the lock under which a table's changes are prepared, committed and cleaned up; makes the folder if it is not there.

    Raises:
        TableRuntimeException: another process holds it for too long.
        OSError: the folder cannot be made or opened.
    """
    end, pause = time.monotonic() + _WAIT_SECONDS, 0.001
    while True:
        table.mkdir(parents=True, exist_ok=True)
        descriptor = _locked(table)
        if descriptor is not None:
            break
        if time.monotonic() > end:
            raise TableRuntimeException(
                f"The table at '{table}' is being changed by another process that does not end, for {_WAIT_SECONDS:g} s now.",
                hint="Look for a process that writes this table and is stopped.",
            )
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def try_write_lock(table: Path) -> Iterator[bool]:
    """Holds the lock of ``write_lock`` if nobody else does; gives whether it does."""
    try:
        descriptor = _locked(table)
    except OSError:
        descriptor = None
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def own(staging: Path) -> int:
    """Locks a folder that belongs to this job until the descriptor that is returned is closed, or the process ends.

    Raises:
        OSError: the folder cannot be opened.
    """
    descriptor = os.open(staging, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    _try_lock(descriptor)
    return descriptor


def is_owned(staging: Path) -> bool:
    """Returns whether a running process, or this one, owns the folder; it may where the system cannot say."""
    try:
        descriptor = os.open(staging, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        return _try_lock(descriptor) is not True
    finally:
        os.close(descriptor)


def _locked(folder: Path) -> int | None:
    """Returns a descriptor that holds the folder's lock, or None if somebody else does or the folder was just replaced."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        if _try_lock(descriptor) is not False and os.path.samestat(os.fstat(descriptor), os.stat(folder)):
            return descriptor
    except FileNotFoundError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _try_lock(descriptor: int) -> bool | None:
    """Returns whether the lock was free and is held now; None if the system has no such locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in _BUSY else None
    return True
