"""The connector SPI (FLIP-95 on Arrow): sources, sinks, abilities, runtime providers."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .arrow_array: SupportsArrowArray
    .changelog_mode: ChangelogMode
    .commit_messages: message_from_json message_to_json
    .file_format: FileFormat FileFormatWriter FileReadContext
    .file_sink_policies: PartitionCommit RollingPolicy
    .format: DecodedMessages DecodingFormat EncodingFormat MessageDecoder MessageEncoder
    .in_process: InProcessData InProcessScanProvider
    .model: AsyncPredictFunction AsyncPredictRuntimeProvider AsyncPredictTableFunction ModelProvider PredictCall PredictFunction
        PredictRuntimeProvider PredictTableFunction Predictions
    .providers: ArrowScanProvider ArrowSinkProvider CommitContext CommitMessage DeliveryGuarantee FileScanProvider FileSinkProvider
        InputSplit SinkCommitter SinkWriter WriterContext
    .row_providers: InputFormat InputFormatProvider SourceFunction SourceFunctionProvider
    .sink: DynamicTableSink
    .source: DynamicTableSource ScanTableSource
    .source.lookup: LookupTableSource
    .source.lookup_cache: DefaultLookupCache LookupCache
    .source.lookup_function: AsyncLookupFunction LookupFunction
    .source.lookup_options: LookupOptions
    .source.lookup_providers: AsyncLookupFunctionProvider FullCachingLookupProvider LookupFunctionProvider PartialCachingAsyncLookupProvider
        PartialCachingLookupProvider
    .source.lookup_reload: CacheReloadTrigger PeriodicCacheReloadTrigger TimedCacheReloadTrigger
    .source.lookup_settings: LookupSettings
    .source.vector_search: AsyncSearchRuntimeProvider AsyncVectorSearchFunction AsyncVectorSearchFunctionProvider SearchRuntimeProvider
        VectorSearchCall VectorSearchFunction VectorSearchFunctionProvider VectorSearchTableSource
    .source_provider: Offset ReadLimit SourceProvider SourceReader SourceSplit
    table_common.data.row_kind: RowKind
    """,
)
