"""DISTINCT, or GROUP BY without aggregates, over rows that a unique key tells apart anyhow."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import AggregateQueryOperation, ProjectQueryOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.facts.record import Keys
from table_common.tree import by_class, fold, map_children_of, preorder


def remove_redundant_distinct(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Removes nodes that only remove duplicates from inputs that have none; a declared PRIMARY KEY is believed, as by Flink."""
    if not any(node.removes_duplicates_only for node in preorder(root, QueryOperation)):
        return root
    from table_api.plan.changelog.keys import unique_keys  # few queries need it

    keys = unique_keys(root)

    def combine(node: QueryOperation, children: Sequence[QueryOperation]) -> QueryOperation:
        if node.removes_duplicates_only and (rows := _rows(node, children[0], keys[id(node.children[0])])) is not None:
            return rows
        remaining = iter(children)
        return map_children_of(node, QueryOperation, lambda _: next(remaining))

    return fold(root, QueryOperation, combine)


@by_class
def _rows(node: QueryOperation, child: QueryOperation, keys: Keys) -> QueryOperation | None:
    """Returns the rows of a node from those of its child with unique keys; None if there may be duplicates."""
    return child if keys else None


@_rows.register(AggregateQueryOperation)
def _groups(node: AggregateQueryOperation, child: QueryOperation, keys: Keys) -> QueryOperation | None:
    grouping = {reference.field_index for reference in node.grouping}
    return ProjectQueryOperation(node.grouping, node.names, child) if any(key <= grouping for key in keys) else None
