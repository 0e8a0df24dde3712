"""Lowers joins of time windows to the join of a batch plan, which runs for each window that is over."""

from __future__ import annotations

from table_api.operations import JoinQueryOperation, JoinType
from table_api.operations.changelog import WindowJoinQueryOperation
from table_api.plan import node_details
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering import lower
from table_runtime.planner.lowering.join_condition import split_condition
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.window_aggregate import last_millisecond
from table_runtime.streaming.operators.buffered_windows import BufferedWindows, WindowInput
from table_runtime.streaming.operators.exchange_keys import GLOBAL, CastKeys
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.stateless import BatchInput


@lower_node.register(WindowJoinQueryOperation)
def lower_window_join(node: WindowJoinQueryOperation, context: StreamContext) -> AnyOperator:
    leaves = [BatchInput(arrow_schema(child.resolved_schema, context.lowering)) for child in node.children]
    join = JoinQueryOperation(node.left, node.right, node.join_type, node.condition)
    left, right = node.ends
    parts = split_condition(node.condition)
    sides = (parts.left_keys, parts.right_keys)
    keys = [CastKeys(Evaluator(side, context.lowering.evaluation).evaluate, tuple(parts.key_types)) if side else GLOBAL for side in sides]
    width = len(node.left.resolved_schema.columns)
    return BufferedWindows(
        lower(join, leaves, context.lowering),
        [WindowInput(*each) for each in zip(leaves, node.ends, keys, strict=True)],
        [left] if node.join_type in (JoinType.SEMI, JoinType.ANTI) else [left, width + right],
        last_millisecond(node.time_type, context.lowering.evaluation),
        name=node.summary_name,
        key_types=parts.key_types,
        text=node_details(node),
    )
