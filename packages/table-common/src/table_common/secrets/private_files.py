"""Files that only their owner may read: catalogs, plans and histories contain statements, including passwords.

A file is created with its mode, so that there is no moment at which others can open it. A file that exists already is tightened, if it is
ours; one of another user is left as it is.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TextIO

_MODE = 0o600


def open_private(path: str | os.PathLike[str]) -> TextIO:
    """Creates a text file that only its owner can read and write, and opens it for writing.

    Raises:
        FileExistsError: the file already exists.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0), _MODE)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, _MODE)  # the umask may have removed permissions that the owner needs
    return os.fdopen(descriptor, "w", encoding="utf-8")


def make_private(path: str | os.PathLike[str], *, create: bool = False) -> None:
    """Removes the permissions of other users from a regular file of this user; with ``create`` a missing file is created.

    Never opens an existing file, because closing it would release the locks that this process holds on it.

    Raises:
        OSError: the file cannot be created.
    """
    if create:
        with suppress(FileExistsError):
            open_private(path).close()
    with suppress(OSError):
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077 and status.st_uid == _user(status.st_uid):
            os.chmod(path, stat.S_IMODE(status.st_mode) & 0o700)


def _user(default: int) -> int:
    return os.geteuid() if hasattr(os, "geteuid") else default
