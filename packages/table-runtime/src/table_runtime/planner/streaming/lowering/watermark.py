"""Lowers the WATERMARK of a table."""

from __future__ import annotations

from datetime import timedelta

from table_api.operations import QueryOperation, SourceQueryOperation, WatermarkQueryOperation
from table_api.plan import node_details
from table_common.configuration import PipelineOptions
from table_common.tree import nodes_of
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner


@lower_node.register(WatermarkQueryOperation)
def lower_watermark(node: WatermarkQueryOperation, context: StreamContext) -> AnyOperator:
    evaluator = Evaluator([node.expression], context.lowering.evaluation)
    scan = next(iter(nodes_of(node, QueryOperation, SourceQueryOperation)), None)
    return WatermarkAssigner(
        arrow_schema(node.resolved_schema, context.lowering),
        node.rowtime.field_index,
        evaluator.evaluate_only,
        interval=_interval(scan, context) // timedelta(milliseconds=1),
        table="" if scan is None else scan.table.identifier.as_summary_string(),
        text=node_details(node),
    )


def _interval(scan: SourceQueryOperation | None, context: StreamContext) -> timedelta:
    """Returns by how much event time has to move for another watermark: with the strategy ``on-event`` every movement counts."""
    # Differs from Flink: 'scan.watermark.emit.strategy' applies to every table. Flink ignores it for connectors that do not make
    # watermarks, such as filesystem.
    if scan is not None and scan.watermark_params.is_on_event:
        return timedelta(0)
    return context.lowering.configuration.get(PipelineOptions.AUTO_WATERMARK_INTERVAL)
