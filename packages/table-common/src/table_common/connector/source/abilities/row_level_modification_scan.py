"""A source that is scanned for a DELETE or UPDATE of the same table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum


class RowLevelModificationType(Enum):
    """The statement that scans the source.

    Example:
        >>> RowLevelModificationType("DELETE")
        <RowLevelModificationType.DELETE: 'DELETE'>

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsRowLevelModificationScan.RowLevelModificationType``.
    """

    UPDATE = "UPDATE"
    DELETE = "DELETE"


class RowLevelModificationScanContext(ABC):  # noqa: B024  # a marker: only the connector knows what is in it
    """Information from a source to the sink of the same table, such as the snapshot that it reads.

    Source: Flink's ``org.apache.flink.table.connector.RowLevelModificationScanContext``.

    Example:
        >>> class Snapshot(RowLevelModificationScanContext):
        ...     def __init__(self, version):
        ...         self.version = version
        >>> Snapshot(7).version
        7
    """


class SupportsRowLevelModificationScan(ABC):
    """Learns that the statement modifies the scanned rows.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsRowLevelModificationScan``.

    Example:
        >>> class Snapshot(RowLevelModificationScanContext):
        ...     version = 7
        >>> class Versioned(SupportsRowLevelModificationScan):
        ...     def apply_row_level_modification_scan(self, row_level_modification_type, previous_context):
        ...         return previous_context or Snapshot()
        >>> Versioned().apply_row_level_modification_scan(RowLevelModificationType.UPDATE, None).version
        7
    """

    @abstractmethod
    def apply_row_level_modification_scan(
        self,
        row_level_modification_type: RowLevelModificationType,
        previous_context: RowLevelModificationScanContext | None,
    ) -> RowLevelModificationScanContext | None:
        """Returns the context for the sink's ``apply_row_level_delete`` or ``apply_row_level_update``.

        Args:
            row_level_modification_type: the statement.
            previous_context: the context of another scan of the same table in this statement, or None.
        """
