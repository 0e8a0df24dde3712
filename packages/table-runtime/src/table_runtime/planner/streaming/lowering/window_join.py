"""Lowers joins of time windows to the join of a batch plan, which runs for each window that is over."""

from __future__ import annotations

from table_api.operations import JoinQueryOperation, JoinType
from table_api.operations.changelog import WindowJoinQueryOperation
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering import lower
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.window_aggregate import last_millisecond
from table_runtime.streaming.operators.buffered_windows import BufferedWindows, WindowInput
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.stateless import BatchInput

__all__ = ["lower_window_join"]


@lower_node.register(WindowJoinQueryOperation)
def lower_window_join(node: WindowJoinQueryOperation, context: StreamContext) -> AnyOperator:
    leaves = [BatchInput(arrow_schema(child.resolved_schema, context.lowering)) for child in node.children]
    join = JoinQueryOperation(node.left, node.right, node.join_type, node.condition)
    left, right = node.ends
    width = len(node.left.resolved_schema.columns)
    return BufferedWindows(
        lower(join, leaves, context.lowering),
        [WindowInput(leaf, end) for leaf, end in zip(leaves, node.ends, strict=True)],
        [left] if node.join_type in (JoinType.SEMI, JoinType.ANTI) else [left, width + right],
        last_millisecond(node.time_type, context.lowering.evaluation),
        name=node.summary_name,
        text=", ".join(f"{name}={value}" for name, value in node.summary_details()).replace("'", ""),
    )
