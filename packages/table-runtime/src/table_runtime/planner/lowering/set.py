"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SetOperationType, SetQueryOperation
from table_runtime.operators.distinct import Distinct
from table_runtime.operators.operator import Operator
from table_runtime.operators.set_operation import Except, Intersect
from table_runtime.operators.union import UnionAll
from table_runtime.planner.lowering.dispatch import LoweringContext, arrow_schema, lower

__all__ = ["lower_set"]


@lower.register(SetQueryOperation)
def lower_set(node: SetQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    left, right = inputs
    schema = arrow_schema(node.resolved_schema)
    match node.kind:
        case SetOperationType.UNION:
            both = UnionAll((left, right), schema)
            return both if node.all else Distinct(both)
        case SetOperationType.INTERSECT:
            return Intersect(left, right, schema, keep_all=node.all)
        case SetOperationType.MINUS:
            return Except(left, right, schema, keep_all=node.all)
