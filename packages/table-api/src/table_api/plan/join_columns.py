"""Leaves out the columns of joins that only their conditions use.

``prune_columns`` keeps them, since the join reads them, and they would pass through all that is above. An engine whose joins give only what is
selected runs this last; a chain of a thousand joins then has a few columns everywhere and not thousands at its end.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import JoinQueryOperation, ProjectQueryOperation, QueryOperation
from table_api.plan.column_use import needed_columns, rebuilt
from table_api.plan.facts.columns import identity, picked, restore
from table_api.plan.facts.record import Pruned
from table_common.expressions import FieldReferenceExpression
from table_common.tree import fold, nodes_of, preorder, reader_counts


def drop_join_columns(root: QueryOperation) -> QueryOperation:
    """Returns a plan with the same result that has a projection above each join of which not all columns are used."""
    if not nodes_of(root, QueryOperation, JoinQueryOperation):
        return root
    readers = reader_counts(preorder(root, QueryOperation), QueryOperation)
    needed = needed_columns(root)

    def combine(node: QueryOperation, children: Sequence[Pruned]) -> Pruned:
        if all(child is old for (child, _), old in zip(children, node.children, strict=True)):
            new, positions = node, identity(node)
        else:
            new, positions = rebuilt(node, needed[id(node)], children)
        if isinstance(new, ProjectQueryOperation) and readers[id(node.children[0])] == 1:
            return _above_join(new), positions
        if isinstance(new, JoinQueryOperation):
            wanted = needed[id(node)]
            projected, places = picked(new, frozenset(positions[column] for column in wanted))
            return projected, {column: places[positions[column]] for column in wanted}
        return new, positions

    return restore(fold(root, QueryOperation, combine), root.resolved_schema)


def _above_join(node: ProjectQueryOperation) -> ProjectQueryOperation:
    """Merges two adjacent column selections above a join."""
    below = node.child
    if not (
        isinstance(below, ProjectQueryOperation) and isinstance(below.child, JoinQueryOperation) and _selects(node) and _selects(below)
    ):
        return node
    selected = (below.projection[e.field_index] for e in node.projection if isinstance(e, FieldReferenceExpression))
    return ProjectQueryOperation(tuple(selected), node.names, below.child)


def _selects(node: ProjectQueryOperation) -> bool:
    return all(isinstance(expression, FieldReferenceExpression) for expression in node.projection)
