"""A sink that writes partitions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping


class SupportsPartitioning(ABC):
    """Takes ``INSERT INTO t PARTITION (key = value)``.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsPartitioning``.

    Example:
        >>> class Files(SupportsPartitioning):
        ...     def apply_static_partition(self, partition):
        ...         self.static_partition = dict(partition)
        >>> sink = Files()
        >>> sink.apply_static_partition({"day": "2026-01-01"})
        >>> sink.static_partition
        {'day': '2026-01-01'}
    """

    @abstractmethod
    def apply_static_partition(self, partition: Mapping[str, str]) -> None:
        """Passes the constant partition values as text; empty: all partition values come from the rows."""
