"""Lowers ranks in time windows to the OVER window and the filter of a batch plan, which run for each window that is over."""

from __future__ import annotations

from table_api.operations import (
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    ValuesQueryOperation,
    WindowCall,
    WindowQueryOperation,
)
from table_api.operations.changelog import WindowRankQueryOperation
from table_api.plan import node_details
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression, conjunction
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison
from table_common.types import BigIntType, BooleanType
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering import lower
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.window_aggregate import last_millisecond
from table_runtime.run.operator import Operator
from table_runtime.streaming.operators.buffered_windows import BufferedWindows, WindowInput
from table_runtime.streaming.operators.exchange_keys import division_by
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.stateless import BatchInput

_RANK = BigIntType(nullable=False)


@lower_node.register(WindowRankQueryOperation)
def lower_window_rank(node: WindowRankQueryOperation, context: StreamContext) -> AnyOperator:
    schema = node.child.resolved_schema
    leaf = BatchInput(arrow_schema(schema, context.lowering))
    plan: QueryOperation = ValuesQueryOperation((), schema)
    operator: Operator = leaf
    for step in _steps(node, plan):
        operator = lower(step, [operator], context.lowering)
    end = node.partition_by[node.window_end].field_index
    partition_by = [reference.field_index for reference in node.partition_by]
    return BufferedWindows(
        operator,
        [WindowInput(leaf, end, division_by(partition_by))],
        [end],
        last_millisecond(node.time_type, context.lowering.evaluation),
        name=node.summary_name,
        key_types=[leaf.schema.field(position).type for position in partition_by],
        partition_by=partition_by,
        has_rank=True,
        is_reversed=node.last_is_first,
        text=node_details(node),
    )


def _steps(node: WindowRankQueryOperation, child: QueryOperation) -> list[QueryOperation]:
    """Returns the nodes of the rank in a batch plan, lowest first."""
    width = len(child.resolved_schema.columns)
    name = node.rank_name or "$rank"
    ranked = WindowQueryOperation(node.partition_by, node.order_by, (WindowCall(node.function, (), _RANK),), (name,), child)
    rank = FieldReferenceExpression(name, _RANK, 0, width)
    bounds = [] if node.start == 1 else [_compared(comparison.GREATER_THAN_OR_EQUAL, rank, node.start)]
    if node.end is not None:
        bounds.append(_compared(comparison.LESS_THAN_OR_EQUAL, rank, node.end))
    bounded = FilterQueryOperation(conjunction(bounds), ranked) if bounds else ranked
    columns = bounded.resolved_schema.columns
    references = [FieldReferenceExpression(column.name, column.data_type, 0, i) for i, column in enumerate(columns)]
    if node.rank_name is not None:  # once as a column, once as the order of the rows
        references.append(rank)
    selected = ProjectQueryOperation(tuple(references), tuple(reference.name for reference in references), bounded)
    return [ranked, *([bounded] if bounds else []), selected]


def _compared(function: FunctionDefinition, rank: ResolvedExpression, bound: int) -> ResolvedExpression:
    return CallExpression(function, (rank, ValueLiteralExpression(bound, _RANK)), BooleanType(nullable=False))
