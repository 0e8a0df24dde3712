"""Recognizes ranks: ROW_NUMBER, RANK and DENSE_RANK under a bound, ORDER BY … LIMIT, LIMIT, and deduplication by time.

Only such uses of ranking windows and of ORDER BY can be maintained while rows change, because only the rows up to the bound are given.
"""

from __future__ import annotations

from table_api.operations import FilterQueryOperation, ProjectQueryOperation, QueryOperation, SortQueryOperation, WindowQueryOperation
from table_api.operations.changelog import DeduplicateQueryOperation, RankQueryOperation
from table_api.operations.operation import below
from table_api.plan.calls import number, references_of, with_type
from table_api.plan.context import RuleContext
from table_api.plan.rank_bounds import rank_bounds
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction, conjuncts
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import windows
from table_common.tree import by_class, map_children_of, transform_up
from table_common.types import BigIntType, is_rowtime, is_time_attribute

_RANKS = (windows.ROW_NUMBER, windows.RANK, windows.DENSE_RANK)


def recognize_ranks(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces bounded ranking windows and limited sorts by ranks or deduplications, and drops sorts without limit, except the last one."""
    last = below(root, ProjectQueryOperation)  # it decides the order of the rows
    if not isinstance(last, SortQueryOperation) or not _is_unlimited(last):
        return transform_up(root, QueryOperation, _rank)
    child = transform_up(last.child, QueryOperation, _rank)
    return root if child is last.child else _over_child(root, last, child)


def _over_child(node: QueryOperation, last: SortQueryOperation, child: QueryOperation) -> QueryOperation:
    """Returns the last sort over another child, below the projections above it."""
    if node is last:
        return replace(last, child=child)
    return map_children_of(node, QueryOperation, lambda each: _over_child(each, last, child))


@by_class
def _rank(node: QueryOperation) -> QueryOperation:
    return node


@_rank.register(SortQueryOperation)
def _limit(node: SortQueryOperation) -> QueryOperation:
    if _is_unlimited(node):
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


def _is_unlimited(node: SortQueryOperation) -> bool:
    return bool(node.orders) and node.fetch is None and not node.offset
