"""A sink that can replace the data of a table or of its partitions."""

from __future__ import annotations

from abc import ABC, abstractmethod


class SupportsOverwrite(ABC):
    """Takes INSERT OVERWRITE.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsOverwrite``.

    Example:
        >>> class Files(SupportsOverwrite):
        ...     overwrite = False
        ...     def apply_overwrite(self, overwrite):
        ...         self.overwrite = overwrite
        >>> sink = Files()
        >>> sink.apply_overwrite(True)
        >>> sink.overwrite
        True
    """

    @abstractmethod
    def apply_overwrite(self, overwrite: bool) -> None:
        """Tells the sink whether the INSERT replaces existing data."""
