"""A sink that deletes single rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum

from table_common.connector.source.abilities.row_level_modification_scan import RowLevelModificationScanContext
from table_common.frozen_dataclass import dataclass


class RowLevelDeleteMode(Enum):
    """The rows that the sink receives.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsRowLevelDelete.RowLevelDeleteMode``.

    Example:
        >>> SupportsRowLevelDelete.RowLevelDeleteInfo().row_level_delete_mode
        <RowLevelDeleteMode.DELETED_ROWS: 'DELETED_ROWS'>
    """

    DELETED_ROWS = "DELETED_ROWS"
    """The rows to delete, of kind DELETE: the batches have the column of row kinds, and ``SinkContext.has_row_kinds`` is true."""

    REMAINING_ROWS = "REMAINING_ROWS"
    """The remaining rows, as insertions: the sink replaces the table's content with them."""


class SupportsRowLevelDelete(ABC):
    """Takes ``DELETE FROM t WHERE …``: the planner scans the table and sends the sink the deleted rows, or the remaining ones.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsRowLevelDelete``.

    Example:
        >>> class ByKey(SupportsRowLevelDelete):
        ...     def apply_row_level_delete(self, context):
        ...         return SupportsRowLevelDelete.RowLevelDeleteInfo(required_columns=("id",))
        >>> ByKey().apply_row_level_delete(None).required_columns
        ('id',)
    """

    @dataclass(frozen=True, slots=True)
    class RowLevelDeleteInfo:
        """The columns and rows that the sink requires."""

        required_columns: tuple[str, ...] | None = None
        """The columns of the rows, in this order: physical ones, or metadata columns of the table's definition. None: all physical columns."""

        row_level_delete_mode: RowLevelDeleteMode = RowLevelDeleteMode.DELETED_ROWS

    @abstractmethod
    def apply_row_level_delete(self, context: RowLevelModificationScanContext | None) -> RowLevelDeleteInfo:
        """Tells the sink that it takes part in a DELETE.

        Args:
            context: what the source of the table returned (``SupportsRowLevelModificationScan``), or None.
        """
