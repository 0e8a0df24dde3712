"""Monitors memory use on a separate thread, which also detects allocations within a single call of a kernel or Python function."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from table_common.exceptions import TableRuntimeException
from table_runtime.run.memory.budget import MemoryBudget

LOOK_SECONDS = 0.01
"""Seconds between two checks near the limit."""
LONGEST_SECONDS = 0.1
"""Seconds between two checks far from the limit."""
FASTEST_GROWTH = 8 << 30
"""Bytes per second by which memory grows at most: the next check is due before the limit can be reached."""
GRACE_SECONDS = 1.0
"""Grace period in seconds for a job that starts when the process already exceeds its budget."""
LARGE_GROWTH = 64 << 20
"""Maximum growth in bytes during the grace period."""


class MemoryWatch:
    """Calls ``stop`` with the error when the budget is exceeded; ``end`` stops the thread. ``at_start`` bytes were in use when the job started."""

    def __init__(self, budget: MemoryBudget, at_start: int, stop: Callable[[TableRuntimeException], None]) -> None:
        self._budget = budget
        self._at_start = at_start
        self._stop = stop
        self._grace_ends = time.monotonic() + (GRACE_SECONDS if at_start > budget.limit else 0)
        self._next_look = 0.0
        self._seconds = LOOK_SECONDS
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="table-memory", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Ends the thread."""
        self._ended.set()

    def look(self) -> None:
        """Checks the budget if the last check was some time ago. Computing threads call it too, because this thread may wait for its turn."""
        now = time.monotonic()
        if now < self._next_look or self._ended.is_set():
            return
        self._next_look = now + LOOK_SECONDS
        used = self._budget.used
        self._seconds = min(max((self._budget.limit - used) / FASTEST_GROWTH, LOOK_SECONDS), LONGEST_SECONDS)
        if used <= self._budget.limit + self._budget.margin or (used - self._at_start < LARGE_GROWTH and now < self._grace_ends):
            return
        try:
            self._budget.check()
        except TableRuntimeException as error:
            self._ended.set()
            self._stop(error)

    def _run(self) -> None:
        while not self._ended.wait(self._seconds):
            self.look()
