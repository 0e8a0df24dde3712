"""The rows that a sink of row-level changes gets."""

from __future__ import annotations

from table_common.connector.sink.abilities import RowLevelDeleteMode, RowLevelUpdateMode, SupportsRowLevelDelete, SupportsRowLevelUpdate


def test_changes_of_rows_are_asked_for_by_default() -> None:
    assert SupportsRowLevelDelete.RowLevelDeleteInfo().row_level_delete_mode is RowLevelDeleteMode.DELETED_ROWS
    assert SupportsRowLevelUpdate.RowLevelUpdateInfo().row_level_update_mode is RowLevelUpdateMode.UPDATED_ROWS
