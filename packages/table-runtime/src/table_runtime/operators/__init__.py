"""Physical operators: record batches in, record batches out."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .divided_scan: DividedScan divide_scan
    .execution: ExecutionContext
    .job_metrics: JobMetrics
    .keyed_aggregation: AggregationPlan
    .keys: KeyCodec
    .operator: Operator
    .scan_offsets: ScanOffsets
    .sink: write_to
    .staged_files: StagedFiles
    """,
)
