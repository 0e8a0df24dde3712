"""Table sources, their runtime providers, and what planners supply to them."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .converters: ComputedColumnConverter
    .dynamic: DynamicTableSource ScanTableSource
    .dynamic_filtering: DynamicFilteringData
    .statistics: ColumnStats TableStats
    .watermarks: PeriodicAssignerProvider PunctuatedAssignerProvider WatermarkAssigner WatermarkAssignerProvider
    """,
)
