"""Lowers joins FOR SYSTEM_TIME AS OF an event time."""

from __future__ import annotations

from table_api.operations import JoinType, VersionedJoinQueryOperation
from table_runtime.changelog.operator import AnyOperator
from table_runtime.changelog.operators.join import JoinSide
from table_runtime.changelog.operators.versioned_join import VersionedJoin
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.join import pair_filter
from table_runtime.planner.lowering.join_condition import split_condition
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node

__all__ = ["lower_versioned_join"]


@lower_node.register(VersionedJoinQueryOperation)
def lower_versioned_join(node: VersionedJoinQueryOperation, context: StreamContext) -> AnyOperator:
    lowering = context.lowering
    parts = split_condition(node.condition)
    left, right = (
        JoinSide(arrow_schema(child.resolved_schema, lowering), Evaluator(keys, lowering.evaluation).evaluate, has_retractions=False)
        for child, keys in zip(node.children, (parts.left_keys, parts.right_keys), strict=True)
    )
    left_time, right_time = node.times
    return VersionedJoin(
        arrow_schema(node.resolved_schema, lowering),
        (left, right),
        parts.key_types,
        parts.null_equal,
        (left_time.field_index, right_time.field_index),
        pair_filter(parts, (len(left.schema), len(right.schema)), lowering),
        is_outer=node.join_type is JoinType.LEFT_OUTER,
        has_kinds=not context.changes_of(node.left).is_insert_only,
        text=", ".join(f"{name}={value}" for name, value in node.summary_details()).replace("'", ""),
    )
