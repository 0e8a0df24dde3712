"""Abilities of table sinks. A class that declares an ability must implement it fully."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .bucketing: SupportsBucketing
    .delete_push_down: SupportsDeletePushDown
    .overwrite: SupportsOverwrite
    .partitioning: SupportsPartitioning
    .row_level_delete: RowLevelDeleteMode SupportsRowLevelDelete
    .row_level_update: RowLevelUpdateMode SupportsRowLevelUpdate
    .staging: StagedTable StagingPurpose SupportsStaging
    .target_column_writing: SupportsTargetColumnWriting
    .truncate: SupportsTruncate
    .writing_metadata: SupportsWritingMetadata
    """,
)
