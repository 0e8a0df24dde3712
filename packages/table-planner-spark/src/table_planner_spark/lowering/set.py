"""UNION, INTERSECT and EXCEPT: Spark's set operations, which go by position as ours do."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SetOperationType, SetQueryOperation
from table_planner_spark.context import Lowered, LoweringContext
from table_planner_spark.expressions.names import quote_name
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.lowering.join import with_new_names

__all__ = ["lower_set"]

_OPERATORS = {SetOperationType.UNION: "UNION", SetOperationType.INTERSECT: "INTERSECT", SetOperationType.MINUS: "EXCEPT"}


@lower.register(SetQueryOperation)
def lower_set(op: SetQueryOperation, inputs: Sequence[Lowered], context: LoweringContext) -> Lowered:
    """Combines the inputs; the result has new names, because Spark would keep the left ones for other rows."""
    left, right = inputs
    operator = f"{_OPERATORS[op.kind]} {'ALL' if op.all else 'DISTINCT'}"
    columns = (f"SELECT {', '.join(map(quote_name, side.columns))} FROM " for side in (left, right))
    return with_new_names(Lowered.query([next(columns), left, f" {operator} ", next(columns), right], left.columns), context)
