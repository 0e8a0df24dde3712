"""Recognises OVER windows and sorts in the order of a time attribute."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.unresolved import FrameBoundKind
from table_api.operations import QueryOperation, SortOrder, SortQueryOperation, WindowCall, WindowQueryOperation
from table_api.operations.changelog import OverAggregateQueryOperation, TemporalSortQueryOperation
from table_api.plan.context import RuleContext
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import windows
from table_common.tree import transform_up
from table_common.types import is_time_attribute

__all__ = ["recognise_over"]

_RANKS = (windows.ROW_NUMBER, windows.RANK, windows.DENSE_RANK)
_STARTS = (FrameBoundKind.UNBOUNDED_PRECEDING, FrameBoundKind.PRECEDING, FrameBoundKind.CURRENT_ROW)


def recognise_over(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces OVER windows that read no row after the current one, and sorts without limit, by an ascending time attribute."""

    def change(node: QueryOperation) -> QueryOperation:
        if type(node) is SortQueryOperation and node.fetch is None and not node.offset and _begins_with_time(node.orders):
            return TemporalSortQueryOperation(node.orders, node.child)
        if type(node) is not WindowQueryOperation or not _is_in_time_order(node) or not all(map(_looks_back, node.calls)):
            return node
        return OverAggregateQueryOperation(node.partition_by, node.order_by, node.calls, node.names, node.child)

    return transform_up(root, QueryOperation, change)


def _is_in_time_order(node: WindowQueryOperation) -> bool:
    return len(node.order_by) == 1 and _begins_with_time(node.order_by)


def _begins_with_time(orders: Sequence[SortOrder]) -> bool:
    """Whether the first order is an ascending time attribute, and all are columns."""
    if not orders or not orders[0].ascending or not all(isinstance(order.expression, FieldReferenceExpression) for order in orders):
        return False
    return is_time_attribute(orders[0].expression.output_type)


def _looks_back(call: WindowCall) -> bool:
    """Whether a call reads the current row and rows before it."""
    if call.function in _RANKS:
        return True
    if call.ignore_nulls is not None:
        return False
    if call.function is windows.LAG:
        return len(call.args) < 2 or isinstance(call.args[1], ValueLiteralExpression)
    frame = call.frame
    return (
        frame is not None
        and frame.lower.kind in _STARTS
        and frame.upper.kind is FrameBoundKind.CURRENT_ROW
        and all(isinstance(arg, FieldReferenceExpression) for arg in call.args)
    )
