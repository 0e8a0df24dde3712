"""Counts the rows and values that were ignored because of format options, for a warning."""

from __future__ import annotations

import threading


class Ignored:
    """The number of dropped rows and of values read as NULL, and the first problem; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.rows = 0
        self.values = 0
        self.first: str | None = None

    def row(self, problem: str, count: int = 1) -> None:
        """Counts rows that were dropped."""
        with self._lock:
            self.rows += count
            self.first = self.first or problem

    def value(self, problem: str, count: int = 1) -> None:
        """Counts values that became NULL."""
        with self._lock:
            self.values += count
            self.first = self.first or problem

    @property
    def total(self) -> int:
        """The number of ignored rows and values."""
        return self.rows + self.values

    def __str__(self) -> str:
        counts = ((self.rows, "row", "dropped"), (self.values, "value", "read as NULL"))
        parts = [f"{count} {what}{'s' if count > 1 else ''} {how}" for count, what, how in counts if count]
        return ", ".join(parts) + (f"; the first: {self.first}" if self.first else "")
