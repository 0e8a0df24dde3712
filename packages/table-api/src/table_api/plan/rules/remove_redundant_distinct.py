"""DISTINCT, or GROUP BY without aggregates, over rows that a unique key tells apart anyhow."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import AggregateQueryOperation, DistinctQueryOperation, ProjectQueryOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_common.tree import fold, map_children_of, preorder


def remove_redundant_distinct(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Removes nodes that only remove duplicates from inputs that have none; a declared PRIMARY KEY is believed, as by Flink."""
    if not any(_only_removes_duplicates(node) for node in preorder(root, QueryOperation)):
        return root
    from table_api.plan.changelog.keys import unique_keys  # few queries need it

    keys = unique_keys(root)

    def combine(node: QueryOperation, children: Sequence[QueryOperation]) -> QueryOperation:
        if _only_removes_duplicates(node):
            (original,) = node.children
            if isinstance(node, DistinctQueryOperation) and keys[id(original)]:
                return children[0]
            if isinstance(node, AggregateQueryOperation):
                grouping = {reference.field_index for reference in node.grouping}
                if any(key <= grouping for key in keys[id(original)]):
                    return ProjectQueryOperation(node.grouping, node.names, children[0])
        remaining = iter(children)
        return map_children_of(node, QueryOperation, lambda _: next(remaining))

    return fold(root, QueryOperation, combine)


def _only_removes_duplicates(node: QueryOperation) -> bool:
    if isinstance(node, DistinctQueryOperation):
        return True
    return isinstance(node, AggregateQueryOperation) and bool(node.grouping) and not node.aggregates and node.grouping_sets is None
