"""Adapters from row sources to batch sources, which both engines read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.sources.arrow_scans import as_arrow_scan
    from table_runtime.sources.event_time import computed_column_converter, watermark_assigner

__all__ = ["as_arrow_scan", "computed_column_converter", "watermark_assigner"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.sources.arrow_scans": ("as_arrow_scan",),
        "table_runtime.sources.event_time": ("computed_column_converter", "watermark_assigner"),
    },
)
