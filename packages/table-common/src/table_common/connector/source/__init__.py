"""Table sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.connector.source.dynamic import DynamicTableSource, ScanTableSource

__all__ = ["DynamicTableSource", "ScanTableSource"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.connector.source.dynamic": ("DynamicTableSource", "ScanTableSource"),
    },
)
