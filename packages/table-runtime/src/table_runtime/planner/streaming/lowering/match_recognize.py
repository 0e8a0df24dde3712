"""Lowers MATCH_RECOGNIZE over rows in event time or processing time."""

from __future__ import annotations

from table_api.operations import MatchRecognizeQueryOperation
from table_api.plan import node_details
from table_common.types import is_proctime
from table_runtime.planner.lowering.match_recognize import pattern_spec
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.match_recognize import MatchRecognize
from table_runtime.streaming.operators.operator import AnyOperator


@lower_node.register(MatchRecognizeQueryOperation)
def lower_match_recognize(node: MatchRecognizeQueryOperation, context: StreamContext) -> AnyOperator:
    return MatchRecognize(
        pattern_spec(node, context.lowering),
        context.lowering.evaluation,
        is_processing_time=is_proctime(node.order_by[0].expression.output_type),
        text=node_details(node),
    )
