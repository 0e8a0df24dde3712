"""Lowers sorts of rows that are all known."""

from __future__ import annotations

from table_api.operations.changelog import SortAtEndQueryOperation
from table_api.plan import node_details
from table_common.expressions import FieldReferenceExpression
from table_runtime.columns.ordering import SortKey
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.sort_at_end import SortAtEnd


@lower_node.register(SortAtEndQueryOperation)
def lower_sort_at_end(node: SortAtEndQueryOperation, context: StreamContext) -> AnyOperator:
    orders = []
    for order in node.orders:
        assert isinstance(order.expression, FieldReferenceExpression)
        orders.append(SortKey(order.expression.field_index, order.ascending, order.nulls_first))
    return SortAtEnd(arrow_schema(node.resolved_schema, context.lowering), orders, node_details(node))
