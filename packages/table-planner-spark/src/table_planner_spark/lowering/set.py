"""Lowers UNION, INTERSECT and EXCEPT to Spark's set operations, which also match columns by position."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SetOperationType, SetQueryOperation
from table_planner_spark.context import LoweringContext
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.lowering.join import with_new_names
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation

_Parts = list[str | SparkRelation]


@lower.register(SetQueryOperation)
def lower_set(node: SetQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Combines the inputs. The result has new column names: Spark would keep those of the left input, whose rows differ."""
    sides: list[_Parts] = [[f"SELECT {', '.join(map(quote_name, side.columns))} FROM ", side] for side in inputs]
    kind = "ALL" if node.all else "DISTINCT"
    match node.kind:
        case SetOperationType.UNION:
            parts = _balanced(" UNION ALL ", sides)
            if not node.all:
                parts = ["SELECT DISTINCT * FROM (", *parts, ")"]
        case SetOperationType.INTERSECT:
            parts = _balanced(f" INTERSECT {kind} ", sides)
        case SetOperationType.MINUS:
            # Subtracts the union of all other inputs at once.
            parts = [*sides[0], f" EXCEPT {kind} ", *_in_parentheses(_balanced(" UNION ALL ", sides[1:]), len(sides) > 2)]
    return with_new_names(SparkRelation.query(parts, inputs[0].columns).as_step(), context)


def _balanced(operator: str, sides: Sequence[_Parts]) -> _Parts:
    """Returns the operation over all sides as a balanced tree, because Spark's parser and analyzer recurse over it."""
    if len(sides) <= 2:
        return [part for number, side in enumerate(sides) for part in ([operator] if number else []) + side]
    middle = (len(sides) + 1) // 2
    left, right = _balanced(operator, sides[:middle]), _balanced(operator, sides[middle:])
    return [*_in_parentheses(left, True), operator, *_in_parentheses(right, len(sides) > 3)]


def _in_parentheses(parts: _Parts, is_needed: bool) -> _Parts:
    return ["(", *parts, ")"] if is_needed else parts
