"""Lowers joins FOR SYSTEM_TIME AS OF an event time."""

from __future__ import annotations

from table_api.operations import JoinType, VersionedJoinQueryOperation
from table_api.plan import node_details
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.join_inputs import join_inputs
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.versioned_join import VersionedJoin


@lower_node.register(VersionedJoinQueryOperation)
def lower_versioned_join(node: VersionedJoinQueryOperation, context: StreamContext) -> AnyOperator:
    inputs = join_inputs(node, context)
    left_time, right_time = node.times
    return VersionedJoin(
        arrow_schema(node.resolved_schema, context.lowering),
        inputs.sides,
        inputs.keys.key_types,
        inputs.keys.null_equal,
        (left_time.field_index, right_time.field_index),
        inputs.condition,
        is_outer=node.join_type is JoinType.LEFT_OUTER,
        has_kinds=not context.changes_of(node.left).is_insert_only,
        text=node_details(node),
    )
