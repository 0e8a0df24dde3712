"""A sink that changes single rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum

from table_common.catalog import Column
from table_common.connector.source.abilities.row_level_modification_scan import RowLevelModificationScanContext
from table_common.frozen_dataclass import dataclass


class RowLevelUpdateMode(Enum):
    """The rows that the sink receives.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsRowLevelUpdate.RowLevelUpdateMode``.

    Example:
        >>> SupportsRowLevelUpdate.RowLevelUpdateInfo().row_level_update_mode
        <RowLevelUpdateMode.UPDATED_ROWS: 'UPDATED_ROWS'>
    """

    UPDATED_ROWS = "UPDATED_ROWS"
    """The changed rows, of kind UPDATE_AFTER: the batches have the column of row kinds, and ``SinkContext.has_row_kinds`` is true."""

    ALL_ROWS = "ALL_ROWS"
    """All rows, changed or not, as insertions: the sink replaces the table's content with them."""


class SupportsRowLevelUpdate(ABC):
    """Takes ``UPDATE t SET … WHERE …``: the planner scans the table and sends the sink the updated rows.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsRowLevelUpdate``.

    Example:
        >>> class Rewritten(SupportsRowLevelUpdate):
        ...     def apply_row_level_update(self, updated_columns, context):
        ...         return SupportsRowLevelUpdate.RowLevelUpdateInfo(row_level_update_mode=RowLevelUpdateMode.ALL_ROWS)
        >>> Rewritten().apply_row_level_update([], None).row_level_update_mode.name
        'ALL_ROWS'
    """

    @dataclass(frozen=True, slots=True)
    class RowLevelUpdateInfo:
        """The columns and rows that the sink requires."""

        required_columns: tuple[str, ...] | None = None
        """The columns of the rows, in this order: physical ones, or metadata columns of the table's definition. None: all physical columns."""

        row_level_update_mode: RowLevelUpdateMode = RowLevelUpdateMode.UPDATED_ROWS

    @abstractmethod
    def apply_row_level_update(
        self, updated_columns: Sequence[Column], context: RowLevelModificationScanContext | None
    ) -> RowLevelUpdateInfo:
        """Tells the sink that it takes part in an UPDATE.

        Args:
            updated_columns: the columns that SET names, in the order of the table.
            context: what the source of the table returned (``SupportsRowLevelModificationScan``), or None.
        """
