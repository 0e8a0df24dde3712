"""Pushes SOURCE_WATERMARK() into sources: the watermark then comes from the external system."""

from __future__ import annotations

from table_api.operations import QueryOperation, WatermarkQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.push_watermark_into_scan import PushedWatermark
from table_api.plan.rules.scan_below import scan_below
from table_common.connector.source.abilities import SupportsSourceWatermark
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import temporal
from table_common.tree import preorder, transform_up


def push_source_watermark_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces each such watermark by one that the source emits; the source need then not read the rowtime column.

    Raises:
        ValidationException: the source does not support SOURCE_WATERMARK().
    """
    return transform_up(root, QueryOperation, _pushed, of=WatermarkQueryOperation)


def _is_of_source(expression: ResolvedExpression) -> bool:
    nodes = preorder(expression, ResolvedExpression)
    return any(isinstance(node, CallExpression) and node.function is temporal.SOURCE_WATERMARK for node in nodes)


def _pushed(node: WatermarkQueryOperation) -> QueryOperation:
    below = scan_below(node) if _is_of_source(node.expression) else None
    if below is None or below.scan.source is None or below.scan.change_column is not None:
        return node
    scan, source = below.scan, below.scan.source.copy()
    if not isinstance(source, SupportsSourceWatermark):
        raise ValidationException(
            f"Table {scan.table.identifier} declares SOURCE_WATERMARK(), but its connector "
            f"({source.as_summary_string()}) does not generate watermarks.",
            hint=f"WATERMARK FOR {node.rowtime.name} AS {node.rowtime.name} - INTERVAL '5' SECOND",
        )
    source.apply_source_watermark()
    return replace(below, watermark=None).with_scan(scan.with_pushed(source, PushedWatermark(str(node.expression))))
