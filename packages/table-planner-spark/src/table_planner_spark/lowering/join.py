"""Combining rows of two inputs: ``join``."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import functions as fns

from table_api.operations import JoinQueryOperation, JoinType
from table_planner_spark.context import Lowered, LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.expressions.names import quote_name
from table_planner_spark.lowering.dispatch import lower

__all__ = ["lower_join", "with_new_names"]

_KINDS = {
    JoinType.INNER: "inner",
    JoinType.LEFT_OUTER: "left_outer",
    JoinType.RIGHT_OUTER: "right_outer",
    JoinType.FULL_OUTER: "full_outer",
    JoinType.SEMI: "left_semi",
    JoinType.ANTI: "left_anti",
}


@lower.register(JoinQueryOperation)
def lower_join(op: JoinQueryOperation, inputs: Sequence[Lowered], context: LoweringContext) -> Lowered:
    """Joins the inputs; names stay, since they are unique in the plan."""
    left, right = inputs
    if not set(left.columns).isdisjoint(right.columns):  # a part of the plan joined with itself
        right = with_new_names(right, context)
    if op.condition is None and op.join_type is JoinType.INNER:
        frame = left.frame.crossJoin(right.frame)
    else:
        condition = "true" if op.condition is None else to_spark_sql(op.condition, left.columns, right.columns)
        frame = left.frame.join(right.frame, on=fns.expr(condition), how=_KINDS[op.join_type])
    if op.join_type in (JoinType.SEMI, JoinType.ANTI):
        return Lowered(frame, left.columns)
    return Lowered(frame, (*left.columns, *right.columns))


def with_new_names(node: Lowered, context: LoweringContext) -> Lowered:
    """Returns the same rows under other column names."""
    names = context.new_names([name.rpartition("_")[0] for name in node.columns])
    texts = [f"{quote_name(old)} AS {quote_name(new)}" for old, new in zip(node.columns, names, strict=True)]
    return Lowered(node.frame.selectExpr(*texts), names)
