"""A sink that can replace what a table or its partitions hold."""

from __future__ import annotations

from abc import ABC, abstractmethod

__all__ = ["SupportsOverwrite"]


class SupportsOverwrite(ABC):
    """Takes INSERT OVERWRITE."""

    @abstractmethod
    def apply_overwrite(self, overwrite: bool) -> None:
        """Tells the sink whether existing data is replaced."""
