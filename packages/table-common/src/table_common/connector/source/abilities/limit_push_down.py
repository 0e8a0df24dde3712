"""A source that stops after a number of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod

__all__ = ["SupportsLimitPushDown"]


class SupportsLimitPushDown(ABC):
    """Takes the number of rows wanted; it may produce more, since the limit is also applied above."""

    @abstractmethod
    def apply_limit(self, limit: int) -> None:
        """Tells the source that ``limit`` rows, counted after its accepted filters, are enough."""
