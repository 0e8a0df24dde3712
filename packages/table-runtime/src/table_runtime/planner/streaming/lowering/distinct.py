"""Lowers DISTINCT over changelogs: a set operation of one input."""

from __future__ import annotations

from table_api.operations import DistinctQueryOperation, SetOperationType
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.set_operation import SetOperation


@lower_node.register(DistinctQueryOperation)
def lower_distinct(node: DistinctQueryOperation, context: StreamContext) -> AnyOperator:
    schema, keys = arrow_schema(node.resolved_schema, context.lowering), [context.key_of(node.child)]
    return SetOperation(schema, 1, SetOperationType.UNION.value, keeps_duplicates=False, input_keys=keys)
