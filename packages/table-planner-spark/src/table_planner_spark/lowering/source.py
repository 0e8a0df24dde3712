"""Lowers scans of tables and of DataFrames from the bridge."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SourceQueryOperation
from table_api_bridge import DataFrameQueryOperation, DataFrameScanProvider
from table_common.configuration import session_time_zone
from table_common.connector import RowKind, ScanTableSource, SourceProvider
from table_common.exceptions import TableException, TableInternalError
from table_planner_spark.context import LoweringContext, table_label
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.relation import SparkRelation
from table_planner_spark.scan.data_frame import rename
from table_planner_spark.scan.providers import read_provider, why_unsupported
from table_planner_spark.scan.stream_source import read_stream, why_not_as_stream


@lower.register(SourceQueryOperation)
def lower_source(node: SourceQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Reads the columns that the source produces, with everything that was pushed into it."""
    source = node.source
    table = table_label(node)
    if source is None:
        raise TableInternalError(f"T{table[1:]} reached the planner without its source.")
    if not isinstance(source, ScanTableSource):
        raise TableException(f"T{table[1:]} can only be looked up by key, not scanned.")
    changes = node.change_column is not None
    if not changes and not source.get_changelog_mode().contains_only(RowKind.INSERT):
        raise TableException(f"T{table[1:]} produces updates and deletions, which the planner 'spark' cannot read.")
    scan_context = ScanTableSource.ScanContext(
        is_bounded_required=not context.is_streaming, local_time_zone=session_time_zone(context.configuration)
    )
    provider = source.get_scan_runtime_provider(scan_context)
    is_unbounded = not provider.is_bounded and not isinstance(provider, DataFrameScanProvider)
    if is_unbounded and context.is_unbounded(node):
        reason = why_not_as_stream(provider)
        if reason is not None:
            raise TableException(f"T{table[1:]} cannot be read as a streaming DataFrame: {reason}.")
        assert isinstance(provider, SourceProvider)
        return read_stream(provider, node.resolved_schema, node.table.identifier.as_summary_string(), source.as_summary_string(), context)
    if context.is_streaming and is_unbounded and why_unsupported(provider) is None:
        raise TableException(
            f"T{table[1:]} is unbounded, and the planner 'spark' runs bounded queries only.",
            hint="Run the query with the planner 'arrow', or in batch mode, where sources with offsets and folders have the rows of that moment.",
        )
    return read_provider(provider, node.resolved_schema, table, context, changes=changes)


@lower.register(DataFrameQueryOperation)
def lower_data_frame(node: DataFrameQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Uses the DataFrame unchanged, under column names of the plan."""
    return rename(node.frame, node.schema, context)
