"""Lowers set operations over changelogs."""

from __future__ import annotations

from table_api.operations import SetOperationType, SetQueryOperation
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.set_operation import SetOperation
from table_runtime.streaming.operators.union import Union


@lower_node.register(SetQueryOperation)
def lower_set(node: SetQueryOperation, context: StreamContext) -> AnyOperator:
    schema = arrow_schema(node.resolved_schema, context.lowering)
    if node.kind is SetOperationType.UNION and node.all:
        return Union(schema)
    keys = [context.key_of(child) for child in node.inputs]
    return SetOperation(schema, len(node.inputs), node.kind.value, keeps_duplicates=node.all, input_keys=keys)
