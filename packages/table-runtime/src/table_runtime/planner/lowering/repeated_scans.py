"""Scans that several joins read, each of which needs few of the rows: each join gets a scan of its own, with its own runtime filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.operations import JoinQueryOperation, ModifyOperation, QueryOperation, SourceQueryOperation
from table_common.connector import FileScanProvider, ScanTableSource
from table_common.frozen_dataclass import replace
from table_common.tree import children_of, inputs_first
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.join_condition import split_condition
from table_runtime.planner.lowering.runtime_filters import filter_columns


def scans_to_repeat(operations: Sequence[ModifyOperation], context: LoweringContext) -> Mapping[int, JoinQueryOperation]:
    """Returns joins with a scan of their own as left input, by the identity of the node that they stand for. Notes the readers of these scans.

    A scan is repeated if it is of Parquet files, of which a filter skips parts, and if all its readers are joins that send it a filter. All scans of
    a job see the same files.
    """
    if not context.is_bounded:
        return {}
    joins: dict[int, tuple[SourceQueryOperation, list[JoinQueryOperation]]] = {}
    queries = [query for operation in operations for query in children_of(operation, QueryOperation)]
    for node in inputs_first(queries, QueryOperation):
        if not isinstance(node, JoinQueryOperation) or id(node) in context.built_left:
            continue
        if context.readers[id(node.left)] > 1 and isinstance(node.left, SourceQueryOperation):
            joins.setdefault(id(node.left), (node.left, []))[1].append(node)
    result = {}
    for scan, readers in joins.values():
        send_filters = all(filter_columns(node, split_condition(node.condition), context) for node in readers)
        if send_filters and len(readers) == context.readers[id(scan)] and _is_of_parquet(scan, context):
            for node in readers:
                own = replace(node, left=replace(scan))
                result[id(node)] = own
                context.readers[id(own.left)] = 1
    return result


def _is_of_parquet(node: SourceQueryOperation, context: LoweringContext) -> bool:
    """Returns whether a scan, without a limit that each copy could meet with other rows, reads Parquet files."""
    if node.pushed.reduces_rows or node.change_column is not None or children_of(node, QueryOperation):
        return False
    if not isinstance(node.source, ScanTableSource):
        return False
    provider = node.source.get_scan_runtime_provider(ScanTableSource.ScanContext(context.is_bounded, context.evaluation.time_zone))
    return isinstance(provider, FileScanProvider) and provider.format == "parquet"
