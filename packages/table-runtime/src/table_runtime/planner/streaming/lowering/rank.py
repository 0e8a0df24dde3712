"""Lowers ranks over changelogs."""

from __future__ import annotations

from table_api.operations.changelog import RankQueryOperation, RankStrategy, UpdateKind
from table_api.plan import node_details
from table_common.exceptions import TableInternalError
from table_common.expressions import FieldReferenceExpression
from table_runtime.columns.ordering import SortKey
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.rank import Rank, RankFunction, RankWay
from table_runtime.streaming.operators.top_row import TopRow

_WAYS = {
    RankStrategy.APPEND_FAST: RankWay.APPEND,
    RankStrategy.UPDATE_FAST: RankWay.UPDATE,
    RankStrategy.RETRACT: RankWay.RETRACT,
}


@lower_node.register(RankQueryOperation)
def lower_rank(node: RankQueryOperation, context: StreamContext) -> AnyOperator:
    if node.strategy is None:
        raise TableInternalError("The strategy of a rank was not chosen before lowering.")
    orders = []
    for order in node.order_by:
        assert isinstance(order.expression, FieldReferenceExpression)
        orders.append(SortKey(order.expression.field_index, order.ascending, order.nulls_first))
    schema = arrow_schema(node.resolved_schema, context.lowering)
    partition = [reference.field_index for reference in node.partition_by]
    gives_before = context.changes_of(node).updates is not UpdateKind.ONLY_UPDATE_AFTER
    text = node_details(node)
    function = RankFunction[node.function.name]
    is_top_row = (node.strategy, function, node.rank_name) == (RankStrategy.APPEND_FAST, RankFunction.ROW_NUMBER, None)
    if is_top_row and (node.start, node.end) == (1, 1) and TopRow.supports(schema, orders):
        return TopRow(schema, partition, orders, gives_before=gives_before, text=text)
    return Rank(
        schema,
        arrow_schema(node.child.resolved_schema, context.lowering),
        partition,
        orders,
        function=function,
        way=_WAYS[node.strategy],
        start=node.start,
        end=node.end,
        has_rank=node.rank_name is not None,
        upsert_key=node.upsert_key,
        key=context.key_of(node.child),
        gives_before=gives_before,
        text=text,
    )
