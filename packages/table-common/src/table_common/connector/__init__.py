"""The connector SPI (FLIP-95 on Arrow): sources, sinks, abilities, runtime providers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.connector.arrow_array import SupportsArrowArray
    from table_common.connector.changelog_mode import ChangelogMode
    from table_common.connector.commit_messages import message_from_json, message_to_json
    from table_common.connector.file_format import FileFormat, FileFormatWriter, FileReadContext
    from table_common.connector.file_sink_policies import PartitionCommit, RollingPolicy
    from table_common.connector.format import DecodedMessages, DecodingFormat, EncodingFormat, MessageDecoder, MessageEncoder
    from table_common.connector.in_process import InProcessData, InProcessScanProvider
    from table_common.connector.providers import (
        ArrowScanProvider,
        ArrowSinkProvider,
        CommitContext,
        CommitMessage,
        DeliveryGuarantee,
        FileScanProvider,
        FileSinkProvider,
        InputSplit,
        SinkCommitter,
        SinkWriter,
        WriterContext,
    )
    from table_common.connector.row_providers import InputFormat, InputFormatProvider, SourceFunction, SourceFunctionProvider
    from table_common.connector.sink import DynamicTableSink
    from table_common.connector.source import DynamicTableSource, ScanTableSource
    from table_common.connector.source.lookup import LookupTableSource
    from table_common.connector.source.lookup_cache import DefaultLookupCache, LookupCache
    from table_common.connector.source.lookup_function import AsyncLookupFunction, LookupFunction
    from table_common.connector.source.lookup_options import LookupOptions
    from table_common.connector.source.lookup_providers import (
        AsyncLookupFunctionProvider,
        FullCachingLookupProvider,
        LookupFunctionProvider,
        PartialCachingAsyncLookupProvider,
        PartialCachingLookupProvider,
    )
    from table_common.connector.source.lookup_reload import CacheReloadTrigger, PeriodicCacheReloadTrigger, TimedCacheReloadTrigger
    from table_common.connector.source_provider import Offset, ReadLimit, SourceProvider, SourceReader, SourceSplit
    from table_common.data.row_kind import RowKind

__all__ = [
    "ArrowScanProvider",
    "ArrowSinkProvider",
    "AsyncLookupFunction",
    "AsyncLookupFunctionProvider",
    "CacheReloadTrigger",
    "ChangelogMode",
    "CommitContext",
    "CommitMessage",
    "DecodedMessages",
    "DecodingFormat",
    "DefaultLookupCache",
    "DeliveryGuarantee",
    "DynamicTableSink",
    "DynamicTableSource",
    "EncodingFormat",
    "FileFormat",
    "FileFormatWriter",
    "FileReadContext",
    "FileScanProvider",
    "FileSinkProvider",
    "FullCachingLookupProvider",
    "InProcessData",
    "InProcessScanProvider",
    "InputFormat",
    "InputFormatProvider",
    "InputSplit",
    "LookupCache",
    "LookupFunction",
    "LookupFunctionProvider",
    "LookupOptions",
    "LookupTableSource",
    "MessageDecoder",
    "MessageEncoder",
    "Offset",
    "PartialCachingAsyncLookupProvider",
    "PartialCachingLookupProvider",
    "PartitionCommit",
    "PeriodicCacheReloadTrigger",
    "ReadLimit",
    "RollingPolicy",
    "RowKind",
    "ScanTableSource",
    "SinkCommitter",
    "SinkWriter",
    "SourceFunction",
    "SourceFunctionProvider",
    "SourceProvider",
    "SourceReader",
    "SourceSplit",
    "SupportsArrowArray",
    "TimedCacheReloadTrigger",
    "WriterContext",
    "message_from_json",
    "message_to_json",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.connector.arrow_array": ("SupportsArrowArray",),
        "table_common.connector.changelog_mode": ("ChangelogMode",),
        "table_common.data.row_kind": ("RowKind",),
        "table_common.connector.commit_messages": ("message_from_json", "message_to_json"),
        "table_common.connector.file_format": ("FileFormat", "FileFormatWriter", "FileReadContext"),
        "table_common.connector.file_sink_policies": ("PartitionCommit", "RollingPolicy"),
        "table_common.connector.format": ("DecodedMessages", "DecodingFormat", "EncodingFormat", "MessageDecoder", "MessageEncoder"),
        "table_common.connector.in_process": ("InProcessData", "InProcessScanProvider"),
        "table_common.connector.providers": (
            "ArrowScanProvider",
            "ArrowSinkProvider",
            "CommitContext",
            "CommitMessage",
            "DeliveryGuarantee",
            "FileScanProvider",
            "FileSinkProvider",
            "InputSplit",
            "SinkCommitter",
            "SinkWriter",
            "WriterContext",
        ),
        "table_common.connector.row_providers": (
            "InputFormat",
            "InputFormatProvider",
            "SourceFunction",
            "SourceFunctionProvider",
        ),
        "table_common.connector.sink": ("DynamicTableSink",),
        "table_common.connector.source": ("DynamicTableSource", "ScanTableSource"),
        "table_common.connector.source.lookup": ("LookupTableSource",),
        "table_common.connector.source.lookup_cache": (
            "DefaultLookupCache",
            "LookupCache",
        ),
        "table_common.connector.source.lookup_function": (
            "AsyncLookupFunction",
            "LookupFunction",
        ),
        "table_common.connector.source.lookup_options": ("LookupOptions",),
        "table_common.connector.source.lookup_providers": (
            "AsyncLookupFunctionProvider",
            "FullCachingLookupProvider",
            "LookupFunctionProvider",
            "PartialCachingAsyncLookupProvider",
            "PartialCachingLookupProvider",
        ),
        "table_common.connector.source.lookup_reload": (
            "CacheReloadTrigger",
            "PeriodicCacheReloadTrigger",
            "TimedCacheReloadTrigger",
        ),
        "table_common.connector.source_provider": ("Offset", "ReadLimit", "SourceProvider", "SourceReader", "SourceSplit"),
    },
)
