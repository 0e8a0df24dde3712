"""Limits the rows below a ranking window of which a filter above it keeps the first ones."""

from __future__ import annotations

from table_api.operations import FilterQueryOperation, WindowQueryOperation
from table_api.plan import rank_bounds
from table_common.expressions import conjuncts
from table_common.functions.builtin import windows
from table_runtime.batch.over.over_aggregate import OverAggregate
from table_runtime.run.operator import Operator

_MOST_ROWS = 1000
"""A limit of more rows per partition drops too few to pay."""


def limited(node: FilterQueryOperation, window: WindowQueryOperation, child: Operator) -> Operator:
    """Returns the input of a filter: where it keeps the first rows of a ranking window, a window that sorts only rows that may be among these."""
    if not isinstance(child, OverAggregate) or len(window.calls) != 1 or len(child.groups) != 1:
        return child
    function = window.calls[0].function
    if function not in (windows.ROW_NUMBER, windows.RANK):
        return child
    rank = len(window.child.resolved_schema.columns)
    bounds = [found[1] for part in conjuncts(node.condition) if (found := rank_bounds(part, rank)) is not None and found[1] is not None]
    if not bounds or not 1 <= min(bounds) <= _MOST_ROWS:
        return child
    from table_runtime.streaming.operators.rank_limit import RankLimit

    (source,), (group,) = child.inputs, child.groups
    if not group.order_by or not RankLimit.supports(source.schema.field(group.order_by[0].column).type):
        return child
    limit = RankLimit(source, group.partition_by, group.order_by, min(bounds), keeps_ties=function is windows.RANK)
    return OverAggregate.over(limit, child.schema, group)
