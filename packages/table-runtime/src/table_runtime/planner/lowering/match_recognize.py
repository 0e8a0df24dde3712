"""Lowers MATCH_RECOGNIZE."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import MatchRecognizeQueryOperation, SortOrder
from table_api.plan import node_details
from table_common.exceptions import TableInternalError
from table_common.expressions import FieldReferenceExpression
from table_runtime.columns.ordering import SortKey
from table_runtime.patterns import MatchRecognize, PatternSpec
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator


@lower.register(MatchRecognizeQueryOperation)
def lower_match_recognize(node: MatchRecognizeQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    return MatchRecognize(child, pattern_spec(node, context), context.evaluation, node_details(node))


def pattern_spec(node: MatchRecognizeQueryOperation, context: LoweringContext) -> PatternSpec:
    """Returns the physical form of a pattern."""
    return PatternSpec(
        arrow_schema(node.child.resolved_schema, context),
        arrow_schema(node.resolved_schema, context),
        tuple(key.field_index for key in node.partition_by),
        tuple(map(_sort_key, node.order_by)),
        node.pattern,
        node.definitions,
        node.measures,
        node.after_match,
        node.after_match_variable,
        node.within,
    )


def _sort_key(order: SortOrder) -> SortKey:
    if not isinstance(order.expression, FieldReferenceExpression):
        raise TableInternalError(f"A sort key is not a column: {order.expression}.")
    return SortKey(order.expression.field_index, order.ascending, order.nulls_first)
