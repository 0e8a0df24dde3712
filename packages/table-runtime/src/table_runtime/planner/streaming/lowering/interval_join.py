"""Lowers interval joins."""

from __future__ import annotations

from table_api.operations.changelog import IntervalJoinQueryOperation
from table_runtime.changelog.operator import AnyOperator
from table_runtime.changelog.operators.interval_join import IntervalJoin
from table_runtime.changelog.operators.join import JoinSide
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.join import KINDS, pair_filter
from table_runtime.planner.lowering.join_condition import split_condition
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node

__all__ = ["lower_interval_join"]


@lower_node.register(IntervalJoinQueryOperation)
def lower_interval_join(node: IntervalJoinQueryOperation, context: StreamContext) -> AnyOperator:
    lowering = context.lowering
    parts = split_condition(node.condition)
    left, right = (
        JoinSide(arrow_schema(child.resolved_schema, lowering), Evaluator(keys, lowering.evaluation).evaluate, has_retractions=False)
        for child, keys in zip(node.children, (parts.left_keys, parts.right_keys), strict=True)
    )
    left_time, right_time = node.times
    return IntervalJoin(
        arrow_schema(node.resolved_schema, lowering),
        KINDS[node.join_type],
        (left, right),
        parts.key_types,
        parts.null_equal,
        None if node.is_processing_time else (left_time.field_index, right_time.field_index),
        (node.lower, node.upper),
        pair_filter(parts, (len(left.schema), len(right.schema)), lowering),
        text=", ".join(f"{name}={value}" for name, value in node.summary_details()).replace("'", ""),
    )
