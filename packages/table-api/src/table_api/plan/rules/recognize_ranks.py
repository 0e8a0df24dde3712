"""Recognizes ranks: ROW_NUMBER, RANK and DENSE_RANK under a bound, ORDER BY … LIMIT, LIMIT, and deduplication by time.

Only such uses of ranking windows and of ORDER BY can be maintained while rows change, because only the rows up to the bound are given.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import FilterQueryOperation, ProjectQueryOperation, QueryOperation, SortQueryOperation, WindowQueryOperation
from table_api.operations.changelog import DeduplicateQueryOperation, RankQueryOperation
from table_api.operations.operation import below
from table_api.operations.query import SortOrder
from table_api.plan.calls import number, references_of, with_type
from table_api.plan.context import RuleContext
from table_api.plan.rank_bounds import rank_bounds
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction, conjuncts
from table_common.functions.builtin import windows
from table_common.tree import by_class, transform_up
from table_common.types import BigIntType, is_rowtime, is_time_attribute

_RANKS = (windows.ROW_NUMBER, windows.RANK, windows.DENSE_RANK)


def recognize_ranks(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces bounded ranking windows and limited sorts by ranks or deduplications.

    Raises:
        TableException: ORDER BY without LIMIT orders by something other than an ascending time attribute.
    """

    last = below(root, ProjectQueryOperation)  # it decides the order of the rows
    if isinstance(last, SortQueryOperation) and last.orders and last.fetch is None and not last.offset:
        if _is_in_time_order(last.orders):
            return root  # the rows are in this order if they are processed in the order of event time
        raise TableException(
            f"A streaming query can be sorted only by an ascending time attribute, not by {_order_text(last)}.",
            hint="Add LIMIT n to keep the first rows, or sort the result of a query in batch mode.",
        )

    return transform_up(root, QueryOperation, _rank)


@by_class
def _rank(node: QueryOperation) -> QueryOperation:
    return node


def _order_text(node: SortQueryOperation) -> str:
    """Returns the first order as it is written: expressions are columns of a projection here."""
    order = node.orders[0]
    if isinstance(order.expression, FieldReferenceExpression) and isinstance(node.child, ProjectQueryOperation):
        expression = node.child.projection[order.expression.field_index]
        order = SortOrder(expression, order.ascending, order.nulls_first)
    return str(order)


@_rank.register(SortQueryOperation)
def _limit(node: SortQueryOperation) -> QueryOperation:
    if node.orders and node.fetch is None and not node.offset:
        return node.child  # an order below other nodes means nothing
    end = None if node.fetch is None else node.offset + node.fetch
    return RankQueryOperation(windows.ROW_NUMBER, (), node.orders, node.offset + 1, end, None, node.child)


@_rank.register(FilterQueryOperation)
def _bounded(node: FilterQueryOperation) -> QueryOperation:
    window = node.child
    if (
        not isinstance(window, WindowQueryOperation)
        or len(window.calls) != 1
        or window.calls[0].function not in _RANKS
        or not window.order_by
    ):
        return node
    if not all(isinstance(order.expression, FieldReferenceExpression) for order in window.order_by):
        return node
    width = len(window.child.resolved_schema.columns)
    start, end = 1, None
    others: list[ResolvedExpression] = []
    for part in conjuncts(node.condition):
        bounds = rank_bounds(part, width)
        if bounds is None:
            others.append(part)
            continue
        start = max(start, bounds[0])
        end = bounds[1] if end is None else end if bounds[1] is None else min(end, bounds[1])
    if end is None:
        return node
    ranked = _ranked(window, start, end)
    return FilterQueryOperation(conjunction(others), ranked) if others else ranked


def _ranked(window: WindowQueryOperation, start: int, end: int) -> QueryOperation:
    """Returns the rank with all columns of the window."""
    (call,), (name,) = window.calls, window.names
    is_first_row = call.function is windows.ROW_NUMBER and start == end == 1
    if is_first_row and is_time_attribute(window.order_by[0].expression.output_type) and len(window.order_by) == 1:
        keep_last = not window.order_by[0].ascending
        time = window.order_by[0].expression
        assert isinstance(time, FieldReferenceExpression)
        rowtime = time if is_rowtime(time.output_type) else None
        first: QueryOperation = DeduplicateQueryOperation(window.partition_by, keep_last, window.child, rowtime)
    elif start == end and call.function is windows.ROW_NUMBER:
        first = RankQueryOperation(call.function, window.partition_by, window.order_by, start, end, None, window.child)
    else:
        return RankQueryOperation(call.function, window.partition_by, window.order_by, start, end, name, window.child)
    constant = with_type(number(start), BigIntType(nullable=False))
    return ProjectQueryOperation((*references_of(first), constant), window.resolved_schema.column_names, first)


def _is_in_time_order(orders: Sequence[SortOrder]) -> bool:
    return orders[0].ascending and is_time_attribute(orders[0].expression.output_type)
