"""Lowers interval joins."""

from __future__ import annotations

from table_api.operations.changelog import IntervalJoinQueryOperation
from table_api.plan import node_details
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.join import KINDS
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.join_inputs import join_inputs
from table_runtime.streaming.operators.interval_join import IntervalJoin
from table_runtime.streaming.operators.operator import AnyOperator


@lower_node.register(IntervalJoinQueryOperation)
def lower_interval_join(node: IntervalJoinQueryOperation, context: StreamContext) -> AnyOperator:
    inputs = join_inputs(node, context)
    left_time, right_time = node.times
    return IntervalJoin(
        arrow_schema(node.resolved_schema, context.lowering),
        KINDS[node.join_type],
        inputs.sides,
        inputs.keys.key_types,
        inputs.keys.null_equal,
        None if node.is_processing_time else (left_time.field_index, right_time.field_index),
        (node.lower, node.upper),
        inputs.condition,
        text=node_details(node),
    )
