"""Lowers JOIN."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import JoinQueryOperation, JoinStrategy, JoinType, ProjectQueryOperation, QueryOperation
from table_common.exceptions import TableException
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.lowering.worker_join import join_through_pairs, needs_pairs
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation

_KINDS = {
    JoinType.INNER: "INNER",
    JoinType.LEFT_OUTER: "LEFT OUTER",
    JoinType.RIGHT_OUTER: "RIGHT OUTER",
    JoinType.FULL_OUTER: "FULL OUTER",
    JoinType.SEMI: "LEFT SEMI",
    JoinType.ANTI: "LEFT ANTI",
}

_HINTS = {
    JoinStrategy.BROADCAST: "BROADCAST",
    JoinStrategy.SHUFFLE_HASH: "SHUFFLE_HASH",
    JoinStrategy.SHUFFLE_MERGE: "MERGE",
    JoinStrategy.NEST_LOOP: "SHUFFLE_REPLICATE_NL",
}
"""Spark's names of the hints."""


@lower.register(JoinQueryOperation)
def lower_join(node: JoinQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Joins the inputs. Columns keep their names, which are unique in the plan."""
    left, right = inputs
    if not set(left.names).isdisjoint(right.names):  # a subplan joined with itself
        right = with_new_names(right, context)
    if (
        node.condition is None
        and node.join_type in (JoinType.INNER, JoinType.LEFT_OUTER)
        and len(right.columns) == 1
        and _is_one_row(node.right)
    ):
        return left.with_scalar_subquery(right)
    if node.condition is None and node.join_type is JoinType.INNER:
        return SparkRelation.join(left, "CROSS", right, "")
    condition = "true" if node.condition is None else to_spark_sql(node.condition, left.columns, right.columns)
    left, right = (_hinted(side, strategy) for side, strategy in zip((left, right), node.strategies, strict=True))
    if needs_pairs(node, condition, left, right):
        if context.streams and context.is_unbounded(node):
            raise TableException(
                f"The planner 'spark' does not run this join of a streaming DataFrame: {node.join_type.value} with a condition that calls Python over columns of both sides.",
                hint="Compute the arguments on each side before, so that the condition compares columns; or use an inner join.",
            )
        return join_through_pairs(node, condition, left, right, context)
    keeps_right = node.join_type not in (JoinType.SEMI, JoinType.ANTI)
    return SparkRelation.join(left, _KINDS[node.join_type], right, f" ON {condition}", keeps_right=keeps_right)


def _hinted(side: SparkRelation, strategy: JoinStrategy | None) -> SparkRelation:
    """Returns an input under Spark's hint for a strategy. Without a table, the hint means all rows of its SELECT."""
    if strategy is None or not side.columns:
        return side
    first, *others = map(quote_name, side.columns)
    return side.select([f"/*+ {_HINTS[strategy]} */ {first}", *others], side.columns)


def _is_one_row(node: QueryOperation) -> bool:
    while isinstance(node, ProjectQueryOperation):
        node = node.child
    return node.is_one_group


def with_new_names(node: SparkRelation, context: LoweringContext) -> SparkRelation:
    """Returns the same rows under other column names."""
    names = context.new_names([name.rpartition("_")[0] for name in node.columns])
    texts = [f"{quote_name(old)} AS {quote_name(new)}" for old, new in zip(node.columns, names, strict=True)]
    return node.select(texts, names)
