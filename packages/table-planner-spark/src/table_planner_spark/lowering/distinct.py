"""Lowers DISTINCT."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import DistinctQueryOperation
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.comparable_form import comparable_form, needs_comparable_form
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation


@lower.register(DistinctQueryOperation)
def lower_distinct(node: DistinctQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Removes duplicate rows."""
    (child,) = inputs
    if not child.columns:
        return SparkRelation(child.frame.distinct(), ())
    types = node.child.resolved_schema.column_types
    if any(map(needs_comparable_form, types)):  # decorrelation needs the distinct values of any type
        columns = [quote_name(column) for column in child.columns]
        forms = ", ".join(comparable_form(column, type_) for column, type_ in zip(columns, types, strict=True))
        kept = ", ".join(f"any_value({column}) AS {column}" for column in columns)
        return SparkRelation.query([f"SELECT {kept} FROM ", child, f" GROUP BY {forms}"], child.columns).as_step()
    return SparkRelation.query([f"SELECT DISTINCT {', '.join(map(quote_name, child.columns))} FROM ", child], child.columns).as_step()
