"""Lowers table scans to scan operators on the connector's runtime provider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeGuard

from table_api.operations import SourceQueryOperation
from table_common.connector import ArrowScanProvider, FileScanProvider, ScanTableSource
from table_common.exceptions import TableException, TableInternalError
from table_common.types import RowType
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.planner.refusals import source_refusal
from table_runtime.run.operator import Operator

if TYPE_CHECKING:
    from table_common.connector import SourceProvider


@lower.register(SourceQueryOperation)
def lower_source(node: SourceQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    table = node.table.identifier.as_summary_string()
    if node.source is None:
        raise TableInternalError(f"The source of {table} was not created before planning.")
    if not isinstance(node.source, ScanTableSource):
        raise TableException(f"Table {table} cannot be scanned: its connector only looks rows up by key.")
    provider = node.source.get_scan_runtime_provider(ScanTableSource.ScanContext(context.is_bounded, context.evaluation.time_zone))
    changes = node.change_column is not None
    row_type = node.resolved_schema.to_row_type()
    if not context.is_bounded and _has_offsets(provider):
        from table_runtime.scans.scan_offsets import ScanOffsets

        schema = arrow_schema(node.resolved_schema, context)
        return ScanOffsets(provider, row_type, schema, table, node.source.as_summary_string(), changes=changes)
    if context.other_scan is not None and source_refusal(provider) is not None:
        other = context.other_scan(node, provider, arrow_schema(node.resolved_schema, context))
        if other is not None:
            return other
    if not isinstance(provider, FileScanProvider):
        from table_runtime.sources import as_arrow_scan  # files give batches already

        provider = as_arrow_scan(provider, RowType(row_type.fields[:-1], nullable=False) if changes else row_type, changes=changes)
    refusal = source_refusal(provider, is_unbounded_allowed=not context.is_bounded)
    if refusal is not None:
        raise TableException(f"Table {table} cannot be read: {refusal}.")
    schema = arrow_schema(node.resolved_schema, context)
    if isinstance(provider, FileScanProvider):
        from table_runtime.scans.scan_files import ScanFiles

        scan = ScanFiles(provider, schema, table, inputs, changes=changes)
        if not changes and not node.pushed.reduces_rows:
            context.scans[id(node)] = scan
        return scan
    assert isinstance(provider, ArrowScanProvider)
    from table_runtime.scans.scan_arrow import ScanArrow

    return ScanArrow(provider, row_type, schema, table, node.source.as_summary_string(), inputs, changes=changes)


def _has_offsets(provider: object) -> TypeGuard[SourceProvider]:
    from table_common.connector import SourceProvider  # sources of batch mode need it not

    return isinstance(provider, SourceProvider)
