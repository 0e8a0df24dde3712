"""A source that stops after a number of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod


class SupportsLimitPushDown(ABC):
    """Accepts a limit. The source may produce more rows, since the planner also applies the limit above the scan.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown``.

    Example:
        >>> class Pages(SupportsLimitPushDown):
        ...     def apply_limit(self, limit):
        ...         self.limit = limit
    """

    @abstractmethod
    def apply_limit(self, limit: int) -> None:
        """Tells the source that ``limit`` rows, counted after its accepted filters, are enough."""
