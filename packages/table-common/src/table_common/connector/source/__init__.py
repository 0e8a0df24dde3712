"""Table sources."""

from table_common.connector.source.dynamic import DynamicTableSource, ScanTableSource

__all__ = ["DynamicTableSource", "ScanTableSource"]
