"""The processors of the process: those that it may run on, or what the quota of its control groups allows if that is less."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import cache

from table_common.configuration.control_groups import group_files, text_of


def available_processors(root: str = "/") -> int:
    """Returns how many threads the process can run at once, at least 1.

    Counts the processors of the process's affinity. A quota of its control groups (of version 1 or 2) limits them: one of 1.5 processors
    allows 2.

    Example:
        >>> available_processors() > 0
        True
    """
    return min(_allowed(), _quota(root))


def _allowed() -> int:
    try:
        return len(os.sched_getaffinity(0)) or 1
    except (AttributeError, OSError):  # not on every system
        return os.cpu_count() or 1


@cache
def _quota(root: str) -> int:
    """Returns the least quota in whole processors; the files are read once, not by each query."""
    return min((max(1, math.ceil(quota)) for quota in _quotas(root)), default=1 << 16)


def _quotas(root: str) -> Iterator[float]:
    for folder, is_second in group_files("cpu", root):
        if is_second:
            words = (text_of(os.path.join(folder, "cpu.max")) or "").split()
        else:
            names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
            words = [(text_of(os.path.join(folder, name)) or "").strip() for name in names]
        if len(words) == 2 and all(word.isdigit() and int(word) for word in words):
            yield int(words[0]) / int(words[1])
