"""Streaming mode: a global aggregate over empty input gives no row, because no input row has arrived to produce one.

Scalar subqueries keep the row, because they stand for one value. So do queries that are known to be empty, such as ``WHERE FALSE``: Flink
replaces their result by a constant. In batch mode the row is always produced, as in standard SQL.
"""

from __future__ import annotations

from table_api.operations import AggregateQueryOperation, FilterQueryOperation, ProjectQueryOperation, QueryOperation
from table_api.operations.operation import below
from table_api.plan.calls import call, columns_of, count_rows, number, reference
from table_api.plan.context import RuleContext
from table_common.expressions import ValueLiteralExpression
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import comparison
from table_common.tree import transform_up

_COUNT = "$count"


def drop_global_aggregate_of_no_input(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Adds to global aggregates a filter that drops the result if no row was counted."""

    def change(node: AggregateQueryOperation) -> QueryOperation:
        if not node.is_one_group or _is_known_empty(node.child):
            return node
        counted = replace(node, aggregates=(*node.aggregates, count_rows()), names=(*node.names, _COUNT))
        width = len(node.aggregates)
        not_empty = FilterQueryOperation(call(comparison.GREATER_THAN, reference(counted, width), number(0)), counted)
        return columns_of(not_empty, width)

    return transform_up(root, QueryOperation, change, of=AggregateQueryOperation)


def _is_known_empty(node: QueryOperation) -> bool:
    node = below(node, ProjectQueryOperation)
    if isinstance(node, FilterQueryOperation):
        return isinstance(node.condition, ValueLiteralExpression) and node.condition.value is not True
    return node.is_known_empty
