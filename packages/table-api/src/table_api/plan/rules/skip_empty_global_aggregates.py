"""Streaming mode: an aggregate without GROUP BY over no rows gives no row, as in Flink."""

from __future__ import annotations

from table_api.operations import AggregateQueryOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_common.frozen_dataclass import replace
from table_common.tree import transform_up


def skip_empty_global_aggregates(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Marks the totals of the query. Those in subqueries, and those that later rules make for subqueries, keep their row over no rows."""
    # Differs from Flink: a scalar subquery that counts no rows is 0, as in batch mode; Flink gives NULL in streaming mode.

    def mark(node: AggregateQueryOperation) -> QueryOperation:
        return replace(node, skips_no_input=True) if node.is_one_group and not node.skips_no_input else node

    return transform_up(root, QueryOperation, mark, of=AggregateQueryOperation)
