"""Lowers joins over changelogs."""

from __future__ import annotations

from table_api.operations import JoinQueryOperation, QueryOperation
from table_api.operations.changelog import UpdateKind
from table_common.expressions import ResolvedExpression
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.join import KINDS, pair_filter
from table_runtime.planner.lowering.join_condition import split_condition
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.join_inputs import plain_columns
from table_runtime.streaming.operators.join import Join, JoinSide
from table_runtime.streaming.operators.operator import AnyOperator


@lower_node.register(JoinQueryOperation)
def lower_join(node: JoinQueryOperation, context: StreamContext) -> AnyOperator:
    parts = split_condition(node.condition)
    widths = (len(node.left.resolved_schema.columns), len(node.right.resolved_schema.columns))
    return Join(
        arrow_schema(node.resolved_schema, context.lowering),
        KINDS[node.join_type],
        (_side(node.left, parts.left_keys, context), _side(node.right, parts.right_keys, context)),
        parts.key_types,
        parts.null_equal,
        pair_filter(parts, widths, context.lowering),
        gives_before=context.changes_of(node).updates is not UpdateKind.ONLY_UPDATE_AFTER,
        text=", ".join(parts.texts),
    )


def _side(node: QueryOperation, keys: tuple[ResolvedExpression, ...], context: StreamContext) -> JoinSide:
    changes = context.changes_of(node)
    key = context.key_of(node)
    return JoinSide(
        arrow_schema(node.resolved_schema, context.lowering),
        Evaluator(keys, context.lowering.evaluation).evaluate,
        has_retractions=not changes.is_insert_only,
        upsert_key=key if changes.updates is UpdateKind.ONLY_UPDATE_AFTER else None,
        key=key,
        columns=plain_columns(keys),
    )
