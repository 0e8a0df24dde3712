"""``table.exec.sort.default-limit``: the limit of each ORDER BY that has none."""

from __future__ import annotations

from table_api.operations import QueryOperation, SortQueryOperation
from table_api.plan.context import RuleContext
from table_common.configuration import ExecutionConfigOptions
from table_common.frozen_dataclass import replace
from table_common.tree import transform_up


def limit_sorts(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Gives every sort without a limit the session's default limit."""
    limit = context.session.configuration.get(ExecutionConfigOptions.TABLE_EXEC_SORT_DEFAULT_LIMIT)
    if limit < 0:
        return root

    def limited(node: SortQueryOperation) -> SortQueryOperation:
        return replace(node, fetch=limit) if node.orders and node.fetch is None else node

    return transform_up(root, QueryOperation, limited, of=SortQueryOperation)
