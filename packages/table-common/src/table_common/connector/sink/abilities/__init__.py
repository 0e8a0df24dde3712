"""Abilities of table sinks. A class that declares an ability must implement it fully."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.connector.sink.abilities.bucketing import SupportsBucketing
    from table_common.connector.sink.abilities.delete_push_down import SupportsDeletePushDown
    from table_common.connector.sink.abilities.overwrite import SupportsOverwrite
    from table_common.connector.sink.abilities.partitioning import SupportsPartitioning
    from table_common.connector.sink.abilities.row_level_delete import RowLevelDeleteMode, SupportsRowLevelDelete
    from table_common.connector.sink.abilities.row_level_update import RowLevelUpdateMode, SupportsRowLevelUpdate
    from table_common.connector.sink.abilities.staging import StagedTable, StagingPurpose, SupportsStaging
    from table_common.connector.sink.abilities.target_column_writing import SupportsTargetColumnWriting
    from table_common.connector.sink.abilities.truncate import SupportsTruncate
    from table_common.connector.sink.abilities.writing_metadata import SupportsWritingMetadata

__all__ = [
    "RowLevelDeleteMode",
    "RowLevelUpdateMode",
    "StagedTable",
    "StagingPurpose",
    "SupportsBucketing",
    "SupportsDeletePushDown",
    "SupportsOverwrite",
    "SupportsPartitioning",
    "SupportsRowLevelDelete",
    "SupportsRowLevelUpdate",
    "SupportsStaging",
    "SupportsTargetColumnWriting",
    "SupportsTruncate",
    "SupportsWritingMetadata",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.connector.sink.abilities.bucketing": ("SupportsBucketing",),
        "table_common.connector.sink.abilities.delete_push_down": ("SupportsDeletePushDown",),
        "table_common.connector.sink.abilities.overwrite": ("SupportsOverwrite",),
        "table_common.connector.sink.abilities.partitioning": ("SupportsPartitioning",),
        "table_common.connector.sink.abilities.row_level_delete": ("RowLevelDeleteMode", "SupportsRowLevelDelete"),
        "table_common.connector.sink.abilities.row_level_update": ("RowLevelUpdateMode", "SupportsRowLevelUpdate"),
        "table_common.connector.sink.abilities.staging": ("StagedTable", "StagingPurpose", "SupportsStaging"),
        "table_common.connector.sink.abilities.target_column_writing": ("SupportsTargetColumnWriting",),
        "table_common.connector.sink.abilities.truncate": ("SupportsTruncate",),
        "table_common.connector.sink.abilities.writing_metadata": ("SupportsWritingMetadata",),
    },
)
