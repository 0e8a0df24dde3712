"""The connector SPI (FLIP-95 on Arrow): sources, sinks, abilities, runtime providers."""

from table_common.connector.changelog_mode import ChangelogMode, RowKind
from table_common.connector.providers import (
    ArrowScanProvider,
    ArrowSinkProvider,
    CommitMessage,
    FileScanProvider,
    FileSinkProvider,
    InputSplit,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.connector.sink import DynamicTableSink
from table_common.connector.source import DynamicTableSource, ScanTableSource

__all__ = [
    "ArrowScanProvider",
    "ArrowSinkProvider",
    "ChangelogMode",
    "CommitMessage",
    "DynamicTableSink",
    "DynamicTableSource",
    "FileScanProvider",
    "FileSinkProvider",
    "InputSplit",
    "RowKind",
    "ScanTableSource",
    "SinkCommitter",
    "SinkWriter",
    "SupportsArrowArray",
    "WriterContext",
]
