"""Merges adjacent projections, and removes projections that change nothing."""

from __future__ import annotations

from collections import Counter

from table_api.operations import ProjectQueryOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_common.expressions import (
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    depth_of,
    is_deterministic,
    map_references,
)
from table_common.tree import preorder, transform_up

MOST_LEVELS = 50
"""The greatest depth of an expression that merging produces."""


def merge_projects(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Merges adjacent projections unless a costly expression would be evaluated twice; removes trivial projections below the root."""
    return transform_up(root, QueryOperation, _merge, of=ProjectQueryOperation)


def _merge(node: ProjectQueryOperation) -> QueryOperation:
    child = node.child
    if isinstance(child, ProjectQueryOperation) and _may_merge(node, child):
        projection = tuple(map_references(e, lambda r: child.projection[r.field_index]) for e in node.projection)
        if max(map(depth_of, projection)) <= max(MOST_LEVELS, *map(depth_of, node.projection)):
            node = ProjectQueryOperation(projection, node.names, child.child)
    return node.child if _is_trivial(node) else node


def _may_merge(outer: ProjectQueryOperation, inner: ProjectQueryOperation) -> bool:
    uses = Counter(
        reference.field_index
        for expression in outer.projection
        for reference in preorder(expression, ResolvedExpression)
        if isinstance(reference, FieldReferenceExpression)
    )
    for position, expression in enumerate(inner.projection):
        cheap = isinstance(expression, (FieldReferenceExpression, ValueLiteralExpression))
        if not cheap and (uses[position] > 1 or not is_deterministic([expression])):
            return False
    return True


def _is_trivial(node: ProjectQueryOperation) -> bool:
    schema = node.child.resolved_schema
    return node.names == schema.column_names and all(
        isinstance(e, FieldReferenceExpression) and e.field_index == i for i, e in enumerate(node.projection)
    )
