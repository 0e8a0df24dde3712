"""Scans of tables in batch and streaming mode, and the runtime filters that reach them."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .scan_offsets: ScanOffsets
    .scan_splits: ScanSplits divide_scan
    """,
)
