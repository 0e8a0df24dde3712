"""A sink that empties its table."""

from __future__ import annotations

from abc import ABC, abstractmethod

__all__ = ["SupportsTruncate"]


class SupportsTruncate(ABC):
    """Executes TRUNCATE TABLE.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsTruncate``.
    """

    @abstractmethod
    def execute_truncation(self) -> None:
        """Removes all rows, in the process of the client; the table stays. May be called again after an error."""
