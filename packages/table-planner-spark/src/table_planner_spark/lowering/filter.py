"""WHERE and HAVING: a filter becomes the WHERE of a query."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import FilterQueryOperation
from table_common.expressions import is_deterministic
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.relation import SparkRelation


@lower.register(FilterQueryOperation)
def lower_filter(node: FilterQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Returns the input with the condition in its WHERE; rows for which the condition is FALSE or NULL are removed."""
    (child,) = inputs
    return child.where(to_spark_sql(node.condition, child.columns), is_deterministic=is_deterministic([node.condition]))
