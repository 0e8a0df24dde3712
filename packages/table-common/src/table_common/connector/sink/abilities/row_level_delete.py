"""A sink that deletes single rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum

from table_common.connector.source.abilities.row_level_modification_scan import RowLevelModificationScanContext
from table_common.frozen_dataclass import dataclass

__all__ = ["RowLevelDeleteMode", "SupportsRowLevelDelete"]


class RowLevelDeleteMode(Enum):
    """Which rows the sink is given."""

    DELETED_ROWS = "DELETED_ROWS"
    """The rows to delete, of kind DELETE: the batches hold the column of row kinds, and ``SinkContext.has_row_kinds`` says so."""

    REMAINING_ROWS = "REMAINING_ROWS"
    """All rows that stay, as insertions: the sink replaces the table's content with them."""


class SupportsRowLevelDelete(ABC):
    """Takes ``DELETE FROM t WHERE …``: the planner reads the table and gives the sink the rows that are to go, or those that stay."""

    @dataclass(frozen=True, slots=True)
    class RowLevelDeleteInfo:
        """What the sink wants to be given."""

        required_columns: tuple[str, ...] | None = None
        """The columns of the rows, in this order: physical ones, or metadata columns of the table's definition. None: all physical columns."""

        row_level_delete_mode: RowLevelDeleteMode = RowLevelDeleteMode.DELETED_ROWS

    @abstractmethod
    def apply_row_level_delete(self, context: RowLevelModificationScanContext | None) -> RowLevelDeleteInfo:
        """Tells the sink that it takes part in a DELETE.

        Args:
            context: what the source of the table returned (``SupportsRowLevelModificationScan``), or None.
        """
