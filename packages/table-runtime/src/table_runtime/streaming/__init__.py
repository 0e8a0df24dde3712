"""Streaming: changelogs, keyed state, and the operators that keep it. Imported by streaming plans alone.

The names here are what an engine needs that runs the graph of a plan in its own way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.sources.watermark_progress import NO_WATERMARK
    from table_runtime.streaming.changes.batch import ChangeBatch
    from table_runtime.streaming.checkpoints.failure_points import reached
    from table_runtime.streaming.checkpoints.file_store import open_store
    from table_runtime.streaming.checkpoints.job_folder import sweep_states
    from table_runtime.streaming.checkpoints.manifest import SinkMessages
    from table_runtime.streaming.checkpoints.state_compatibility import Verdict
    from table_runtime.streaming.checkpoints.state_files import StateFile, read_state, write_state
    from table_runtime.streaming.graph.describe import describe_graph
    from table_runtime.streaming.graph.graph import Edge, Graph, Source
    from table_runtime.streaming.graph.nodes_above import need_no_rows, nodes_above
    from table_runtime.streaming.graph.statement_set import OutputRows, graph_of, has_unbounded_output, sinks_of
    from table_runtime.streaming.job.attempts import Attempt, AttemptDriver, Attempts
    from table_runtime.streaming.job.checkpoint_store import Checkpoint
    from table_runtime.streaming.job.epoch import Epoch
    from table_runtime.streaming.job.job_layout import JobLayout, layout_of
    from table_runtime.streaming.job.job_requests import JobRequests, TakesRequests
    from table_runtime.streaming.job.options import Checkpointing
    from table_runtime.streaming.job.recovery import RestorePoint
    from table_runtime.streaming.job.restarts import Restarts, is_failure_of_system
    from table_runtime.streaming.job.sink_epochs import SinkEpochs
    from table_runtime.streaming.job.source_metrics import SourceMetrics
    from table_runtime.streaming.operators.operator_metrics import Loss, OperatorMetrics
    from table_runtime.streaming.shares.cut import Levels, OutputKey, cut, output_keys
    from table_runtime.streaming.shares.describe_levels import describe_levels
    from table_runtime.streaming.shares.epochs import EpochState, SharedJob
    from table_runtime.streaming.shares.leaving import WriterFactory
    from table_runtime.streaming.shares.mapped_state import MapFolder
    from table_runtime.streaming.shares.net_changes import merged_changes
    from table_runtime.streaming.shares.notes import Note, differing_attempts
    from table_runtime.streaming.shares.share_task import ShareTask
    from table_runtime.streaming.shares.source_task import SourceTask, SplitPlan
    from table_runtime.streaming.shares.wire import OUTPUT, Cell, Kind, changes_of
    from table_runtime.streaming.state.snapshots import BUCKETS
    from table_runtime.streaming.time.clock import processing_time
    from table_runtime.streaming.time.watermarks import END_OF_TIME

__all__ = [
    "BUCKETS",
    "END_OF_TIME",
    "NO_WATERMARK",
    "OUTPUT",
    "Attempt",
    "AttemptDriver",
    "Attempts",
    "Cell",
    "ChangeBatch",
    "Checkpoint",
    "Checkpointing",
    "Edge",
    "Epoch",
    "EpochState",
    "Graph",
    "JobLayout",
    "JobRequests",
    "Kind",
    "Levels",
    "Loss",
    "MapFolder",
    "Note",
    "OperatorMetrics",
    "OutputKey",
    "OutputRows",
    "Restarts",
    "RestorePoint",
    "ShareTask",
    "SharedJob",
    "SinkEpochs",
    "SinkMessages",
    "Source",
    "SourceMetrics",
    "SourceTask",
    "SplitPlan",
    "StateFile",
    "TakesRequests",
    "Verdict",
    "WriterFactory",
    "changes_of",
    "cut",
    "describe_graph",
    "describe_levels",
    "differing_attempts",
    "graph_of",
    "has_unbounded_output",
    "is_failure_of_system",
    "layout_of",
    "merged_changes",
    "need_no_rows",
    "nodes_above",
    "open_store",
    "output_keys",
    "processing_time",
    "reached",
    "read_state",
    "sinks_of",
    "sweep_states",
    "write_state",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.sources.watermark_progress": ("NO_WATERMARK",),
        "table_runtime.streaming.changes.batch": ("ChangeBatch",),
        "table_runtime.streaming.checkpoints.failure_points": ("reached",),
        "table_runtime.streaming.checkpoints.file_store": ("open_store",),
        "table_runtime.streaming.checkpoints.job_folder": ("sweep_states",),
        "table_runtime.streaming.checkpoints.manifest": ("SinkMessages",),
        "table_runtime.streaming.checkpoints.state_compatibility": ("Verdict",),
        "table_runtime.streaming.checkpoints.state_files": (
            "StateFile",
            "read_state",
            "write_state",
        ),
        "table_runtime.streaming.graph.describe": ("describe_graph",),
        "table_runtime.streaming.graph.graph": (
            "Edge",
            "Graph",
            "Source",
        ),
        "table_runtime.streaming.graph.nodes_above": (
            "need_no_rows",
            "nodes_above",
        ),
        "table_runtime.streaming.graph.statement_set": (
            "OutputRows",
            "graph_of",
            "has_unbounded_output",
            "sinks_of",
        ),
        "table_runtime.streaming.job.attempts": (
            "Attempt",
            "AttemptDriver",
            "Attempts",
        ),
        "table_runtime.streaming.job.checkpoint_store": ("Checkpoint",),
        "table_runtime.streaming.job.epoch": ("Epoch",),
        "table_runtime.streaming.job.job_layout": (
            "JobLayout",
            "layout_of",
        ),
        "table_runtime.streaming.job.job_requests": (
            "JobRequests",
            "TakesRequests",
        ),
        "table_runtime.streaming.job.options": ("Checkpointing",),
        "table_runtime.streaming.job.recovery": ("RestorePoint",),
        "table_runtime.streaming.job.restarts": (
            "Restarts",
            "is_failure_of_system",
        ),
        "table_runtime.streaming.job.sink_epochs": ("SinkEpochs",),
        "table_runtime.streaming.job.source_metrics": ("SourceMetrics",),
        "table_runtime.streaming.operators.operator_metrics": (
            "Loss",
            "OperatorMetrics",
        ),
        "table_runtime.streaming.shares.cut": (
            "Levels",
            "OutputKey",
            "cut",
            "output_keys",
        ),
        "table_runtime.streaming.shares.describe_levels": ("describe_levels",),
        "table_runtime.streaming.shares.epochs": (
            "EpochState",
            "SharedJob",
        ),
        "table_runtime.streaming.shares.leaving": ("WriterFactory",),
        "table_runtime.streaming.shares.mapped_state": ("MapFolder",),
        "table_runtime.streaming.shares.net_changes": ("merged_changes",),
        "table_runtime.streaming.shares.notes": (
            "Note",
            "differing_attempts",
        ),
        "table_runtime.streaming.shares.share_task": ("ShareTask",),
        "table_runtime.streaming.shares.source_task": (
            "SourceTask",
            "SplitPlan",
        ),
        "table_runtime.streaming.shares.wire": (
            "Cell",
            "Kind",
            "OUTPUT",
            "changes_of",
        ),
        "table_runtime.streaming.state.snapshots": ("BUCKETS",),
        "table_runtime.streaming.time.clock": ("processing_time",),
        "table_runtime.streaming.time.watermarks": ("END_OF_TIME",),
    },
)
