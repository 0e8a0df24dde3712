"""Lowers UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SetOperationType, SetQueryOperation
from table_runtime.batch.set_operations.distinct import Distinct
from table_runtime.batch.set_operations.set_operation import Except, Intersect
from table_runtime.batch.set_operations.union import UnionAll
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator


@lower.register(SetQueryOperation)
def lower_set(node: SetQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    schema = arrow_schema(node.resolved_schema, context)
    match node.kind:
        case SetOperationType.UNION:
            union = UnionAll(inputs, schema)
            return union if node.all else Distinct(union)
        case SetOperationType.INTERSECT:
            # A balanced binary tree: batches pass through each level.
            while len(inputs) > 1:
                pairs = [inputs[i : i + 2] for i in range(0, len(inputs), 2)]
                inputs = [Intersect(pair, schema, keep_all=node.all) if len(pair) > 1 else pair[0] for pair in pairs]
            return inputs[0]
        case SetOperationType.MINUS:
            return Except(inputs, schema, keep_all=node.all)
