"""Leaves out the row of an aggregate without grouping over no rows: in streaming mode nothing has arrived that would make one.

Queries in expressions keep it, since what they stand for there is one value, and so do queries that can be seen to be empty, such as
``WHERE FALSE``: Flink makes a constant of their row. In batch mode the row is always there, as in the standard.
"""

from __future__ import annotations

from table_api.operations import AggregateQueryOperation, FilterQueryOperation, ProjectQueryOperation, QueryOperation, ValuesQueryOperation
from table_api.plan.calls import call, columns_of, count_rows, number, reference
from table_api.plan.context import RuleContext
from table_common.expressions import ValueLiteralExpression
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import comparison
from table_common.tree import transform_up

__all__ = ["omit_empty_totals"]

_COUNT = "$count"


def omit_empty_totals(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Filters aggregates that have one group by whether there was a row."""

    def change(node: QueryOperation) -> QueryOperation:
        if not isinstance(node, AggregateQueryOperation) or not node.is_one_group or _is_known_empty(node.child):
            return node
        counted = replace(node, aggregates=(*node.aggregates, count_rows()), names=(*node.names, _COUNT))
        width = len(node.aggregates)
        found = FilterQueryOperation(call(comparison.GREATER_THAN, reference(counted, width), number(0)), counted)
        return columns_of(found, width)

    return transform_up(root, QueryOperation, change)


def _is_known_empty(node: QueryOperation) -> bool:
    while isinstance(node, ProjectQueryOperation):
        node = node.child
    if isinstance(node, FilterQueryOperation):
        return isinstance(node.condition, ValueLiteralExpression) and node.condition.value is not True
    return isinstance(node, ValuesQueryOperation) and not node.rows
