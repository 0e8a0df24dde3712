"""UNION, INTERSECT and EXCEPT: Spark's set operations, which go by position as ours do."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from table_api.operations import SetOperationType, SetQueryOperation
from table_planner_spark.context import Lowered, LoweringContext
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.lowering.join import with_new_names

__all__ = ["lower_set"]


@lower.register(SetQueryOperation)
def lower_set(op: SetQueryOperation, inputs: Sequence[Lowered], context: LoweringContext) -> Lowered:
    """Combines the inputs; the result has new names, because Spark would keep the left ones for other rows."""
    left, right = inputs
    combined = Lowered(_combine(op, left.frame, right.frame), left.columns)
    return with_new_names(combined, context)


def _combine(op: SetQueryOperation, left: DataFrame, right: DataFrame) -> DataFrame:
    match op.kind:
        case SetOperationType.UNION:
            return left.unionAll(right) if op.all else left.unionAll(right).distinct()
        case SetOperationType.INTERSECT:
            return left.intersectAll(right) if op.all else left.intersect(right)
        case SetOperationType.MINUS:
            return left.exceptAll(right) if op.all else left.subtract(right)
