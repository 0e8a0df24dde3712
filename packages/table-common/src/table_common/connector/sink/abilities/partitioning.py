"""A sink that writes partitions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

__all__ = ["SupportsPartitioning"]


class SupportsPartitioning(ABC):
    """Takes ``INSERT INTO t PARTITION (key = value)``.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsPartitioning``.
    """

    @abstractmethod
    def apply_static_partition(self, partition: Mapping[str, str]) -> None:
        """Gives the sink the constant partition values as text; empty means that all partitions come from the rows."""
