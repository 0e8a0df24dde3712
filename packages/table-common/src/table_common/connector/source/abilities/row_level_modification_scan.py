"""A source that is read for a DELETE or UPDATE of the same table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum

__all__ = ["RowLevelModificationScanContext", "RowLevelModificationType", "SupportsRowLevelModificationScan"]


class RowLevelModificationType(Enum):
    """What the rows are read for."""

    UPDATE = "UPDATE"
    DELETE = "DELETE"


class RowLevelModificationScanContext(ABC):  # noqa: B024  # a marker: only the connector knows what is in it
    """What a source tells the sink of the same table, such as the snapshot that it reads."""


class SupportsRowLevelModificationScan(ABC):
    """Is told that its rows will be modified."""

    @abstractmethod
    def apply_row_level_modification_scan(
        self,
        row_level_modification_type: RowLevelModificationType,
        previous_context: RowLevelModificationScanContext | None,
    ) -> RowLevelModificationScanContext | None:
        """Returns what the sink's ``apply_row_level_delete`` or ``apply_row_level_update`` is given.

        Args:
            row_level_modification_type: the statement.
            previous_context: what another scan of the same table in this statement returned.
        """
