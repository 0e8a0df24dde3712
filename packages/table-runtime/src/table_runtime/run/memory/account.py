"""The shares of a run's memory budget: each operator that holds rows has an account, and spills when its share is used up."""

from __future__ import annotations

import threading

import pyarrow as pa

from table_runtime.run.memory.budget import MemoryBudget

PARTITIONS = 32
"""Partitions of spilled rows per level, a power of 2."""
DEEPEST = 5
"""Levels of partitions within partitions; keys that are not separated by then are processed by other means, or not at all."""
UNCOUNTED = 4 << 20
"""Bytes that an operator may hold without asking."""
FIXED: int | None = None
"""The share of every operator in bytes, whatever the budget; None outside of tests."""
WORKING = 4
"""Operators need this many times the bytes that they hold: copies, hash tables, results."""
LEAST_PART = 8
"""Every operator may hold this part of the memory for rows, also if others hold all of it."""
SCARCE = 0.75
"""Above this share of the budget in use, whatever uses it, operators hold no more than the least part."""
SCARCE_START = 32 << 20
"""With fewer bytes left at the start of the job, spilling cannot help."""


class MemoryShares:
    """What the operators of one run hold. ``at_start`` is the number of bytes in use when the run began."""

    def __init__(self, budget: MemoryBudget, at_start: int) -> None:
        self.budget = budget
        if at_start > budget.limit - SCARCE_START:
            pa.default_memory_pool().release_unused()  # Arrow caches what earlier jobs freed
            at_start = budget.used
        self.left_at_start = max(0, budget.limit - at_start)
        self._held: dict[int, int] = {}
        self._lock = threading.Lock()

    def hold(self, owner: Account, size: int) -> bool:
        """Records that ``owner`` holds ``size`` bytes; returns whether that is within its share."""
        room = self.left_at_start // WORKING
        least = max(room // LEAST_PART, UNCOUNTED) // owner.parts
        with self._lock:
            self._held[id(owner)] = size
            others = sum(self._held.values()) - size
        if size <= least:
            return True
        return size <= room - others and not self._is_scarce()

    def release(self, owner: Account) -> None:
        """Records that ``owner`` holds nothing."""
        with self._lock:
            self._held.pop(id(owner), None)

    def _is_scarce(self) -> bool:
        most = int(self.budget.limit * SCARCE)
        if self.budget.used <= most:
            return False
        pa.default_memory_pool().release_unused()
        return self.budget.used > most


class Account:
    """The bytes that one operator holds, or one of its ``parts``; a context manager, which releases them."""

    def __init__(self, shares: MemoryShares, name: str, parts: int = 1) -> None:
        self._shares = shares
        self.parts = parts
        self.name = name
        """The operator, for messages."""

    def hold(self, size: int) -> bool:
        """Records that the operator now holds ``size`` bytes; returns False if it must spill.

        Raises:
            TableRuntimeException: it must spill, but the process used its whole budget already when the job started.
        """
        if FIXED is not None:
            return size <= FIXED // self.parts
        if self._shares.hold(self, size):
            return True
        if self._shares.left_at_start < SCARCE_START:
            self._shares.budget.check(size, self.name)
        return False

    def release(self) -> None:
        """Records that the operator holds nothing."""
        self._shares.release(self)

    def require(self, size: int) -> None:
        """Raises ``TableRuntimeException`` with the operator's name if ``size`` more bytes would exceed the budget."""
        self._shares.budget.check(size, self.name)

    def __enter__(self) -> Account:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


def uncounted() -> int:
    """Returns the bytes that an operator may hold without asking its account."""
    return UNCOUNTED if FIXED is None else min(UNCOUNTED, FIXED)
