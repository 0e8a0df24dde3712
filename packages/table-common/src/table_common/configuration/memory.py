"""The memory budget of jobs: a share of the memory of the process, which is that of the machine or, if smaller, of its control group."""

from __future__ import annotations

import os
from collections.abc import Iterator

from table_common.configuration.configuration import ReadableConfig
from table_common.configuration.control_groups import group_files, text_of
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
    for folder, is_second in group_files("memory", root):
        limit = (text_of(os.path.join(folder, "memory.max" if is_second else "memory.limit_in_bytes")) or "").strip()
        if limit.isdigit() and int(limit) > 0:
            yield int(limit)
