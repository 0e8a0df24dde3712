"""The connector SPI (FLIP-95 on Arrow): sources, sinks, abilities, runtime providers."""

from table_common.connector.changelog_mode import ChangelogMode, RowKind
from table_common.connector.providers import ArrowScanProvider, FileScanProvider, FileSinkProvider, InputSplit, SupportsArrowArray
from table_common.connector.sink import DynamicTableSink
from table_common.connector.source import DynamicTableSource, ScanTableSource

__all__ = [
    "ArrowScanProvider",
    "ChangelogMode",
    "DynamicTableSink",
    "DynamicTableSource",
    "FileScanProvider",
    "FileSinkProvider",
    "InputSplit",
    "RowKind",
    "ScanTableSource",
    "SupportsArrowArray",
]
