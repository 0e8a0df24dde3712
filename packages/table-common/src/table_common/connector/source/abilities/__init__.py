"""Abilities of table sources. A class that declares an ability must implement it fully."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.connector.source.abilities.aggregate_push_down import SupportsAggregatePushDown
    from table_common.connector.source.abilities.computed_column_push_down import SupportsComputedColumnPushDown
    from table_common.connector.source.abilities.dynamic_filtering import SupportsDynamicFiltering
    from table_common.connector.source.abilities.filter_push_down import SupportsFilterPushDown
    from table_common.connector.source.abilities.limit_push_down import SupportsLimitPushDown
    from table_common.connector.source.abilities.ordered_limit_push_down import SupportsOrderedLimitPushDown
    from table_common.connector.source.abilities.partition_push_down import PartitionValue, SupportsPartitionPushDown
    from table_common.connector.source.abilities.projection_push_down import SupportsProjectionPushDown
    from table_common.connector.source.abilities.reading_metadata import SupportsReadingMetadata
    from table_common.connector.source.abilities.row_level_modification_scan import (
        RowLevelModificationScanContext,
        RowLevelModificationType,
        SupportsRowLevelModificationScan,
    )
    from table_common.connector.source.abilities.source_watermark import SupportsSourceWatermark
    from table_common.connector.source.abilities.statistic_report import SupportsStatisticReport
    from table_common.connector.source.abilities.watermark_push_down import SupportsWatermarkPushDown

__all__ = [
    "PartitionValue",
    "RowLevelModificationScanContext",
    "RowLevelModificationType",
    "SupportsAggregatePushDown",
    "SupportsComputedColumnPushDown",
    "SupportsDynamicFiltering",
    "SupportsFilterPushDown",
    "SupportsLimitPushDown",
    "SupportsOrderedLimitPushDown",
    "SupportsPartitionPushDown",
    "SupportsProjectionPushDown",
    "SupportsReadingMetadata",
    "SupportsRowLevelModificationScan",
    "SupportsSourceWatermark",
    "SupportsStatisticReport",
    "SupportsWatermarkPushDown",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.connector.source.abilities.aggregate_push_down": ("SupportsAggregatePushDown",),
        "table_common.connector.source.abilities.computed_column_push_down": ("SupportsComputedColumnPushDown",),
        "table_common.connector.source.abilities.dynamic_filtering": ("SupportsDynamicFiltering",),
        "table_common.connector.source.abilities.filter_push_down": ("SupportsFilterPushDown",),
        "table_common.connector.source.abilities.limit_push_down": ("SupportsLimitPushDown",),
        "table_common.connector.source.abilities.ordered_limit_push_down": ("SupportsOrderedLimitPushDown",),
        "table_common.connector.source.abilities.partition_push_down": ("PartitionValue", "SupportsPartitionPushDown"),
        "table_common.connector.source.abilities.projection_push_down": ("SupportsProjectionPushDown",),
        "table_common.connector.source.abilities.reading_metadata": ("SupportsReadingMetadata",),
        "table_common.connector.source.abilities.row_level_modification_scan": (
            "RowLevelModificationScanContext",
            "RowLevelModificationType",
            "SupportsRowLevelModificationScan",
        ),
        "table_common.connector.source.abilities.source_watermark": ("SupportsSourceWatermark",),
        "table_common.connector.source.abilities.statistic_report": ("SupportsStatisticReport",),
        "table_common.connector.source.abilities.watermark_push_down": ("SupportsWatermarkPushDown",),
    },
)
