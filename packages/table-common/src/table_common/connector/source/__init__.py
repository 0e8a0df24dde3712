"""Table sources, their runtime providers, and what planners supply to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.connector.source.converters import ComputedColumnConverter
    from table_common.connector.source.dynamic import DynamicTableSource, ScanTableSource
    from table_common.connector.source.dynamic_filtering import DynamicFilteringData
    from table_common.connector.source.statistics import ColumnStats, TableStats
    from table_common.connector.source.watermarks import (
        PeriodicAssignerProvider,
        PunctuatedAssignerProvider,
        WatermarkAssigner,
        WatermarkAssignerProvider,
    )

__all__ = [
    "ColumnStats",
    "ComputedColumnConverter",
    "DynamicFilteringData",
    "DynamicTableSource",
    "PeriodicAssignerProvider",
    "PunctuatedAssignerProvider",
    "ScanTableSource",
    "TableStats",
    "WatermarkAssigner",
    "WatermarkAssignerProvider",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.connector.source.converters": ("ComputedColumnConverter",),
        "table_common.connector.source.dynamic": (
            "DynamicTableSource",
            "ScanTableSource",
        ),
        "table_common.connector.source.dynamic_filtering": ("DynamicFilteringData",),
        "table_common.connector.source.statistics": (
            "ColumnStats",
            "TableStats",
        ),
        "table_common.connector.source.watermarks": (
            "PeriodicAssignerProvider",
            "PunctuatedAssignerProvider",
            "WatermarkAssigner",
            "WatermarkAssignerProvider",
        ),
    },
)
