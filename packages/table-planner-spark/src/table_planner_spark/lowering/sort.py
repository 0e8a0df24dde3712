"""Ordering, skipping and limiting; where NULL goes is always said."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as fns

from table_api.operations import SortOrder, SortQueryOperation
from table_planner_spark.context import Lowered, LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.lowering.dispatch import lower

__all__ = ["lower_sort"]


@lower.register(SortQueryOperation)
def lower_sort(op: SortQueryOperation, inputs: Sequence[Lowered], context: LoweringContext) -> Lowered:
    """Sorts the child, then skips and keeps rows."""
    (child,) = inputs
    frame = child.frame
    if op.orders:
        frame = frame.orderBy(*[_order(order, child.columns) for order in op.orders])
    if op.offset:
        frame = frame.offset(op.offset)
    if op.fetch is not None:
        frame = frame.limit(op.fetch)
    return Lowered(frame, child.columns)


def _order(order: SortOrder, columns: Sequence[str]) -> Column:
    key = fns.expr(to_spark_sql(order.expression, columns))
    if order.ascending:
        return key.asc_nulls_first() if order.nulls_first else key.asc_nulls_last()
    return key.desc_nulls_first() if order.nulls_first else key.desc_nulls_last()
