"""Recognizes OVER windows and sorts: those in the order of a time attribute, and OVER windows that update their results."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.unresolved import FrameBoundKind
from table_api.operations import ProjectQueryOperation, QueryOperation, SortOrder, SortQueryOperation, WindowCall, WindowQueryOperation
from table_api.operations.changelog import (
    OverAggregateQueryOperation,
    SortAtEndQueryOperation,
    TemporalSortQueryOperation,
    UpdatingOverQueryOperation,
)
from table_api.plan.boundedness import unbounded_leaves
from table_api.plan.calls import project, references_of
from table_api.plan.context import RuleContext
from table_common.configuration import session_time_zone
from table_common.connector import ScanTableSource
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import windows
from table_common.tree import by_class, transform_up
from table_common.types import YearMonthIntervalType, is_time_attribute

_RANKS = (windows.ROW_NUMBER, windows.RANK, windows.DENSE_RANK)
_STARTS = (FrameBoundKind.UNBOUNDED_PRECEDING, FrameBoundKind.PRECEDING, FrameBoundKind.CURRENT_ROW)


def recognize_over(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces OVER windows, and sorts without limit: by an ascending time attribute, or of rows that end.

    OVER windows in the order of such an attribute that read no row after the current one emit each row once; others update their results.

    Raises:
        TableException: ORDER BY without LIMIT orders unbounded rows by something other than an ascending time attribute.
    """

    return transform_up(root, QueryOperation, lambda node: _over_time(node, context))


@by_class
def _over_time(node: QueryOperation, context: RuleContext) -> QueryOperation:
    return node


@_over_time.register(SortQueryOperation)
def _sorted(node: SortQueryOperation, context: RuleContext) -> QueryOperation:
    if node.fetch is not None or node.offset:
        return node
    if _begins_with_time(node.orders):
        return TemporalSortQueryOperation(node.orders, node.child)
    # Differs from Flink: a query whose sources all end is sorted by any columns: the rows that are there at the end are given once, in order.
    if not unbounded_leaves(node, ScanTableSource.ScanContext(False, session_time_zone(context.session.configuration))):
        return SortAtEndQueryOperation(node.orders, node.child)
    raise TableException(
        f"A query over an unbounded table can be sorted only by an ascending time attribute, not by {_order_text(node)}.",
        hint="Add LIMIT n to keep the first rows, or sort the result of a query over tables that end.",
    )


def _order_text(node: SortQueryOperation) -> str:
    """Returns the first order as it is written: expressions are columns of a projection here."""
    order = node.orders[0]
    if isinstance(order.expression, FieldReferenceExpression) and isinstance(node.child, ProjectQueryOperation):
        expression = node.child.projection[order.expression.field_index]
        order = SortOrder(expression, order.ascending, order.nulls_first)
    return str(order)


@_over_time.register(WindowQueryOperation)
def _over(node: WindowQueryOperation, context: RuleContext) -> QueryOperation:
    # Differs from Flink: OVER windows that Flink refuses in streaming mode update their results: descending and several orders, bounded
    # frames in other orders than that of time, rows after the current one, LEAD, NTILE, PERCENT_RANK, CUME_DIST, RANK, DENSE_RANK, a
    # rank without a limit, and several windows in one query.
    if _is_in_time_order(node) and all(map(_looks_back, node.calls)):
        return _in_time_order(node)
    return UpdatingOverQueryOperation(node.partition_by, node.order_by, node.calls, node.names, node.child)


def _in_time_order(node: WindowQueryOperation) -> QueryOperation:
    """Returns the window with its constant arguments as columns of the input, except options such as a separator."""
    width = len(node.child.resolved_schema.columns)
    constants: list[ValueLiteralExpression] = []

    def column(call: WindowCall, number: int) -> FieldReferenceExpression | ValueLiteralExpression:
        arg = call.args[number]
        if isinstance(arg, FieldReferenceExpression) or call.frame is None or (number and call.function.aggregate_traits.has_parameters):
            return arg
        constants.append(arg)
        return FieldReferenceExpression(f"$c{len(constants)}", arg.output_type, 0, width + len(constants) - 1)

    calls = tuple(replace(call, args=tuple(column(call, number) for number in range(len(call.args)))) for call in node.calls)
    if not constants:
        return OverAggregateQueryOperation(node.partition_by, node.order_by, node.calls, node.names, node.child)
    names = (*node.child.resolved_schema.column_names, *(f"$c{number + 1}" for number in range(len(constants))))
    child = ProjectQueryOperation((*references_of(node.child), *constants), names, node.child)
    over = OverAggregateQueryOperation(node.partition_by, node.order_by, calls, node.names, child)
    references = references_of(over)
    return project((*references[:width], *references[width + len(constants) :]), over)


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
    if frame is None or frame.lower.kind not in _STARTS or frame.upper.kind is not FrameBoundKind.CURRENT_ROW:
        return False
    # Differs from Flink: a RANGE frame of months or years has the rows of these months, and updates its results, because months have no
    # fixed length. Flink refuses such a frame in streaming mode.
    return frame.lower.offset is None or not isinstance(frame.lower.offset.output_type, YearMonthIntervalType)
