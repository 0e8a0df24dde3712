"""Lowers OVER windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_api.operations import FrameBoundKind, FrameUnit, SortOrder, WindowBound, WindowCall, WindowFrame, WindowQueryOperation
from table_api.plan import node_details, shown_columns
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableInternalError
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates, windows
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.over import Bound, Frame, WindowFunction
from table_runtime.batch.over.framed_aggregate import FramedAggregate
from table_runtime.batch.over.neighbors import EdgeValue, Neighbor
from table_runtime.batch.over.over_aggregate import OverAggregate, OverColumn, WindowGroup
from table_runtime.batch.over.ranking import NTile, Ranking, cume_dist, dense_rank, percent_rank, rank, row_number
from table_runtime.columns.ordering import SortKey
from table_runtime.expressions.literal import to_arrow_scalar
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator

_RANKS: dict[FunctionDefinition, WindowFunction] = {
    windows.ROW_NUMBER: Ranking(row_number),
    windows.RANK: Ranking(rank),
    windows.DENSE_RANK: Ranking(dense_rank),
    windows.PERCENT_RANK: Ranking(percent_rank),
    windows.CUME_DIST: Ranking(cume_dist),
    windows.NTILE: NTile(),
}
_SIDES = {
    FrameBoundKind.UNBOUNDED_PRECEDING: -1,
    FrameBoundKind.PRECEDING: -1,
    FrameBoundKind.CURRENT_ROW: 0,
    FrameBoundKind.FOLLOWING: 1,
    FrameBoundKind.UNBOUNDED_FOLLOWING: 1,
}


@lower.register(WindowQueryOperation)
def lower_window(node: WindowQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    return over_operator(node, child, context, shown_columns(node.child))


def over_operator(
    node: WindowQueryOperation, child: Operator, context: LoweringContext, shown: tuple[str, ...], shown_by: tuple[int, ...] | None = None
) -> OverAggregate:
    """Returns the operator of a node.

    Args:
        node: the windows and calls.
        child: the input.
        context: of the lowering.
        shown: the columns of the input as messages name them.
        shown_by: the columns that name a partition in messages, if they are not those by which it is found.
    """
    group = WindowGroup(
        tuple(reference.field_index for reference in node.partition_by),
        tuple(map(sort_key, node.order_by)),
        tuple(_column(call, shown) for call in node.calls),
        node_details(node),
        shown_by,
    )
    return OverAggregate.over(child, arrow_schema(node.resolved_schema, context), group)


def sort_key(order: SortOrder) -> SortKey:
    """Returns the key of an order by a column."""
    if not isinstance(order.expression, FieldReferenceExpression):
        raise TableInternalError(f"A sort key is not a column: {order.expression}.")
    return SortKey(order.expression.field_index, order.ascending, order.nulls_first)


def _column(call: WindowCall, shown: tuple[str, ...]) -> OverColumn:
    function, args = _function(call)
    return OverColumn(
        function,
        tuple(arg.field_index if isinstance(arg, FieldReferenceExpression) else to_arrow_scalar(arg) for arg in args),
        None if call.frame is None else _frame(call.frame),
        None if call.filter is None else call.filter.field_index,
        shown,
    )


def _function(call: WindowCall) -> tuple[WindowFunction, Sequence[FieldReferenceExpression | ValueLiteralExpression]]:
    """Returns the window function of a call, and the arguments that are evaluated per row: columns and constants."""
    type_: pa.DataType = to_arrow_type(call.output_type)
    if call.function in _RANKS:
        return _RANKS[call.function], call.args
    if call.function in (windows.LAG, windows.LEAD):
        return Neighbor(type_, is_behind=call.function is windows.LEAD, ignores_nulls=call.ignore_nulls is True), call.args
    if call.function in (aggregates.FIRST_VALUE, aggregates.LAST_VALUE):
        is_last = call.function is aggregates.LAST_VALUE
        return EdgeValue(type_, is_last=is_last, ignores_nulls=call.ignore_nulls is not False), call.args
    columns, constants = split_constants(call)
    types = tuple(arg.output_type for arg in columns)
    accumulator = make_accumulator(call.function, AggregateSpec(call.function.name, types, call.output_type, constants))
    distinct = call.function.aggregate_traits.drops_duplicates(call.distinct)
    return FramedAggregate(accumulator, distinct=distinct), columns


def split_constants(call: WindowCall) -> tuple[Sequence[FieldReferenceExpression | ValueLiteralExpression], tuple[Any, ...]]:
    """Returns the leading column arguments, and the values of the trailing constants (a separator, a percentage)."""
    args = list(call.args)
    constants: list[Any] = []
    while call.function.aggregate_traits.has_parameters and len(args) > 1 and isinstance(last := args[-1], ValueLiteralExpression):
        constants.insert(0, last.value)
        args.pop()
    return args, tuple(constants)


def _frame(frame: WindowFrame) -> Frame:
    return Frame(frame.unit is FrameUnit.RANGE, _bound(frame.lower), _bound(frame.upper))


def _bound(bound: WindowBound) -> Bound:
    return Bound(_SIDES[bound.kind], bound.offset)
