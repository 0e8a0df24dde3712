"""The connector SPI (FLIP-95 on Arrow): sources, sinks, abilities, runtime providers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.connector.arrow_array import SupportsArrowArray
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

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.connector.arrow_array": ("SupportsArrowArray",),
        "table_common.connector.changelog_mode": ("ChangelogMode", "RowKind"),
        "table_common.connector.providers": (
            "ArrowScanProvider",
            "ArrowSinkProvider",
            "CommitMessage",
            "FileScanProvider",
            "FileSinkProvider",
            "InputSplit",
            "SinkCommitter",
            "SinkWriter",
            "WriterContext",
        ),
        "table_common.connector.sink": ("DynamicTableSink",),
        "table_common.connector.source": ("DynamicTableSource", "ScanTableSource"),
    },
)
