"""Lowers the operator that drops UPDATE_BEFORE rows."""

from __future__ import annotations

from table_api.operations.changelog import DropUpdateBeforeQueryOperation
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.drop_update_before import DropUpdateBefore
from table_runtime.streaming.operators.operator import AnyOperator


@lower_node.register(DropUpdateBeforeQueryOperation)
def lower_drop_update_before(node: DropUpdateBeforeQueryOperation, context: StreamContext) -> AnyOperator:
    return DropUpdateBefore(arrow_schema(node.resolved_schema, context.lowering))
