"""One scheduler per catalog: a lock on a file beside it, which ends with the process that holds it."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from table_common.exceptions import TableException
from table_common.gate import AllowedPath

_LOCKED_BYTE = 1 << 30
"""Windows locks bytes, and others may not read them: this one is behind the text."""


@contextmanager
def scheduler_locks(catalogs: Iterable[tuple[str, AllowedPath]]) -> Iterator[None]:
    """Holds the locks of catalogs, which are given by name and file, as long as the context lasts.

    Raises:
        TableException: another process holds one of them; the message says which.
    """
    with ExitStack() as held:
        by_file = {path: name for name, path in catalogs}  # two names may stand for one catalog
        for path, name in sorted(by_file.items()):
            held.callback(os.close, _locked(name, path))
        yield


def _locked(name: str, path: AllowedPath) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise TableException(
            f"The file '{path}', the lock of the scheduler of catalog '{name}', cannot be opened: {error.strerror}."
        ) from error
    try:
        _lock(descriptor)
    except OSError as error:
        owner = os.read(descriptor, 1000).decode(errors="replace").strip() or "another process"
        os.close(descriptor)
        raise TableException(
            f"The materialized tables of catalog '{name}' have a scheduler already: {owner}.",
            hint=f"one scheduler refreshes all tables of a catalog; it holds a lock on '{path}' until it ends",
        ) from error
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC\n".encode())
    return descriptor


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
