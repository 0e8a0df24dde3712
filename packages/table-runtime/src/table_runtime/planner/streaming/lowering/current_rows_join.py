"""Lowers joins with the current rows of a table."""

from __future__ import annotations

from table_api.operations.changelog import CurrentRowsJoinQueryOperation
from table_api.plan import node_details
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.join import KINDS
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.join_inputs import join_inputs
from table_runtime.streaming.operators.current_rows_join import CurrentRowsJoin
from table_runtime.streaming.operators.operator import AnyOperator


@lower_node.register(CurrentRowsJoinQueryOperation)
def lower_current_rows_join(node: CurrentRowsJoinQueryOperation, context: StreamContext) -> AnyOperator:
    inputs = join_inputs(node, context)
    return CurrentRowsJoin(
        arrow_schema(node.resolved_schema, context.lowering),
        KINDS[node.join_type],
        inputs.sides,
        inputs.keys.key_types,
        inputs.keys.null_equal,
        inputs.condition,
        text=node_details(node),
    )
