"""Durable changes of files, on systems with and without hard links and folders that can be opened."""

from __future__ import annotations

import os

__all__ = ["publish_new", "sync_file", "sync_folder"]

_SYNCED = os.O_RDWR if os.name == "nt" else os.O_RDONLY
"""Windows flushes only files that are open for writing."""


def publish_new(staged: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Gives a complete file the name ``target`` at once, if no file has it; ``staged`` may remain, for the caller to delete.

    A link fails where the name exists, which a rename does on Windows only. Where files have no links, the name is looked up first, so that
    only a lock keeps two processes from the same name.

    Raises:
        FileExistsError: a file has that name, and stays as it is.
        OSError: the file system failed.
    """
    try:
        os.link(staged, target)
    except FileExistsError:
        raise
    except (AttributeError, OSError):  # no links on this system, or on this file system
        if os.path.lexists(target):
            raise FileExistsError(os.fspath(target)) from None
        os.rename(staged, target)


def sync_file(path: str | os.PathLike[str]) -> None:
    """Writes the content of a file to the disk.

    Raises:
        OSError: the file cannot be opened, or the disk failed.
    """
    _sync(path, _SYNCED)


def sync_folder(path: str | os.PathLike[str]) -> None:
    """Writes the names of a folder to the disk, where the system opens folders; Windows does not, and keeps names durable by itself.

    Raises:
        OSError: the folder cannot be opened, or the disk failed.
    """
    if hasattr(os, "O_DIRECTORY"):
        _sync(path, os.O_RDONLY)


def _sync(path: str | os.PathLike[str], flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
