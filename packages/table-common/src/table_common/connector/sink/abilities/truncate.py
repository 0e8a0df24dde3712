"""A sink that empties its table."""

from __future__ import annotations

from abc import ABC, abstractmethod


class SupportsTruncate(ABC):
    """Executes TRUNCATE TABLE.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsTruncate``.

    Example:
        >>> rows = [1, 2]
        >>> class Memory(SupportsTruncate):
        ...     def execute_truncation(self):
        ...         rows.clear()
        >>> Memory().execute_truncation()
        >>> rows
        []
    """

    @abstractmethod
    def execute_truncation(self) -> None:
        """Removes all rows, in the process of the client; the table stays. May be called again after an error."""
