"""Streaming: changelogs, keyed state, and the operators that keep it. Imported by streaming plans alone.

The names here are what an engine needs that runs the graph of a plan in its own way.
"""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    table_runtime.sources.watermark_progress: NO_WATERMARK
    .changes.batch: ChangeBatch
    .checkpoints.failure_points: reached
    .checkpoints.file_store: open_store
    .checkpoints.job_folder: sweep_states
    .checkpoints.manifest: SinkMessages
    .checkpoints.state_compatibility: Verdict
    .checkpoints.state_files: StateFile read_state write_state
    .graph.describe: describe_graph
    .graph.graph: Edge Graph Source
    .graph.nodes_above: need_no_rows nodes_above
    .graph.statement_set: OutputRows graph_of has_unbounded_output sinks_of
    .job.attempts: Attempt AttemptDriver Attempts
    .job.checkpoint_store: Checkpoint
    .job.epoch: Epoch
    .job.job_layout: JobLayout layout_of
    .job.job_requests: JobRequests RequestingClient
    .job.options: Checkpointing
    .job.recovery: RestorePoint
    .job.restarts: Restarts is_failure_of_system
    .job.sink_epochs: SinkEpochs
    .job.source_metrics: SourceMetrics
    .operators.bounded_process_table: MergedRows divided_by_table process_bounded
    .operators.operator_metrics: Loss OperatorMetrics
    .operators.process_table_spec: ProcessSpec TableColumns process_spec
    .share_epochs.bounded_sources: SourceRows SourceSplits
    .share_epochs.epoch_loop: InsertEpochLoop QueryEpochLoop
    .share_epochs.epoch_progress: EpochProgress
    .share_epochs.epoch_source: EpochSource Reads RowSender
    .share_epochs.job_spec: JobSpec levels_of
    .share_epochs.metrics: StreamMetrics
    .share_epochs.reader_cache: ReadSplits SplitRows
    .share_epochs.restore: restored
    .share_epochs.shares_driver: SharesDriver
    .share_epochs.source_offsets: SourceOffsets
    .share_epochs.task_engine: SplitReads TaskEngine
    .shares.cut: Levels OutputKey cut output_keys
    .shares.describe_levels: describe_levels
    .shares.mapped_state: MapFolder
    .shares.net_changes: merged_changes
    .shares.notes: Note differing_attempts
    .shares.share_task: ShareTask
    .shares.shared_job: SharedJob SharedJobState
    .shares.source_task: SourceTask SplitPlan
    .shares.task_output: WriterFactory
    .shares.wire: Cell Kind OUTPUT changes_of
    .state.snapshots: BUCKETS
    .time.clock: processing_time
    .time.watermarks: END_OF_TIME
    """,
)
