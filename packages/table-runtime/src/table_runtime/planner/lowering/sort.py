"""Lowers ORDER BY, OFFSET and FETCH."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SortQueryOperation
from table_common.exceptions import TableInternalError
from table_common.expressions import FieldReferenceExpression
from table_runtime.batch.sort.top_n import TopN
from table_runtime.columns.ordering import SortKey
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dictionaries import allow_dictionaries
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.planner.lowering.fetched_top_n import fetched_top_n
from table_runtime.run.operator import Operator

LARGEST_TOP_N = 1 << 20
"""If OFFSET + FETCH is greater, all rows are sorted, because a top-n would cost as much."""


@lower.register(SortQueryOperation)
def lower_sort(node: SortQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    keys = []
    for order in node.orders:
        if not isinstance(order.expression, FieldReferenceExpression):
            raise TableInternalError(f"A sort key is not a column: {order.expression}.")
        keys.append(SortKey(order.expression.field_index, order.ascending, order.nulls_first))
    if keys and node.fetch is not None and node.offset + node.fetch <= LARGEST_TOP_N:
        fetched = fetched_top_n(node, child, keys)
        if fetched is not None:
            return fetched
        allow_dictionaries(child, set(range(len(child.schema))) - {key.column for key in keys})
        return TopN(child, keys, node.offset, node.fetch)
    if keys:
        from table_runtime.batch.sort.sort import Sort  # most sorts are of the first rows

        child = Sort(child, keys)
    from table_runtime.batch.sort.limit import Limit  # most sorts are of the first rows

    return Limit(child, node.offset, node.fetch) if node.offset or node.fetch is not None else child
