"""Lowers projections (SELECT)."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ProjectQueryOperation
from table_common.expressions import FieldReferenceExpression
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.inline_guards import barrier
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation


@lower.register(ProjectQueryOperation)
def lower_project(node: ProjectQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Computes the columns under new names. If all are different columns of the child, they keep their names."""
    (child,) = inputs
    positions = [expression.field_index for expression in node.projection if isinstance(expression, FieldReferenceExpression)]
    if positions and len(set(positions)) == len(node.projection) and context.has_one_reader(node.child):
        return child.select_columns(positions)
    names = context.new_names(node.names)
    values = [to_spark_sql(expression, child.columns) for expression in node.projection]
    for position in context.large_columns(node):
        values[position] = barrier(values[position], nullable=node.projection[position].output_type.nullable)
    return child.select([f"{value} AS {quote_name(name)}" for value, name in zip(values, names, strict=True)], names)
