"""Lowers ORDER BY, OFFSET and LIMIT; the position of NULLs is always explicit."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SortOrder, SortQueryOperation
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.relation import SparkRelation


@lower.register(SortQueryOperation)
def lower_sort(node: SortQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Sorts the child, then applies OFFSET and LIMIT."""
    (child,) = inputs
    suffix = f" ORDER BY {', '.join(_order(order, child.columns) for order in node.orders)}" if node.orders else ""
    if node.fetch is not None:
        suffix += f" LIMIT {node.fetch}"
    if node.offset:
        suffix += f" OFFSET {node.offset}"
    return child.append_clause(suffix)


def _order(order: SortOrder, columns: Sequence[str]) -> str:
    # A number without parentheses would be a column position.
    key = f"({to_spark_sql(order.expression, columns)})"
    return f"{key} {'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}"
