"""Abilities of table sources. A class that declares an ability must implement it fully."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .aggregate_push_down: SupportsAggregatePushDown
    .computed_column_push_down: SupportsComputedColumnPushDown
    .dynamic_filtering: SupportsDynamicFiltering
    .filter_push_down: SupportsFilterPushDown
    .limit_push_down: SupportsLimitPushDown
    .ordered_limit_push_down: SupportsOrderedLimitPushDown
    .partition_push_down: PartitionValue SupportsPartitionPushDown
    .projection_push_down: SupportsProjectionPushDown
    .reading_metadata: SupportsReadingMetadata
    .row_level_modification_scan: RowLevelModificationScanContext RowLevelModificationType SupportsRowLevelModificationScan
    .source_watermark: SupportsSourceWatermark
    .statistic_report: SupportsStatisticReport
    .watermark_push_down: SupportsWatermarkPushDown
    """,
)
