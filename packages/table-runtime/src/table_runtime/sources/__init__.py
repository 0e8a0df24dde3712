"""Adapters from row sources to batch sources, which both engines read."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .arrow_scans: as_arrow_scan
    .event_time: computed_column_converter watermark_assigner
    """,
)
