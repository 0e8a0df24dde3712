"""Monitors memory use on a separate thread, which also detects allocations within a single call of a kernel or Python function."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from table_common.exceptions import TableRuntimeException
from table_runtime.operators.memory_budget import MemoryBudget

__all__ = ["MemoryWatch"]

LOOK_SECONDS = 0.02
"""Seconds between two checks."""
GRACE_SECONDS = 1.0
"""Grace period in seconds for a job that starts when the process already exceeds its budget."""
LARGE_GROWTH = 64 << 20
"""Maximum growth in bytes during the grace period."""


class MemoryWatch:
    """Calls ``stop`` with the error when the budget is exceeded; ``end`` stops the thread."""

    def __init__(self, budget: MemoryBudget, stop: Callable[[TableRuntimeException], None]) -> None:
        self._budget = budget
        self._stop = stop
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="table-memory", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Ends the thread."""
        self._ended.set()

    def _run(self) -> None:
        budget = self._budget
        at_start, grace_ends = budget.used, time.monotonic() + GRACE_SECONDS
        while not self._ended.wait(LOOK_SECONDS):
            used = budget.used
            if used <= budget.limit or (used - at_start < LARGE_GROWTH and time.monotonic() < grace_ends):
                continue
            try:
                budget.check()
            except TableRuntimeException as error:
                self._stop(error)
                return
