"""Removing duplicate rows."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import DistinctQueryOperation
from table_planner_spark.context import Lowered, LoweringContext
from table_planner_spark.expressions.names import quote_name
from table_planner_spark.lowering.dispatch import lower

__all__ = ["lower_distinct"]


@lower.register(DistinctQueryOperation)
def lower_distinct(op: DistinctQueryOperation, inputs: Sequence[Lowered], context: LoweringContext) -> Lowered:
    """Keeps one of equal rows."""
    (child,) = inputs
    if not child.columns:
        return Lowered(child.frame.distinct(), ())
    return Lowered.query([f"SELECT DISTINCT {', '.join(map(quote_name, child.columns))} FROM ", child], child.columns)
