"""Lowers sorts by an ascending time attribute."""

from __future__ import annotations

from table_api.operations.changelog import TemporalSortQueryOperation
from table_api.plan import node_details
from table_common.expressions import FieldReferenceExpression
from table_runtime.columns.ordering import SortKey
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.temporal_sort import TemporalSort


@lower_node.register(TemporalSortQueryOperation)
def lower_temporal_sort(node: TemporalSortQueryOperation, context: StreamContext) -> AnyOperator:
    orders = []
    for order in node.orders:
        assert isinstance(order.expression, FieldReferenceExpression)
        orders.append(SortKey(order.expression.field_index, order.ascending, order.nulls_first))
    return TemporalSort(
        arrow_schema(node.resolved_schema, context.lowering),
        None if node.is_processing_time else node.time.field_index,
        orders,
        node_details(node),
    )
