"""Memory budget of a job: operators that buffer rows check it, so that the job fails before the operating system kills the process."""

from __future__ import annotations

import os

import pyarrow as pa

from table_common.exceptions import TableRuntimeException

LARGEST_MARGIN = 192 << 20
"""Maximum bytes above the limit."""
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


class MemoryBudget:
    """Limit in bytes for all data of the process: Arrow buffers and Python objects."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.margin = 0
        """Bytes above the limit that do not end the job."""

    def allow_margin(self, available: int) -> None:
        """Allows for memory that operators cannot count: fragments that the allocator keeps, and batches between operators.

        ``available`` is the number of bytes that the process may have at all; a tenth of it stays free.
        """
        self.margin = max(0, min(self.limit // 2, LARGEST_MARGIN, available - available // 10 - self.limit))

    @property
    def used(self) -> int:
        """The number of bytes in use."""
        return memory_in_use()

    def check(self, needed: int = 0, operator: str = "") -> None:
        """Raises ``TableRuntimeException`` if the memory in use plus the ``needed`` bytes of an operator exceeds the budget."""
        most = self.limit + self.margin
        if self.used + needed <= most:
            return
        pa.default_memory_pool().release_unused()  # Arrow caches freed memory
        used = self.used
        if used + needed > most:
            more = f" and {size_text(needed)} more are needed{f' by {operator}' if operator else ''}" if needed else ""
            raise TableRuntimeException(
                f"The job needs more memory than it may use: {size_text(used)} are in use{more}, of {size_text(self.limit)}.",
                hint="Process less data, increase 'table.exec.memory', or use the planner 'spark', which spills to disk.",
            )


def memory_in_use() -> int:
    """Returns the number of bytes that the process uses: its resident memory, or what Arrow has allocated if that is more."""
    allocated: int = pa.total_allocated_bytes()
    return max(allocated, _resident())


def _resident() -> int:
    """Returns the resident, not file-backed memory of the process in bytes; 0 where the system does not report it."""
    try:
        # Each query asks; the file object would take most of the time.
        file = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            _, resident, shared, *_ = map(int, os.read(file, 256).split())
        finally:
            os.close(file)
    except (OSError, ValueError):
        return 0
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")


def size_text(size: int) -> str:
    """Returns a number of bytes for people, such as "48.0 MB"."""
    amount, unit = float(size), 0
    while amount >= 1024 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:.{1 if unit else 0}f} {_UNITS[unit]}"
