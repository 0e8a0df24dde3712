"""The limits that the control groups of Linux, of version 1 and 2, put on the process."""

from __future__ import annotations

import os
from collections.abc import Iterator


def group_files(controller: str, root: str) -> Iterator[tuple[str, bool]]:
    """Yields the folders of the process's control group and of those around it, innermost first, and whether each is of version 2.

    ``controller`` is that of version 1, ``memory`` or ``cpu``; under ``root`` is the file system.
    """
    for line in (text_of(os.path.join(root, "proc/self/cgroup")) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            folder = "sys/fs/cgroup"
        elif controller in controllers.split(","):
            folder = f"sys/fs/cgroup/{controller}"
        else:
            continue
        # In a container the path may be the host's and not exist here: the group is then at the root.
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for depth in range(len(parts), -1, -1):
            yield os.path.join(root, folder, *parts[:depth]), controllers == ""


def text_of(path: str) -> str | None:
    """Returns the text of a file; None if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None
