"""Table paths as local paths."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from table_common.exceptions import TableException, TableRuntimeException
from table_common.gate import AllowedPath, current_gate

WHERE = "The files of a table"
"""What opens paths here, for errors."""


def local_path(text: str) -> AllowedPath:
    """Returns the absolute local path of a path or ``file:`` URL; relative ones start at the working directory.

    Raises:
        TableException: the path is empty, or the URL has another scheme or names a host.
        ValidationException: statements of the session must not use it.
    """
    if not text.strip():
        raise TableException("The path of a table is empty.", hint="Name a folder; './' is the working directory.")
    if "://" in text or text.startswith("file:"):
        from urllib.parse import urlsplit  # most paths are no URLs

        parts = urlsplit(text)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            raise TableException(f"The path '{text}' is not on this machine.", hint="Use a path or file:///…")
    return current_gate().path(text, WHERE)


def is_hidden(name: str, *, folder: bool = False) -> bool:
    """Returns whether readers skip a file or folder: its name starts with ``_`` or ``.``, and it is not a partition folder (``_day=1``)."""
    return name.startswith(("_", ".")) and not (folder and "=" in name)


def is_kernel_stream(path: Path) -> bool:
    """Returns whether a file is a private one of the kernel below /proc or /sys, such as /proc/kmsg: to read it may never end, or have effects.

    They look like regular files. Those that all may read, such as /proc/cpuinfo, are like files.
    """
    status = os.stat(path)
    return (
        not status.st_size
        and not status.st_mode & stat.S_IROTH
        and os.path.realpath(path).startswith(("/proc/", "/sys/"))
        and status.st_dev in {os.stat(root).st_dev for root in ("/proc", "/sys") if os.path.ismount(root)}
    )


def special_file(path: str | Path) -> TableRuntimeException:
    """Returns the error for a pipe, a socket or a device: to open or read one may never end, and cannot be cancelled."""
    return TableRuntimeException(
        f"'{path}' is a pipe, a socket or a device. Tables are read from files.",
        hint="Remove it from the folder of the table, or copy its content to a file. Names that begin with '.' or '_' are skipped.",
    )
