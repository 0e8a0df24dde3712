"""Locks on the folder of a table: one writer commits at a time, and readers pin the state that they read.

Both are advisory locks of the operating system on the folder itself: they create no files, readers need no write permission, and the system
releases the locks of a dead process. Where the system lacks them (macOS: locks on byte ranges; NFS: locks on folders), pins are not set,
and a file may be deleted before a reader opens it. Windows opens no folders: writers lock a hidden file in the folder there, by ``filelock``.
"""

from __future__ import annotations

import errno
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from table_common.exceptions import TableRuntimeException

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

LISTING = 0
"""Kind of pin that keeps journals of changes while a folder is listed."""
READING = 1 << 40
"""Kind of pin that keeps files while they are read."""
_LOCK = "hhqqi"
"""``struct flock``: type, whence, start, length, process."""
_WAIT_SECONDS = 60.0
_LONGEST_PAUSE = 0.02
_OPENS_FOLDERS = hasattr(os, "O_DIRECTORY")
_LOCK_FILE = ".lock"
_BUSY = (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK)


class PinnedFolder:
    """An open folder with the pins of one reader; closing it, or the end of the process, removes them.

    A pin is a read lock on the byte at the position kind + number. Read locks are shared, so readers never wait.
    """

    def __init__(self, folder: Path) -> None:
        os.scandir(folder).close()
        self._descriptor = _opened(folder) if _OPENS_FOLDERS else -1

    def pin(self, kind: int, number: int) -> None:
        """Adds a pin."""
        self._set("F_RDLCK", kind + number)

    def unpin(self, kind: int, number: int) -> None:
        """Removes a pin."""
        self._set("F_UNLCK", kind + number)

    def is_pinned(self, kind: int, below: int) -> bool:
        """Returns whether another reader, in any process, has a pin of this kind with a lower number."""
        return below > 0 and self._next_pin(kind, below) is not None

    def highest_pin(self) -> int:
        """Returns the highest number that another reader has pinned, or 0."""
        highest = 0
        for kind, length in ((LISTING, READING), (READING, 0)):
            start = kind
            while (position := self._next_pin(start, length - (start - kind) if length else 0)) is not None:
                highest = max(highest, position - kind)
                start = position + 1
        return highest

    def close(self) -> None:
        """Removes all pins; idempotent."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _set(self, kind: str, position: int) -> None:
        if hasattr(fcntl, "F_OFD_SETLK"):
            with suppress(OSError):  # the file system has no such locks
                fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, struct.pack(_LOCK, getattr(fcntl, kind), os.SEEK_SET, position, 1, 0))

    def _next_pin(self, start: int, length: int) -> int | None:
        """Returns the position of another reader's lock in the range, or None; length 0 means no upper limit."""
        if not hasattr(fcntl, "F_OFD_GETLK"):
            return None
        request = struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
        try:
            kind, _, position, _, _ = struct.unpack(_LOCK, fcntl.fcntl(self._descriptor, fcntl.F_OFD_GETLK, request))
        except OSError:
            return None
        return None if kind == fcntl.F_UNLCK else position


@contextmanager
def write_lock(table: Path) -> Iterator[None]:
    """Holds the write lock of a table, which protects commits and cleanup; creates the folder if it does not exist.

    Raises:
        TableRuntimeException: another process holds the lock for more than 60 seconds.
        OSError: the folder cannot be created or opened.
    """
    end, pause = time.monotonic() + _WAIT_SECONDS, 0.001
    while True:
        table.mkdir(parents=True, exist_ok=True)
        descriptor = _locked(table)
        if descriptor is not None:
            break
        if time.monotonic() > end:
            raise TableRuntimeException(
                f"Another process has held the write lock of the table at '{table}' for {_WAIT_SECONDS:g} s.",
                hint="Look for a suspended or stuck process that writes this table.",
            )
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def try_write_lock(table: Path) -> Iterator[bool]:
    """Holds the lock of ``write_lock`` if it is free; the value of the context is whether it is held."""
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
    """Locks a staging folder for this job and returns the descriptor; closing it, or the end of the process, releases the lock.

    Raises:
        OSError: the folder cannot be opened.
    """
    descriptor = _opened(staging)
    _try_lock(descriptor)
    return descriptor


def is_owned(staging: Path) -> bool:
    """Returns whether a running process (this one included) owns the folder; True if the system cannot tell."""
    try:
        descriptor = _opened(staging)
    except OSError:
        return True
    try:
        return _try_lock(descriptor) is not True
    finally:
        os.close(descriptor)


def _place(folder: Path) -> Path:
    """Returns what locks of a folder are set on: the folder itself, or a hidden file in it where folders cannot be opened."""
    return folder if _OPENS_FOLDERS else folder / _LOCK_FILE


def _opened(folder: Path) -> int:
    if _OPENS_FOLDERS:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    return os.open(_place(folder), os.O_RDWR | os.O_CREAT | getattr(os, "O_NOINHERIT", 0))


def _locked(folder: Path) -> int | None:
    """Returns a descriptor that holds the folder's lock; None if another process holds it or the folder was replaced meanwhile."""
    try:
        descriptor = _opened(folder)
    except FileNotFoundError:
        return None
    try:
        if _try_lock(descriptor) is not False and os.path.samestat(os.fstat(descriptor), os.stat(_place(folder))):
            return descriptor
    except FileNotFoundError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _try_lock(descriptor: int) -> bool | None:
    """Returns whether the lock was acquired; None if the file system has no such locks."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        from filelock import lock_descriptor  # Windows

        return bool(lock_descriptor(descriptor, blocking=False))
    except (ImportError, OSError) as error:
        return False if getattr(error, "errno", None) in _BUSY else None
