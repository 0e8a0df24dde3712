"""The memory budget of jobs: a share of the memory of the process, which is that of the machine or, if smaller, of its control group."""

from __future__ import annotations

import os
from collections.abc import Iterator

from table_common.configuration.configuration import ReadableConfig
from table_common.configuration.session_options import ExecutionConfigOptions

_SHARE = 0.75
"""The rest is for the program itself, and for growth between two measurements."""
_UNKNOWN = 4 << 30


def memory_budget(configuration: ReadableConfig | None = None) -> int:
    """Returns the memory budget of jobs in bytes: the session's option, or three quarters of the memory of the process.

    Example:
        >>> from table_common.configuration import Configuration
        >>> memory_budget(Configuration({"table.exec.memory": "64 mb"}))
        67108864
    """
    given = None if configuration is None else configuration.get(ExecutionConfigOptions.TABLE_EXEC_MEMORY)
    return given if given is not None else int(available_memory() * _SHARE)


def available_memory(root: str = "/") -> int:
    """Returns how many bytes the process may have: those of the machine, or the least limit of its control groups (of version 1 or 2).

    Example:
        >>> available_memory() > 0
        True
    """
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        machine = _UNKNOWN
    return min([machine, *_group_limits(root)])


def _group_limits(root: str) -> Iterator[int]:
    """Yields the limits of the process's control group and of those around it; under ``root`` is the file system."""
    for line in (_text(os.path.join(root, "proc/self/cgroup")) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            folder, name = "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            folder, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        # In a container the path may be the host's and not exist here: the group is then at the root.
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for depth in range(len(parts), -1, -1):
            limit = (_text(os.path.join(root, folder, *parts[:depth], name)) or "").strip()
            if limit.isdigit() and int(limit) > 0:
                yield int(limit)


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None
